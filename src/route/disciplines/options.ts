/** The options of exchanges: valid values, defaults, and checks. */
import { UsageError } from "../../ground/base/errors.ts";
import { isRecord } from "../../ground/base/names.ts";
import {
  abortSignal,
  checkOptions,
  countable,
  is,
  type OptionFields,
  oneOf,
  optionsOf,
  positive,
  whole,
} from "../../ground/base/options.ts";
import { MOST_WINDOW } from "./bookings.ts";
import { MESSAGE_BYTES } from "./packet.ts";

/** The rule that says who may send to whom now: docs/traffic.md. */
export type DisciplineName =
  | "eager"
  | "interleaved"
  | "random"
  | "cyclic-shift"
  | "barrier"
  | "token"
  | "request-token"
  | "dynamic"
  | "static"
  | "iterative-matching";

export const DISCIPLINES: readonly DisciplineName[] = [
  "eager",
  "interleaved",
  "random",
  "cyclic-shift",
  "barrier",
  "token",
  "request-token",
  "dynamic",
  "static",
  "iterative-matching",
];

/** The load of an exchange: what a PE sends in a phase, approximately. */
export interface ExchangeLoad {
  /** Bytes that a PE sends. */
  readonly bytes: number;
  /** Bytes of a block. @default bytes / destinations */
  readonly blockBytes?: number | undefined;
  /** Number of PEs that it sends to. @default all others */
  readonly destinations?: number | undefined;
  /** Bytes of the receiver that gets the most, by the mean of all. @default 1: each gets as much as any other */
  readonly skew?: number | undefined;
}

/** The options that plans choose. */
export type ExchangeChoices = Pick<
  ExchangeOptions,
  "discipline" | "chunkBytes" | "packetBytes" | "buffersPerLink" | "window" | "barrierEvery" | "pace"
>;

/** A document `tundish/plan@1`, as far as exchanges need it; `tundish/plan` has its type. */
export interface PlanOfExchanges {
  readonly schema: "tundish/plan@1";
  readonly exchanges?: Readonly<Record<string, { readonly choice: ExchangeChoices }>> | undefined;
}

/** Options of an exchange; the same at all PEs. */
export interface ExchangeOptions {
  /** Its name in plans, errors and diagnoses; with dots, `a.b` may use the plan of `a`. @default none */
  readonly name?: string | undefined;
  /**
   * A plan: a document `tundish/plan@1`, a result of `makeExchangePlan`, or choices. Options given beside it come
   * before it, and it before the world's plan: docs/plan.md. @default the world's plan
   */
  readonly plan?: PlanOfExchanges | { readonly options: ExchangeChoices } | ExchangeChoices | undefined;
  /**
   * The load of a phase. What is left open of discipline, chunkBytes, window, and pace with its packetBytes is then
   * chosen by a plan for the world's machine: docs/plan.md. @default none: the defaults listed here
   */
  readonly load?: ExchangeLoad | undefined;
  /** @default the plan's choice, else "eager" */
  readonly discipline?: DisciplineName | undefined;
  /** Bytes that a PE sends in one turn, at most. @default 65536 */
  readonly chunkBytes?: number | undefined;
  /**
   * Bytes of a buffer: longer chunks travel in several packets, unless they are in memory that the receiver reads.
   * @default 32768, or chunkBytes if that is less
   */
  readonly packetBytes?: number | undefined;
  /** Buffers of each lane. @default 4, or 2 under disciplines that let several PEs send to one: docs/traffic.md */
  readonly buffersPerLink?: 1 | 2 | 4 | undefined;
  /** Of dynamic scheduling, no other discipline: rounds ahead that can be booked, 1 to 31. @default 31 */
  readonly window?: number | undefined;
  /**
   * Of tokens and dynamic scheduling, no other discipline: rounds from one barrier to the next; 0 for no barriers.
   * @default 0 of tokens, 1 of dynamic scheduling
   */
  readonly barrierEvery?: number | undefined;
  /**
   * A PE sends no more bytes per second, heads of packets included: as many as receivers take (bandwidth matching). A
   * late packet is made up for: within a phase it may be one packet more. @default no limit
   */
  readonly pace?: number | undefined;
  /** Limit of a phase, ms; beyond it the phase ends with a TimeoutError at all PEs. @default no limit */
  readonly timeout?: number | undefined;
  /** Ends the phase with an AbortedError at all PEs. @default none */
  readonly signal?: AbortSignal | undefined;
}

