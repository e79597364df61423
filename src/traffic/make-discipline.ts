/** The disciplines by name. */
import { Barriers, CyclicShift } from "./disciplines/cyclic-shift.ts";
import { Dynamic } from "./disciplines/dynamic.ts";
import { Eager } from "./disciplines/eager.ts";
import { Interleaved } from "./disciplines/interleaved.ts";
import { IterativeMatching } from "./disciplines/iterative-matching.ts";
import type { Discipline, Lanes } from "./disciplines/lanes.ts";
import { RandomOrder } from "./disciplines/random-order.ts";
import { RequestToken } from "./disciplines/request-token.ts";
import { Static } from "./disciplines/static.ts";
import { Token } from "./disciplines/token.ts";
import type { DisciplineName, ExchangeChoice } from "./options.ts";

/** What some disciplines are told. */
type Settings = Pick<ExchangeChoice, "window" | "barrierEvery">;
type Make = (lanes: Lanes, settings: Settings) => Discipline;

const MAKE: Readonly<Record<DisciplineName, Make>> = {
  eager: (lanes) => new Eager(lanes),
  interleaved: (lanes) => new Interleaved(lanes),
  random: (lanes) => new RandomOrder(lanes),
  "cyclic-shift": (lanes) => new CyclicShift(lanes),
  barrier: (lanes) => new Barriers(lanes),
  token: (lanes, { barrierEvery }) => new Token(lanes, barrierEvery),
  "request-token": (lanes) => new RequestToken(lanes),
  dynamic: (lanes, { window }) => new Dynamic(lanes, window),
  static: (lanes) => new Static(lanes),
  "iterative-matching": (lanes) => new IterativeMatching(lanes),
};

export const makeDiscipline = (name: DisciplineName, lanes: Lanes, settings: Settings): Discipline =>
  MAKE[name](lanes, settings);
