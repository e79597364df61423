/** simulate(): programs on virtual PEs, with the conveyors that run on real ones. */

import { MismatchError, UsageError } from "../base/errors.ts";
import { shortText } from "../base/short-text.ts";
import type { ElasticAnswer } from "../conveyor/belts/elastic-bi.ts";
import type { Answer } from "../conveyor/belts/rigid-bi.ts";
import {
  type BiconveyorOptions,
  biParts,
  type ConveyorContext,
  elasticBiParts,
  elasticFrameFor,
  frameFor,
} from "../conveyor/front/make.ts";
import type { ConveyorOptions } from "../conveyor/geometry/options.ts";
import type { ItemType } from "../item/types.ts";
import {
  SimulatedBiconveyor,
  SimulatedConveyor,
  SimulatedElasticBiconveyor,
  SimulatedElasticConveyor,
} from "./conveyors.ts";
import { VirtualMachine, type VirtualPE } from "./machine.ts";
import { type SimulationOptions, settle } from "./options.ts";
import { SharedConveyor, SimulatedSite } from "./site.ts";

/** A program for virtual PEs: whatever waits is called with `yield*`. */
export type SimulatedProgram<Result = unknown, Args = unknown> = (
  pe: SimulatedPE,
  args: Args,
) => Generator<void, Result, void>;

/** What one hop of a conveyor has carried, over all PEs and sessions. */
export interface SimulatedHop {
  /** Buffers sent. */
  readonly messages: number;
  /** Bytes in them, tags included, after compression. */
  readonly bytes: number;
  /** Items in them. */
  readonly items: number;
  /** Of the messages, those between nodes. */
  readonly remoteMessages: number;
  /** Of the bytes, those between nodes. */
  readonly remoteBytes: number;
  /** Bytes of the buffers that one PE had in use at once, at most; as they lie in memory. */
  readonly peakBufferBytes: number;
  /** How many buffers those were. */
  readonly peakBuffers: number;
}

/** What one conveyor has carried. */
export interface SimulatedTraffic {
  /** By hop, in order. */
  readonly hops: readonly SimulatedHop[];
}

/** What came out of a simulation. */
export interface SimulationResult<Result = unknown> {
  /** Name and version of this document. */
  readonly schema: "tundish/simulation@1";
  /** What each PE's program returned, by rank. */
  readonly results: readonly Result[];
  /** Virtual time until the last PE had ended, ns. */
  readonly time: number;
  /** By conveyor, in the order in which they were made. */
  readonly conveyors: readonly SimulatedTraffic[];
  /** Bytes of buffers in use at once, at all PEs together, at most. */
  readonly peakBytes: number;
  /** Events that were simulated. */
  readonly events: number;
  /** The seed that it was run with. */
  readonly seed: number;
}

/** A virtual PE, as its program sees it. */
export class SimulatedPE {
  /** This PE's rank. */
  readonly rank: number;
  /** Number of PEs. */
  readonly size: number;
  /** Number of the node that it is on. */
  readonly node: number;
  /** Number of nodes. */
  readonly nodes: number;
  /** Its number within its node. */
  readonly nodeRank: number;
  /** Number of PEs on each node. */
  readonly nodeSize: number;
  readonly #machine: VirtualMachine;
  readonly #pe: VirtualPE;
  readonly #context: ConveyorContext;

  /** @internal */
  constructor(machine: VirtualMachine, pe: VirtualPE, context: ConveyorContext) {
    this.#machine = machine;
    this.#pe = pe;
    this.#context = context;
    this.rank = pe.rank;
    this.size = machine.pes.length;
    this.node = pe.node;
    this.nodes = machine.settings.nodes;
    this.nodeRank = pe.nodeRank;
    this.nodeSize = machine.settings.nodeSize;
  }

  /** This PE's virtual time, ns. */
  get now(): number {
    return this.#pe.clock;
  }

  /** Computes for so many ns of virtual time. @throws UsageError for what is no number of 0 or more */
  work(ns: number): void {
    if (!(typeof ns === "number" && ns >= 0 && ns < Number.POSITIVE_INFINITY)) {
      throw new UsageError(`work: expected a number of ns >= 0, got ${shortText(ns)}`);
    }
    this.#pe.clock += ns;
    this.#pe.moved = true;
  }

  /** A random number from 0 to 1 that the seed decides. */
  random(): number {
    return this.#machine.random();
  }

