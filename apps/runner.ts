/**
 * What the programs after TRAM's thesis have in common: options, time, check and report, the same on threads, on the nodes of
 * `mpirun` and on virtual PEs. So they await, and take the time from `pe.now`, which is virtual in the simulator.
 *
 *     tundish run stream.js -n 4 -- --messages 1000
 *     mpirun -n 2 tundish run stream.js -n 2 -- --messages 1000
 *     tundish simulate stream.js --pes 64 --nodes 4 --args '["--messages","10"]'
 *
 * Source of the programs: V. Narayanan, "Generalizing fine-grained message aggregation" (2020), the thesis on TRAM, chapter 5.
 */
import type { PE, Spmd } from "tundish";
import type { ConveyorOptions } from "tundish/conveyor";
import {
  ArgumentsError,
  CONVEYOR_OPTIONS,
  conveyorOptions,
  dashed,
  flag,
  type Options,
  oneOf,
  program,
  read,
  type Values,
  whole,
} from "./options.ts";

const COMMON = {
  seed: whole(1, 0, 2 ** 32),
  aggregate: oneOf("on", "off"),
  ...CONVEYOR_OPTIONS,
  spoil: flag,
};

/** What a program is told beside its own options. */
export interface Common {
  readonly seed: number;
  /** Whether one result is falsified before the check, to show that the check fails. */
  readonly spoil: boolean;
  /** Options of a conveyor of items of one size. `--aggregate off`: type trivial, which sends every item by itself. */
  readonly rigid: ConveyorOptions;
  /**
   * Options of an elastic conveyor, of messages of at least {@link LEAST_BYTES}. `--aggregate off`: one hop and a cutoff of 0, so that
   * each message leaves at once.
   */
  readonly elastic: ConveyorOptions;
}

/** Bytes of the smallest message of an elastic conveyor. */
export const LEAST_BYTES = 2;