/** The largest chunk, and the largest packet. */
export const MAX_CHUNK_BYTES: number = 2 ** 28;

/** The check of a load. */
export const LOAD_FIELDS: OptionFields<ExchangeLoad> = {
  bytes: countable("bytes"),
  blockBytes: countable("bytes"),
  destinations: countable("PEs"),
  skew: is("a number >= 1", (x) => Number.isFinite(x) && (x as number) >= 1),
};

/** The check of plans' choices. */
export const EXCHANGE_CHOICES: OptionFields<ExchangeChoices> = {
  discipline: oneOf(DISCIPLINES),
  chunkBytes: whole(1, MAX_CHUNK_BYTES),
  packetBytes: whole(1, MAX_CHUNK_BYTES),
  buffersPerLink: oneOf([1, 2, 4]),
  window: whole(1, MOST_WINDOW),
  barrierEvery: whole(0),
  pace: positive("bytes per second"),
};

export const EXCHANGE_FIELDS: OptionFields<ExchangeOptions> = {
  name: is("a name other than *", (x) => typeof x === "string" && x !== "" && x !== "*"),
  plan: is("a plan tundish/plan@1, or choices", isRecord),
  load: optionsOf<ExchangeLoad>(LOAD_FIELDS, ["bytes"]),
  ...EXCHANGE_CHOICES,
  timeout: positive("milliseconds"),
  signal: abortSignal,
};
const EXCHANGE = optionsOf<ExchangeOptions>(EXCHANGE_FIELDS);

/** @throws UsageError for invalid options */
export const checkExchangeOptions = (options: ExchangeOptions): void => checkOptions("exchange", EXCHANGE, options);

type OfSome = "window" | "barrierEvery";
/** Choices that some disciplines alone use: what they are, and by whom. */
const OF_SOME: Readonly<Record<OfSome, readonly [string, ...DisciplineName[]]>> = {
  window: ["the rounds ahead that can be booked", "dynamic"],
  barrierEvery: ["the rounds from one barrier to the next", "token", "dynamic"],
};

/** Names of the choices that are made, but of no use to this discipline. */
export const unusedBy = (discipline: DisciplineName, choices: ExchangeChoices): OfSome[] =>
  (Object.keys(OF_SOME) as OfSome[]).filter(
    (name) => choices[name] !== undefined && !OF_SOME[name].includes(discipline),
  );

/** @param choices those that were asked for @throws UsageError if one of them is of no use to the discipline */
export function checkUsed(choices: ExchangeChoices, discipline: DisciplineName): void {
  const [name] = unusedBy(discipline, choices);
  if (name === undefined) return;
  const [what, ...some] = OF_SOME[name];
  const those = some.map((one) => `"${one}"`).join(" or ");
  throw new UsageError(
    `${name}: expected discipline ${those} beside ${what}, got ${choices[name]} with discipline ` +
      `"${discipline}"${choices.discipline === undefined ? ", the default" : ""}. Leave ${name} out, or take discipline: ${those}.`,
  );
}

/** The options with all defaults filled in. */
export interface ExchangeChoice {
  readonly discipline: DisciplineName;
  readonly chunkBytes: number;
  readonly packetBytes: number;
  readonly buffersPerLink: 1 | 2 | 4;
  readonly window: number;
  /** 0 for none; of no other than tokens and dynamic. */
  readonly barrierEvery: number;
  /** Bytes per second. */
  readonly pace: number;
}

/** Bytes of a turn when nothing is said. */
export const CHUNK_BYTES: number = 65_536;
/** Rounds that can be booked when nothing is said. */
export const DEFAULT_WINDOW: number = MOST_WINDOW;
/** Those that keep nobody from sending. All that is under way to one receiver must fit into its links. */
const CROWDING: readonly DisciplineName[] = ["eager", "interleaved", "random", "cyclic-shift"];

export function exchangeChoice(options: ExchangeOptions): ExchangeChoice {
  const { discipline = "eager", chunkBytes = CHUNK_BYTES } = options;
  const { packetBytes = Math.min(chunkBytes, MESSAGE_BYTES), window = DEFAULT_WINDOW } = options;
  const { buffersPerLink = CROWDING.includes(discipline) ? 2 : 4 } = options;
  const { barrierEvery = discipline === "dynamic" ? 1 : 0, pace = Number.POSITIVE_INFINITY } = options;
  return { discipline, chunkBytes, packetBytes, buffersPerLink, window, barrierEvery, pace };
}
