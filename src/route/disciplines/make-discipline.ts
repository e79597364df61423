/** The disciplines by name. */
import { Barriers, CyclicShift } from "./cyclic-shift.ts";
import type { Discipline, Lanes } from "./discipline.ts";
import { Dynamic } from "./dynamic.ts";
import { DynamicTokens } from "./dynamic-tokens.ts";
import { Eager } from "./eager.ts";
import { Interleaved } from "./interleaved.ts";
import { IterativeMatching } from "./iterative-matching.ts";
import type { DisciplineName, ExchangeChoice } from "./options.ts";
import { RandomOrder } from "./random-order.ts";
import { RequestToken } from "./request-token.ts";
import { Static } from "./static.ts";
import { Token } from "./token.ts";

/** Parameters of some disciplines. */
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
  dynamic: (lanes, { window, barrierEvery: every }) =>
    every === 1 ? new Dynamic(lanes, window) : new DynamicTokens(lanes, window, every),
  static: (lanes) => new Static(lanes),
  "iterative-matching": (lanes) => new IterativeMatching(lanes),
};

export const makeDiscipline = (name: DisciplineName, lanes: Lanes, settings: Settings): Discipline =>
  MAKE[name](lanes, settings);
