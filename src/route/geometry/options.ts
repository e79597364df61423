/** The options of conveyors: valid values and checks. What is left open is settled in conveyor-choice.ts. */

import { UsageError } from "../../ground/base/errors.ts";
import { isRecord } from "../../ground/base/names.ts";
import {
  abortSignal,
  checkOptions,
  countable,
  is,
  type OptionField,
  type OptionFields,
  oneOf,
  optionsOf,
  positive,
  truth,
  whole,
} from "../../ground/base/options.ts";
import { DISCIPLINES, type DisciplineName } from "../disciplines/options.ts";
import type { Codec } from "./codec.ts";
import { SENDING_FIELDS, SENDING_NAMES, type SendingOptions } from "./sending.ts";

/** How items are transported: see docs/contract.md. */
export type ConveyorType = "trivial" | "simple" | "tensor";

/** The rule by which a conveyor sends to other nodes: docs/traffic.md. */
export type ConveyorDiscipline = Exclude<DisciplineName, "static">;

/** The options that plans choose. */
export type ConveyorChoices = Pick<
  ConveyorOptions,
  | "type"
  | "hops"
  | "groupSize"
  | "mesh"
  | "bufferBytes"
  | "buffersPerLink"
  | "discipline"
  | "threshold"
  | "cutoff"
  | "maxDelay"
  | "maxBufferedBytes"
>;

/** A document `tundish/plan@1`, as far as conveyors need it; `tundish/plan` has its type. */
export interface PlanOfConveyors {
  readonly schema: "tundish/plan@1";
  readonly conveyors: Readonly<Record<string, { readonly choice: ConveyorChoices }>>;
}

/** Options of a conveyor; the same at all PEs. */
export interface ConveyorOptions extends SendingOptions {
  /**
   * Its name in plans, errors and diagnoses. With dots: a plan without an entry for `a.b` has perhaps one for `a`. The
   * two conveyors of a biconveyor are `NAME.queries` and `NAME.replies`, those of a selector `NAME.MAILBOX`. @default
   * none
   */
  readonly name?: string | undefined;
  /**
   * A plan: a document `tundish/plan@1`, a result of `makePlan`, or choices. Options given beside it come before it,
   * and it before the world's plan: docs/plan.md. @default the world's plan
   */
  readonly plan?:
    | PlanOfConveyors
    | { readonly options: ConveyorChoices; readonly workload?: { readonly rate?: number | undefined } }
    | ConveyorChoices
    | undefined;
  /**
   * `tensor`: buffers are sent as they fill, over one hop or more. `simple`: all PEs exchange their buffers at the
   * same time, over one hop or two. `trivial`: every item is sent by itself; the reference for the others. @default
   * "tensor"
   */
  readonly type?: ConveyorType | undefined;
  /**
   * Largest number of hops: 1 to 3 of a tensor, 1 or 2 of a simple conveyor; fewer if a hop would have no effect.
   * @default 1; on machines with several domains, and on several nodes, see docs/contract.md, Memory
   */
  readonly hops?: 1 | 2 | 3 | undefined;
  /** PEs of a row with 2 and 3 hops; divides their number. @default a node or a measured domain, see grid.ts */
  readonly groupSize?: number | undefined;
  /**
   * A mesh that the PEs form instead of groups, of a tensor: one to 20 sizes whose product is their number, the least
   * dimension first, as in `[3, 5, 7]` for 105 PEs. An item takes a hop along each dimension in which it differs from
   * its destination, the greatest one first. Neighbours along the first dimension are the nearest PEs. Not beside
   * `hops` and `groupSize`. @default none
   */
  readonly mesh?: readonly number[] | undefined;
  /** Bytes of a buffer. @default 16384, with messages by MPI 131072; less with many PEs or a small `maxBytes` */
  readonly bufferBytes?: number | undefined;
  /** Buffers of each link: one is filled while the others are in flight. @default 2 */
  readonly buffersPerLink?: 1 | 2 | 4 | undefined;
  /**
   * Which PE may send to which one now, of a tensor: over the hop between groups, which leaves the node; over the
   * first hop of a mesh; or over its only hop. All but
   * `eager` keep a full buffer until it is its turn. @default the plan's choice, else "eager": whatever is full is sent
   */
  readonly discipline?: ConveyorDiscipline | undefined;
  /**
   * How full a buffer becomes before it is sent, and how long an item waits in it, follow the traffic, of a tensor; up
   * to `bufferBytes` and the limits of the other options. What it has come to is in `stats()`. @default false
   */
  readonly adapt?: boolean | undefined;
  /** Pushed items arrive even if no PE ever calls advance(true). @default false */
  readonly steady?: boolean | undefined;
  /** Refused items may be left out: see K4 in docs/contract.md. @default false: advance(true) throws then */
  readonly lossy?: boolean | undefined;
  /** Compresses buffers between groups, or of a mesh's first hop: true for constant bits, or a codec. @default false */
  readonly compress?: boolean | Codec | undefined;
  /** Bytes of the heap for each PE, at most; oversized items share them or are sent one by one. @default no limit */
  readonly maxBytes?: number | undefined;
  /**
   * Approximate number of items that a PE pushes in a session, to PEs drawn from all. Options that are not given are
   * then chosen by a plan for the world's machine: docs/plan.md. @default none: the defaults listed here
   */
  readonly load?: number | undefined;
  /**
   * Items per second that a PE pushes, for the plan of a `load`; with `delayCost`. Buffers are then chosen for the
   * least cost of messages and delays: docs/plan.md. @default not known: as fast as possible
   */
  readonly rate?: number | undefined;
  /** The cost of a delay, for that plan: ns of a PE's time for each ns of an item's delay; >= 0. @default none */
  readonly delayCost?: number | undefined;
  /** Approximate bytes of an item, for the plan of an elastic or value conveyor. @default 64 */
  readonly itemBytes?: number | undefined;
  /** Counts the fill and the latency of buffers at this PE, for `histograms()`. @default false */
  readonly observe?: boolean | undefined;
  /** Limit of a session, ms; beyond it the session ends with a TimeoutError at all PEs. @default no limit */
  readonly timeout?: number | undefined;
  /**
   * Ends the session with an AbortedError at all PEs, at an advance of this PE. A timer of this thread never fires
   * while the thread loops over advance; use `timeout` for that. @default none
   */
  readonly signal?: AbortSignal | undefined;
}

