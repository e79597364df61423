/**
 * The virtual machine: PEs that run in virtual time, one after another in one thread, in an order that the seed
 * determines.
 *
 * It is a discrete-event simulation. A PE is a generator; it runs until it yields, and its work in between advances its
 * own clock. If it made progress, it is resumed at once. If not, it polls again later, at increasing intervals, or as
 * soon as a message arrives for it. So a waiting PE costs almost nothing, and thousands can be simulated.
 *
 * Limits: all work of a PE between two yields happens at one moment, so interleavings of single pushes and pulls are
 * not simulated. PEs affect each other only through buffers, votes and oversized items, each of which has a delay of
 * its own. The user's own computation counts only if it is declared (pe.work).
 */
import { RankLostError, TimeoutError, type TundishError } from "../base/errors.ts";
import { shortText } from "../base/short-text.ts";
import { type NodeLayout, oneNode } from "../conveyor/geometry/choice.ts";
import { lineOf } from "../plan/network.ts";
import { leavingError, Sessions } from "../transport/underway.ts";
import { VirtualMemory } from "./memory.ts";
import { Network } from "./network/network.ts";
import type { Settings } from "./options.ts";
import { Timeline } from "./time/timeline.ts";

/** Pause of a PE without work, ns: the first, and the longest, which is that of a thread. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 1e6;
/** Time after which the other PEs learn of a crash, ns. */
const NEWS_OF_CRASH = 10_000;
/** Events per PE that may still happen when the world has ended, so that programs see the end but cannot run on. */
const LAST_EVENTS = 1000;
/** Number of PEs that a message names. */
const NAMED = 8;

/** One PE of the virtual machine. */
export class VirtualPE {
  readonly rank: number;
  readonly node: number;
  readonly nodeRank: number;
  /** Its virtual time, ns. */
  clock = 0;
  /** Set by every operation that makes progress. */
  moved = false;
  /** Whether the program has ended. */
  over = false;
  crashed = false;
  stalledUntil = 0;
  program: Generator<void, unknown, void> | null = null;
  readonly sessions: Sessions = new Sessions();
  result: unknown;
  /** Number of the latest scheduled resumption; earlier ones are ignored. */
  plan = 0;
  resumesAt = 0;
  pause: number = FIRST_PAUSE;

  constructor(rank: number, nodeSize: number) {
    this.rank = rank;
    this.node = Math.floor(rank / nodeSize);
    this.nodeRank = rank % nodeSize;
  }
}

export class VirtualMachine {
  readonly settings: Settings;
  readonly memory: VirtualMemory;
  readonly pes: readonly VirtualPE[];
  /** The error that ended the world. */
  termination: TundishError | null = null;
  /** Number of events so far. */
  events = 0;
  /** The domains of near PEs: those of a node, and the domains of its machine. */
  readonly levels: readonly Int32Array[];
  /** What conveyors' choices depend on. */
  readonly nodeLayout: NodeLayout;
  /** Number of PEs whose program has ended. */
  finished = 0;
  /** null if it cannot be congested. */
  readonly network: Network | null;
  readonly #timeline: Timeline;
  /** By node: when it can receive the next message, where there is no such network. */
  readonly #receives: Float64Array;

  constructor(settings: Settings) {
    this.settings = settings;
    this.memory = new VirtualMemory(settings.memoryBytes);
    const { seed, jitter, nodes, nodeSize, network } = settings;
    this.#timeline = new Timeline(seed, jitter);
    this.#receives = new Float64Array(nodes);
    this.levels = settings.levels;
    this.nodeLayout = { ...oneNode(settings.levels), nodeSize };
    const pes = Array.from({ length: settings.pes }, (_, rank) => new VirtualPE(rank, nodeSize));
    this.pes = pes;
    const { congestion } = network;
    this.network =
      congestion === null
        ? null
        : new Network(this.#timeline, network, congestion, nodes, (pe) => pes[pe].stalledUntil);
  }

  /** A random number from 0 to 1, determined by the seed. */
  random(): number {
    return this.#timeline.random();
  }

  /** A delay with jitter. */
  delay(ns: number): number {
    return this.#timeline.delay(ns);
  }

  /** A pause with jitter. A pause is no cost, so it is at most doubled. */
  #pauseLength(ns: number): number {
    return ns * (1 + Math.min(1, this.settings.jitter) * this.random());
  }

  /** Schedules an event. */
  at(time: number, run: () => void): void {
    this.#timeline.at(time, run);
  }

