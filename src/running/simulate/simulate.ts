/** simulate(): runs programs on virtual PEs, with the same conveyors as on threads. */

import type { ElasticAnswer } from "../../facilities/conveyor/belts/elastic-bi.ts";
import type { Answers } from "../../facilities/conveyor/front/answer-forms.ts";
import {
  type BiconveyorOptions,
  makeBi,
  makeElastic,
  makeElasticBi,
  makeRigid,
} from "../../facilities/conveyor/front/make-conveyor.ts";
import { makeValues, type ValueOptions } from "../../facilities/conveyor/front/make-values.ts";
import { decideExchange } from "../../facilities/exchange/decide.ts";
import { Phases } from "../../facilities/exchange/phases.ts";
import { UsageError } from "../../ground/base/errors.ts";
import type { NeedsArgs } from "../../ground/base/options.ts";
import { isAsync } from "../../ground/base/promise.ts";
import { shortText } from "../../ground/base/short-text.ts";
import type { ItemType } from "../../ground/item/item-type.ts";
import type { Sites } from "../../pe/seat.ts";
import type { ExchangeOptions } from "../../route/disciplines/options.ts";
import type { ConveyorOptions } from "../../route/geometry/options.ts";
import { type ActiveHandler, type ActivePort, newActivePort, SharedPort } from "./active.ts";
import {
  newSimulatedBiconveyor,
  newSimulatedConveyor,
  newSimulatedElasticBiconveyor,
  newSimulatedElasticConveyor,
  newSimulatedValueConveyor,
  type SimulatedBiconveyor,
  type SimulatedConveyor,
  type SimulatedElasticBiconveyor,
  type SimulatedElasticConveyor,
  type SimulatedValueConveyor,
} from "./conveyors.ts";
import { newSimulatedExchange, type SimulatedExchange } from "./exchange.ts";
import { VirtualMachine } from "./machine.ts";
import type { NetworkUse } from "./network/network.ts";
import { type SimulationOptions, settle } from "./options.ts";
import { ConveyorRoom } from "./room.ts";
import type { SharedConveyor } from "./site.ts";
import type { VirtualPE } from "./virtual-pe.ts";

/** A program for virtual PEs; calls that wait are made with `yield*`. */
export type SimulatedProgram<Result = unknown, Args = unknown> = (
  pe: SimulatedPE,
  args: Args,
) => Generator<void, Result, void>;

/** The traffic of one hop of a conveyor, over all PEs and sessions. */
export interface SimulatedHop {
  /** Number of buffers sent. */
  readonly messages: number;
  /** Bytes in them, including tags, after compression. */
  readonly bytes: number;
  /** Items in them. */
  readonly items: number;
  /** Number of messages between nodes. */
  readonly remoteMessages: number;
  /** Number of bytes between nodes. */
  readonly remoteBytes: number;
  /** Largest number of bytes of the buffers of one PE in use at once, as stored in memory. */
  readonly peakBufferBytes: number;
  /** The number of those buffers. */
  readonly peakBuffers: number;
}

/** The traffic of one conveyor. */
export interface SimulatedTraffic {
  /** By hop, in order. */
  readonly hops: readonly SimulatedHop[];
}

/** The result of a simulation. */
export interface SimulationResult<Result = unknown> {
  /** Name and version of this document. */
  readonly schema: "tundish/simulation@1";
  /** The return value of each PE's program, by rank. */
  readonly results: readonly Result[];
  /** Virtual time at which the last PE ended, ns. */
  readonly time: number;
  /** By conveyor, in the order in which they were made. */
  readonly conveyors: readonly SimulatedTraffic[];
  /** The work of the network; only if it can be congested. */
  readonly network?: NetworkUse;
  /** Most bytes in use at once, at all PEs together: buffers; of async programs also arrays and collectives. */
  readonly peakBytes: number;
  /** Number of simulated events. */
  readonly events: number;
  /** The seed of the run. */
  readonly seed: number;
}

/** Makes the face of a virtual PE. */
let newSimulatedPE: (machine: VirtualMachine, pe: VirtualPE, context: Sites, ports: SharedPort[]) => SimulatedPE;

/** A virtual PE, as its program sees it. */
export class SimulatedPE {
  static {
    newSimulatedPE = (machine, pe, context, ports) => new SimulatedPE(machine, pe, context, ports);
  }

  /** This PE's rank. */
  readonly rank: number;
  /** Number of PEs. */
  readonly size: number;
  /** Number of the node that it is on. */
  readonly node: number;
  /** Number of nodes. */
  readonly nodes: number;
  /** Its rank within its node. */
  readonly nodeRank: number;
  /** Number of PEs on each node. */
  readonly nodeSize: number;
  readonly #machine: VirtualMachine;
  readonly #pe: VirtualPE;
  readonly #context: Sites;
  readonly #ports: SharedPort[];
  #madePorts = 0;