  /**
   * As `PE.conveyor`: all PEs make it, in the same order.
   * @throws UsageError, MismatchError; HeapError when the machine's memory is full
   */
  conveyor<const I extends ItemType>(item: I, options: ConveyorOptions = {}): SimulatedConveyor<I> {
    return new SimulatedConveyor<I>(frameFor(this.#context, item, options), item);
  }

  /** As `PE.elasticConveyor`. @throws as {@link conveyor} */
  elasticConveyor(options: ConveyorOptions = {}): SimulatedElasticConveyor {
    return new SimulatedElasticConveyor(elasticFrameFor(this.#context, options));
  }

  /** As `PE.biconveyor`. @throws as {@link conveyor} */
  biconveyor<const Q extends ItemType, const R extends ItemType>(
    query: Q,
    reply: R,
    answer: Answer<Q, R>,
    options: BiconveyorOptions = {},
  ): SimulatedBiconveyor<Q, R> {
    return new SimulatedBiconveyor<Q, R>(...biParts(this.#context, query, reply, answer, options));
  }

  /** As `PE.elasticBiconveyor`. @throws as {@link conveyor} */
  elasticBiconveyor(answer: ElasticAnswer, options: BiconveyorOptions = {}): SimulatedElasticBiconveyor {
    return new SimulatedElasticBiconveyor(...elasticBiParts(this.#context, answer, options));
  }

  /** Lets the others go on: for loops without a conveyor. */
  *turn(): Generator<void, void, void> {
    yield;
  }
}

/**
 * Runs a program on virtual PEs in virtual time, in one thread. The same seed gives the same run.
 *
 * @throws UsageError for options that cannot be; what ended the virtual world: RankLostError when a PE throws
 *   or crashes, TimeoutError when it takes too long, and what conveyors throw
 */
export function simulate<Result, Args>(
  options: SimulationOptions<Args>,
  program: SimulatedProgram<Result, Args>,
): SimulationResult<Result> {
  const settings = settle(options);
  if (typeof program !== "function") {
    throw new UsageError(
      `simulate: expected a generator function (function* (pe) { … }), got ${shortText(program)}`,
    );
  }
  const machine = new VirtualMachine(settings);
  const shared: SharedConveyor[] = [];
  machine.run((pe) => {
    const running = program(
      new SimulatedPE(machine, pe, contextOf(machine, pe, shared)),
      settings.args as Args,
    );
    if (!isGenerator(running)) {
      const isAsync =
        typeof (running as unknown as Partial<AsyncGenerator> | null)?.[Symbol.asyncIterator] === "function";
      throw new UsageError(
        `simulate: expected a generator function (function* (pe) { … }), got ${isAsync ? "an async" : "a plain"} one`,
      );
    }
    return running;
  });
  const made = shared.filter(({ refusal }) => refusal === null);
  return {
    schema: "tundish/simulation@1",
    results: machine.pes.map(({ result }) => result as Result),
    time: machine.time,
    conveyors: made.map(({ plan, traffic }) => ({
      hops: traffic.map((hop) => ({
        messages: hop.messages,
        bytes: hop.bytes,
        items: hop.items,
        remoteMessages: hop.remoteMessages,
        remoteBytes: hop.remoteBytes,
        peakBufferBytes: hop.peakBuffersOfOne * plan.buffers.bytes,
        peakBuffers: hop.peakBuffersOfOne,
      })),
    })),
    peakBytes: machine.memory.peak,
    events: machine.events,
    seed: settings.seed,
  };
}

/** An async one has next, but no iterator: its result would never come. */
function isGenerator(x: unknown): boolean {
  const { next, [Symbol.iterator]: iterator } = (x ?? {}) as Partial<Generator>;
  return typeof next === "function" && typeof iterator === "function";
}

function contextOf(machine: VirtualMachine, pe: VirtualPE, shared: SharedConveyor[]): ConveyorContext {
  let made = 0;
  return {
    rank: pe.rank,
    size: machine.pes.length,
    levels: () => machine.levels,
    costs: () => machine.settings,
    site(plan, maxBytes) {
      const number = made++;
      shared[number] ??= new SharedConveyor(plan, machine);
      const { plan: first, refusal } = shared[number];
      const { terms } = first;
      if (terms !== plan.terms) {
        const error = new MismatchError(
          `conveyor: another PE has made its conveyor with ${terms}, PE ${pe.rank} with ${plan.terms}. All PEs make ` +
            "their conveyors in the same order, with the same item and options.",
        );
        machine.end(error);
        throw error;
      }
      if (refusal !== null) throw refusal;
      return new SimulatedSite(machine, pe, shared[number], plan, maxBytes);
    },
  };
}