  /** Runs programs to their ends. @throws the error that ended the world, if any */
  run(start: (pe: VirtualPE) => Generator<void, unknown, void>): void {
    const { settings, pes } = this;
    for (const pe of pes) {
      pe.program = start(pe);
      this.#plan(pe, this.delay(settings.costs.advance));
    }
    for (const { pe, at, kind, lasting = 1e6 } of settings.faults) {
      this.at(at, () => (kind === "crash" ? this.#crash(pes[pe]) : this.#stall(pes[pe], lasting)));
    }
    let left = LAST_EVENTS * pes.length;
    while (this.finished < pes.length && left > 0) {
      const event = this.#timeline.next();
      if (event === undefined) break;
      this.events++;
      if (this.termination !== null) left--;
      else if (event.time > settings.timeout) this.#tooLong();
      event.run();
    }
    if (this.termination !== null) throw this.termination;
  }

  /** The largest virtual time of all PEs, ns. */
  get time(): number {
    return this.pes.reduce((latest, { clock }) => Math.max(latest, clock), 0);
  }

  /** Ends the world with this error, unless it has ended already. */
  end(error: TundishError): void {
    if (this.termination !== null) return;
    this.termination = error;
    for (const pe of this.pes) this.wake(pe, this.#timeline.now);
  }

  /** Ends the world with what a PE has thrown; the error that ended it is no new one when a PE rethrows it. */
  threw(pe: VirtualPE, error: unknown): void {
    if (this.termination !== null && this.termination === error) return;
    this.end(new RankLostError(pe.rank, `PE ${pe.rank} threw ${shortText(error)}`, { cause: error }));
  }

  /** A message has arrived for a PE: if it is pausing, it is resumed now. */
  wake(pe: VirtualPE, time: number): void {
    if (!pe.over && time < pe.resumesAt) this.#plan(pe, time);
  }

  /**
   * Sends a message of `bytes` bytes now, which advances the sender's clock, and calls `deliver` when it arrives.
   * @param times arrival times by link; messages of the same `link` arrive in the order in which they were sent
   */
  send(
    from: VirtualPE,
    to: VirtualPE,
    bytes: number,
    deliver: (time: number) => void,
    times: Float64Array | null = null,
    link = 0,
  ): void {
    if (this.network !== null && from.node !== to.node) {
      from.clock += this.delay(this.settings.costs.byte * bytes + DEFAULT_COST);
      const sent = { from: from.node, to: to.node, pe: to.rank, bytes, deliver, times, link };
      this.network.send(sent, from.clock);
      return;
    }
    let time = this.#arrival(from, to, bytes);
    // a link keeps its order for any delays; the times must differ, as events at the same time are ordered at random
    if (times !== null) {
      time = Math.max(time, times[link] + 1);
      times[link] = time;
    }
    this.at(time, () => deliver(time));
  }

  /** When a message that is sent now arrives, where nothing but its receiver is shared. */
  #arrival(from: VirtualPE, to: VirtualPE, bytes: number): number {
    const { send, network, costs } = this.settings;
    if (from.node === to.node) {
      from.clock += this.delay(send === null ? DEFAULT_COST : send[from.nodeRank][to.nodeRank]);
      return from.clock + this.delay(costs.byte * bytes);
    }
    from.clock += this.delay(costs.byte * bytes + DEFAULT_COST);
    const { alpha, beta } = lineOf(network, bytes);
    const arrival = from.clock + this.delay(alpha + beta * bytes);
    const done = Math.max(arrival, this.#receives[to.node]) + this.delay(network.receiver);
    this.#receives[to.node] = done;
    return done;
  }

  /** Time for which `to` is busy receiving a message, ns. */
  receiving(from: VirtualPE, to: VirtualPE): number {
    const { receive } = this.settings;
    if (from.node !== to.node || receive === null) return this.delay(DEFAULT_COST);
    return this.delay(receive[from.nodeRank][to.nodeRank]);
  }

  /** Time from the last PE's vote to the result, ns: up and down a tree over the nodes and one in the node. */
  voting(): number {
    const { nodes, nodeSize, network } = this.settings;
    const inside = 2 * Math.ceil(Math.log2(nodeSize)) * 2 * DEFAULT_COST;
    const between = 2 * Math.ceil(Math.log2(nodes)) * (network.alpha + network.receiver);
    return this.delay(inside + between);
  }

  #plan(pe: VirtualPE, time: number): void {
    const plan = ++pe.plan;
    pe.resumesAt = time;
    this.at(time, () => {
      if (pe.plan === plan) this.#resume(pe);
    });
  }

  #resume(pe: VirtualPE): void {
    if (pe.over || pe.program === null) return;
    pe.resumesAt = 0;
    if (pe.stalledUntil > this.#timeline.now) {
      this.#plan(pe, pe.stalledUntil);
      return;
    }
    pe.clock = Math.max(pe.clock, this.#timeline.now);
    pe.moved = false;
    try {
      const { done, value } = pe.program.next();
      pe.clock += this.delay(this.settings.costs.advance);
      if (done) {
        pe.result = value;
        this.#finish(pe);
        const error = leavingError(pe.rank, pe.sessions);
        if (error !== null) this.end(error);
        return;
      }
    } catch (error) {
      this.#finish(pe);
      this.threw(pe, error);
      return;
    }
    if (pe.moved) pe.pause = FIRST_PAUSE;
    else pe.pause = Math.min(2 * pe.pause, LONGEST_PAUSE);
    this.#plan(pe, pe.moved ? pe.clock : pe.clock + this.#pauseLength(pe.pause));
  }

  #finish(pe: VirtualPE): void {
    pe.over = true;
    this.finished++;
    // PEs that wait for it check whether it may leave
    for (const other of this.pes)
      if (!other.over && other.pause === LONGEST_PAUSE) this.wake(other, this.#timeline.now);
  }

  #crash(pe: VirtualPE): void {
    if (pe.over) return;
    pe.crashed = true;
    this.#finish(pe);
    this.at(this.#timeline.now + NEWS_OF_CRASH, () =>
      this.end(new RankLostError(pe.rank, `PE ${pe.rank} crashed (a fault of the simulation)`)),
    );
  }

  #stall(pe: VirtualPE, lasting: number): void {
    pe.stalledUntil = Math.max(pe.stalledUntil, this.#timeline.now + lasting);
  }

  #tooLong(): void {
    const ranks = this.pes.filter(({ over }) => !over).map(({ rank }) => rank);
    const more = ranks.length > NAMED ? ` and ${ranks.length - NAMED} more` : "";
    this.end(
      new TimeoutError(
        `The simulation took longer than ${this.settings.timeout / 1e6} ms of virtual time (timeout); ` +
          `not finished: PE ${ranks.slice(0, NAMED).join(", ")}${more}`,
      ),
    );
  }
}

/** Cost of a message to its sender and to its receiver within a node without a model, ns. */
const DEFAULT_COST = 50;