  private constructor(machine: VirtualMachine, pe: VirtualPE, context: Sites, ports: SharedPort[]) {
    this.#machine = machine;
    this.#pe = pe;
    this.#context = context;
    this.#ports = ports;
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

  /** Adds `ns` of computation to this PE's virtual time. @throws UsageError unless it is a number >= 0 */
  work(ns: number): void {
    if (!(typeof ns === "number" && ns >= 0 && ns < Number.POSITIVE_INFINITY)) {
      throw new UsageError(`work: expected a number of ns >= 0, got ${shortText(ns)}`);
    }
    this.#pe.clock += ns;
    this.#pe.moved = true;
  }

  /** A random number from 0 to 1, determined by the seed. */
  random(): number {
    return this.#machine.random();
  }

  /** As `PE.conveyor`. Collective, in the same order at all PEs. @throws UsageError, MismatchError; HeapError */
  conveyor<const I extends ItemType>(item: I, options: ConveyorOptions = {}): SimulatedConveyor<I> {
    return newSimulatedConveyor(makeRigid(this.#context, item, options));
  }

  /** As the function `elasticConveyor`. @throws as {@link conveyor} */
  elasticConveyor(options: ConveyorOptions = {}): SimulatedElasticConveyor {
    return newSimulatedElasticConveyor(makeElastic(this.#context, options));
  }

  /** As the function `valueConveyor`. @throws as {@link conveyor} */
  valueConveyor<V = unknown>(options: ValueOptions<V> = {}): SimulatedValueConveyor<V> {
    return newSimulatedValueConveyor(makeValues(this.#context, options));
  }

  /** As the function `biconveyor`. @throws as {@link conveyor} */
  biconveyor<const Q extends ItemType, const R extends ItemType>(
    query: Q,
    reply: R,
    answer: Answers<Q, R>,
    options: BiconveyorOptions = {},
  ): SimulatedBiconveyor<Q, R> {
    return newSimulatedBiconveyor(makeBi(this.#context, query, reply, answer, options));
  }

  /** As the function `elasticBiconveyor`. @throws as {@link conveyor} */
  elasticBiconveyor(answer: ElasticAnswer, options: BiconveyorOptions = {}): SimulatedElasticBiconveyor {
    return newSimulatedElasticBiconveyor(makeElasticBi(this.#context, answer, options));
  }

  /** As the function `exchange`. @throws as {@link conveyor} */
  exchange(options: ExchangeOptions = {}): SimulatedExchange {
    return newSimulatedExchange(new Phases(this.#context, decideExchange(this.#context, options)));
  }

  /**
   * A port for active messages: a few numbers, which `handler` of the receiver answers as soon as they arrive.
   * Collective: all PEs make their ports in the same order. @throws UsageError
   */
  activeMessages(handler: ActiveHandler): ActivePort {
    const ports = this.#ports;
    const number = this.#madePorts++;
    ports[number] ??= new SharedPort();
    return newActivePort(this.#machine, this.#pe, ports[number], handler);
  }

  /** Lets other PEs run, for loops without a conveyor. */
  *turn(): Generator<void, void, void> {
    yield;
  }
}

/**
 * Runs a program on virtual PEs in virtual time, in one thread. The same seed gives the same run.
 *
 * @throws UsageError for invalid options; the error that ended the virtual world: RankLostError if a PE throws or
 *   crashes, TimeoutError if it takes too long, and errors of conveyors
 */
export function simulate<Result, Args>(
  options: SimulationOptions<Args> & NeedsArgs<Args>,
  program: SimulatedProgram<Result, Args>,
): SimulationResult<Result> {
  const settings = settle(options);
  if (typeof program !== "function") {
    const advice = isSpmd(program) ? `a program of spmd(). ${INSTEAD}` : shortText(program);
    throw new UsageError(`simulate: ${GENERATOR}, got ${advice}`);
  }
  const machine = new VirtualMachine(settings);
  const shared: SharedConveyor[] = [];
  const ports: SharedPort[] = [];
  const room = new ConveyorRoom(machine, shared);
  if (isAsync(program)) throw new UsageError(`simulate: ${GENERATOR}, got an async one. ${INSTEAD}`);
  machine.run((pe) => {
    const running = program(newSimulatedPE(machine, pe, room.sites(pe.rank), ports), settings.args as Args);
    if (!isGenerator(running)) {
      const isAsyncGenerator =
        typeof (running as unknown as Partial<AsyncGenerator> | null)?.[Symbol.asyncIterator] === "function";
      throw new UsageError(`simulate: ${GENERATOR}, got ${isAsyncGenerator ? "an async" : "a plain"} one`);
    }
    return running;
  });
  // no PE is in a session, as the run would have thrown
  machine.memory.leave();
  return resultOf(machine, shared);
}

/** The result of a run that has ended. */
export function resultOf<Result>(machine: VirtualMachine, shared: readonly SharedConveyor[]): SimulationResult<Result> {
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
    ...(machine.messages.network === null ? {} : { network: machine.messages.network.use() }),
    peakBytes: machine.memory.peak,
    events: machine.events,
    seed: machine.settings.seed,
  };
}

const GENERATOR = "expected a generator function (function* (pe) { … })";
const INSTEAD = "Run it with: await simulateAsync(options, program)";

/** Whether it is what spmd() returns, which is defined above this folder. */
const isSpmd = (x: unknown): boolean => (x as { kind?: unknown } | null | undefined)?.kind === "tundish.spmd";

/** An async generator has next, but is not iterable by yield*. */
function isGenerator(x: unknown): boolean {
  const { next, [Symbol.iterator]: iterator } = (x ?? {}) as Partial<Generator>;
  return typeof next === "function" && typeof iterator === "function";
}