/** Choices whose effect plans do not predict. */
export type Unplanned = Pick<ConveyorOptions, "discipline"> & SendingOptions;
export const UNPLANNED: readonly (keyof Unplanned)[] = ["discipline", ...SENDING_NAMES];

/** Largest number of hops of each type. */
export const MOST_HOPS: Readonly<Record<ConveyorType, number>> = { trivial: 1, simple: 2, tensor: 3 };
/** The same in words, for types that have fewer than a tensor. */
export const hopsText = (type: ConveyorType): string => (MOST_HOPS[type] === 1 ? "one hop" : "one or two hops");

/** The largest buffer. */
export const MAX_BUFFER_BYTES: number = 2 ** 28;

/** The most dimensions of a mesh: 2 x 2 x … of as many PEs as a plan may have. Their tags have up to 31 bits. */
export const MOST_DIMENSIONS: number = 20;
/** The sizes of a mesh, in words. */
export const SIZES: string = `one to ${MOST_DIMENSIONS} sizes`;

const isMesh = (x: unknown): boolean =>
  Array.isArray(x) &&
  x.length >= 1 &&
  x.length <= MOST_DIMENSIONS &&
  // every passes over what is missing
  [...x].every((size) => Number.isSafeInteger(size) && size >= 1);

const isCodec = (x: unknown): x is Codec =>
  typeof (x as Partial<Codec> | null)?.compress === "function" && typeof (x as Codec).decompress === "function";

/** The disciplines of conveyors. */
export const CONVEYOR_DISCIPLINES: readonly string[] = DISCIPLINES.filter((name) => name !== "static");

const discipline = is(
  `one of ${CONVEYOR_DISCIPLINES.map((name) => JSON.stringify(name)).join(", ")} (static needs all sizes before anything is sent)`,
  (x) => CONVEYOR_DISCIPLINES.includes(x as string),
);