/** What one PE has to say of its run. */
export interface Part {
  /** See {@link timed}. */
  readonly seconds: number;
  /** Messages that this PE has pushed, and their bytes. */
  readonly messages: number;
  readonly bytes: number;
  /** Buffers that it has sent for them: `buffers` of the conveyors' stats. */
  readonly buffers: number;
  /** A sum that the results of all PEs make; the same whatever the options of conveyors. */
  readonly checksum: number;
  readonly errors: number;
  /** More for the report, which PE 0 says for all. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/**
 * The report of a program: one line of `tundish run`, or one object of its JSON. It also has the program's own options, those of
 * conveyors that were given, and {@link Part.more}.
 */
export interface AppReport {
  readonly app: string;
  readonly pes: number;
  readonly aggregate: "on" | "off";
  readonly seconds: number;
  readonly messages: number;
  readonly messagesPerSecond: number;
  readonly payloadBytes: number;
  /** 1e9 bytes pushed per second, at all PEs. */
  readonly gigabytesPerSecond: number;
  /** Buffers sent, by all PEs and over all hops: as many as messages, or more, without aggregation. */
  readonly buffers: number;
  readonly checksum: number;
  readonly errors: number;
  readonly [more: string]: unknown;
}

/**
 * A program of all PEs.
 * @param options its own, beside those of all
 * @param main runs it; afterwards its errors are added up over all PEs, and a run with any ends with an Error
 */
export function app<const O extends Options>(
  name: string,
  options: O,
  main: (pe: PE, told: Values<O> & Common) => Promise<Part>,
): Spmd {
  const known = { ...options, ...COMMON };
  return program(name, known, async (pe, args): Promise<AppReport | undefined> => {
    const own = read(args, known);
    const { aggregate, seed, spoil } = own as Values<typeof COMMON>;
    const common = { seed, spoil, ...conveyorsOf(own as Values<typeof COMMON>) };
    const part = await main(pe, { ...(own as Values<O>), ...common });
    const sums = Float64Array.of(part.messages, part.bytes, part.buffers, part.checksum, part.errors);
    await pe.allreduceAsync(sums, "sum");
    const [messages, bytes, buffers, checksum, errors] = sums;
    const seconds = await pe.allreduceAsync(part.seconds, "max");
    if (errors > 0) {
      throw new Error(`${name}: errors = ${errors}, of ${messages} messages, at ${pe.size} PEs`);
    }
    if (pe.rank > 0) return undefined;
    const rate = (amount: number) => (seconds > 0 ? amount / seconds : 0);
    const shown = Object.keys(options).map((key) => [key, own[key as keyof typeof own]]);
    return {
      app: name,
      pes: pe.size,
      ...Object.fromEntries(shown),
      aggregate,
      ...conveyorOptions(own),
      ...part.more,
      seconds: Number(seconds.toPrecision(4)),
      messages,
      messagesPerSecond: Math.round(rate(messages)),
      payloadBytes: bytes,
      gigabytesPerSecond: Number((rate(bytes) / 1e9).toFixed(4)),
      buffers,
      checksum: checksum % 2 ** 32,
      errors,
    };
  });
}

/** What decides when a buffer is sent, how many messages it has, and which way they go together: without aggregation that is known. */
const OF_AGGREGATION = [
  ...(["type", "bufferBytes", "adapt", "hops", "groupSize", "mesh"] as const),
  ...(["threshold", "cutoff", "maxDelay", "maxBufferedBytes"] as const),
];

/** The options of the conveyors of a run. */
function conveyorsOf(values: Values<typeof COMMON>): Pick<Common, "rigid" | "elastic"> {
  const given = conveyorOptions(values);
  if (values.aggregate === "on") return { rigid: given, elastic: given };
  const name = OF_AGGREGATION.find((one) => given[one] !== undefined);
  if (name !== undefined) {
    throw new ArgumentsError(
      `--aggregate off: sends every message by itself, in one hop, so ${dashed(name)} has nothing to decide; leave one of them out`,
    );
  }
  return { rigid: { ...given, type: "trivial" }, elastic: { ...given, hops: 1, cutoff: 0 } };
}

/** Seconds that `body` took, from a barrier on. */
export async function timed(pe: PE, body: () => Promise<void>): Promise<number> {
  await pe.barrierAsync();
  const began = pe.now;
  await body();
  return (pe.now - began) / 1e9;
}

/** Computes for so many ns: a loop on a real PE, declared time on a virtual one. */
export function busy(pe: PE, ns: number): void {
  const end = pe.now + ns;
  pe.work(ns);
  while (pe.now < end);
}

/** A PE computes for no longer than this without an advance, ns, but for one gap. */
const TURN_NS = 20_000;

/** Computes before each message: the option `--gap`. */
export class Pace {
  readonly #pe: PE;
  readonly #gap: number;
  /** The messages before this one have waited for their gaps. */
  #due = 0;
  #until = 0;

  /** @param gap ns, in the mean; 0: not at all */
  constructor(pe: PE, gap: number) {
    this.#pe = pe;
    this.#gap = gap;
  }

  /** After an advance. */
  begin(): void {
    if (this.#gap > 0) this.#until = this.#pe.now + TURN_NS;
  }

  /** Computes before message i, once; false if an advance is due first. @param draw of this gap, a multiple of the mean */
  before(i: number, draw?: (i: number) => number): boolean {
    if (this.#gap === 0) return true;
    if (this.#pe.now >= this.#until) return false;
    if (this.#due === i) {
      busy(this.#pe, this.#gap * (draw?.(i) ?? 1));
      this.#due++;
    }
    return true;
  }
}

/** All PEs but this one, the next one first; a PE that is alone sends to itself. */
export const others = (pe: PE): number[] =>
  pe.size === 1 ? [0] : Array.from({ length: pe.size - 1 }, (_, i) => (pe.rank + 1 + i) % pe.size);