/** The check of each option, for those who have them among their own. */
export const CONVEYOR_FIELDS: OptionFields<ConveyorOptions> = {
  name: is("a name other than *", (x) => typeof x === "string" && x !== "" && x !== "*"),
  plan: is("a plan tundish/plan@1, or choices", isRecord),
  type: oneOf(["trivial", "simple", "tensor"]),
  hops: oneOf([1, 2, 3]),
  groupSize: whole(1),
  mesh: is(`an array of one to ${MOST_DIMENSIONS} whole numbers >= 1`, isMesh),
  bufferBytes: whole(1, MAX_BUFFER_BYTES),
  buffersPerLink: oneOf([1, 2, 4]),
  discipline,
  ...SENDING_FIELDS,
  adapt: truth,
  steady: truth,
  lossy: truth,
  compress: is("true, false, or a codec { compress, decompress }", (x) => typeof x === "boolean" || isCodec(x)),
  maxBytes: positive("bytes"),
  load: countable("items"),
  // fewer make times that no number can say
  rate: is("a number of items per second from 1e-6 to 2^53", (x) => typeof x === "number" && x >= 1e-6 && x <= 2 ** 53),
  delayCost: is("a number from 0 to 2^53", (x) => typeof x === "number" && x >= 0 && x <= 2 ** 53),
  itemBytes: countable("bytes"),
  observe: truth,
  timeout: positive("milliseconds"),
  signal: abortSignal,
};
const CONVEYOR = optionsOf<ConveyorOptions>(CONVEYOR_FIELDS);

/**
 * Checks the options of any conveyor.
 * @param name whose options they are, for messages @param schema of those that have more options
 * @throws UsageError for invalid options
 */
export function checkConveyorOptions(
  options: ConveyorOptions,
  name = "conveyor",
  schema: OptionField = CONVEYOR,
): void {
  checkOptions(name, schema, options);
  checkRate(options);
  if (options.rate !== undefined && options.load === undefined) {
    throw new UsageError(
      "rate: expected load beside it, the approximate number of items that a PE pushes in a session, as it is for a plan. Add it, or " +
        "leave out rate and delayCost.",
    );
  }
  const { type = "tensor", hops = 1, compress = false, discipline = "eager" } = options;
  const clash = meshClash(options);
  if (clash !== null) throw new UsageError(`mesh: ${clash}`);
  if (hops > MOST_HOPS[type]) {
    throw new UsageError(
      `hops: a ${type} conveyor has ${hopsText(type)}, got ${hops}. Leave it out, or take type: "tensor".`,
    );
  }
  if (type !== "tensor" && compress !== false) {
    throw new UsageError(`compress: a ${type} conveyor does not compress. Leave it out, or take type: "tensor".`);
  }
  checkDiscipline(type, discipline);
}

/** @throws UsageError for one of a type that sends by a rule of its own */
export function checkDiscipline(type: ConveyorType, discipline: ConveyorDiscipline): void {
  if (type === "tensor" || discipline === "eager") return;
  throw new UsageError(
    `discipline: a ${type} conveyor has none, got "${discipline}". Leave it out, or take type: "tensor".`,
  );
}

/** Why a mesh cannot be beside other choices; null if it can, or if there is none. */
export function meshClash({ type = "tensor", hops, groupSize, mesh }: ConveyorChoices): string | null {
  if (mesh === undefined) return null;
  if (type !== "tensor") {
    return `expected type "tensor" beside it, as a ${type} conveyor has none, got "${type}". Leave one of them out.`;
  }
  if (hops !== undefined) return `expected no hops beside it, which it determines, got ${hops}. Leave one of them out.`;
  if (groupSize === undefined) return null;
  return `expected no groupSize beside it, as it has no groups, got ${groupSize}. Leave one of them out.`;
}

/** @throws UsageError for a rate without the cost of a delay, or the reverse: both decide the buffers' size */
export function checkRate({ rate, delayCost }: Pick<ConveyorOptions, "rate" | "delayCost">): void {
  if ((rate === undefined) === (delayCost === undefined)) return;
  const [there, missing, what] =
    rate === undefined
      ? ["delayCost", "rate", "the items per second that a PE pushes"]
      : ["rate", "delayCost", "the ns of cost for each ns of an item's delay, perhaps 0"];
  throw new UsageError(`${missing}: expected ${what}, beside ${there}, got undefined`);
}

/** As {@link checkConveyorOptions}, where the item type says how long items are. */
export function checkRigidOptions(options: ConveyorOptions, name?: string, schema?: OptionField): void {
  checkConveyorOptions(options, name, schema);
  if (options.itemBytes === undefined) return;
  throw new UsageError(
    "itemBytes: this option is for elastic conveyors; here the item type determines it. Leave it out.",
  );
}

/** As {@link checkConveyorOptions}, for items of any length. */
export function checkElasticOptions(options: ConveyorOptions, name?: string, schema?: OptionField): void {
  checkConveyorOptions(options, name, schema);
  if (options.type !== "trivial") return;
  throw new UsageError('type: an elastic conveyor is "tensor" or "simple", got "trivial"');
}
