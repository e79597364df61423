/**
 * The virtual machine: PEs that run in virtual time, one after another in one thread, in an order that the seed
 * determines.
 *
 * It is a discrete-event simulation. A PE is a generator, or an async function (awaiting.ts); it runs until it yields, and its work in between advances its
 * own clock. If it made progress, it is resumed at once. If not, it polls again later, at increasing intervals, or as
 * soon as a message arrives for it. So a waiting PE costs almost nothing, and thousands can be simulated.
 *
 * Limits: all work of a PE between two yields happens at one moment, so interleavings of single pushes and pulls are
 * not simulated. PEs affect each other only through buffers, votes and oversized items, each of which has a delay of
 * its own. The user's own computation counts only if it is declared (pe.work).
 */
import { deserialize, serialize } from "node:v8";
import { RankLostError, type TundishError } from "../base/errors.ts";
import { shortText } from "../base/short-text.ts";
import { lineOf, votingOver } from "../plan/network.ts";
import { leavingError } from "../transport/underway.ts";
import type { AwaitingProgram } from "./awaiting.ts";
import { VirtualMemory } from "./memory.ts";
import { Network } from "./network/network.ts";
import type { Settings } from "./options.ts";
import { stuck, tooLong } from "./stuck.ts";
import { Timeline } from "./time/timeline.ts";
import { FIRST_PAUSE, VirtualPE } from "./virtual-pe.ts";

/** Longest pause of a PE without work, ns: that of a thread. */
const LONGEST_PAUSE = 1e6;
/** Time after which the other PEs learn of a crash, ns. */
const NEWS_OF_CRASH = 10_000;
/** Events per PE that may still happen when the world has ended, so that programs see the end but cannot run on. */
const LAST_EVENTS = 1000;

/** What goes from one PE to another in order. */
export interface VirtualLine {
  /** When the last of it arrives, ns. */
  arrivesAt: number;
}

export class VirtualMachine {
  readonly settings: Settings;
  readonly memory: VirtualMemory;
  readonly pes: readonly VirtualPE[];
  /** The error that ended the world. */
  termination: TundishError | null = null;
  /** Number of events so far. */
  events = 0;
  /** Number of PEs whose program has ended. */
  finished = 0;
  /** null if it cannot be congested. */
  readonly network: Network | null;
  /** Called when the world has ended. */
  onEnd: () => void = () => {};
  /** Called when nothing will happen any more and PEs still wait: the reason, if it is known. */
  whyStuck: () => TundishError | null = () => null;
  /** A PE whose awaiting program runs now. */
  #stirred: VirtualPE | null = null;
  readonly #timeline: Timeline;
  /** By node: when it can receive the next message, where there is no such network. */
  readonly #receives: Float64Array;

  constructor(settings: Settings) {
    this.settings = settings;
    this.memory = new VirtualMemory(settings.memoryBytes);
    const { seed, jitter, nodes, nodeSize, network } = settings;
    this.#timeline = new Timeline(seed, jitter);
    this.#receives = new Float64Array(nodes);
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

  /** The time of the event that runs, ns. */
  get now(): number {
    return this.#timeline.now;
  }

  /** Runs generators to their ends. @throws the error that ended the world, if any */
  run(start: (pe: VirtualPE) => Generator<void, unknown, void>): void {
    for (const pe of this.pes) pe.program = start(pe);
    this.#steps().next();
  }

  /** Runs awaiting programs to their ends. @throws the error that ended the world, if any */
  async runAsync(start: (pe: VirtualPE) => AwaitingProgram): Promise<void> {
    for (const pe of this.pes) pe.awaiting = start(pe);
    for (const program of this.#steps()) await program.settled(() => this.termination !== null);
  }

  /** The events; after each in which an awaiting program has run on, the caller waits until it has settled. */
  *#steps(): Generator<AwaitingProgram, void, void> {
    const { settings, pes } = this;
    for (const pe of pes) this.#plan(pe, this.delay(settings.costs.advance));
    for (const { pe, at, kind, lasting = 1e6 } of settings.faults) {
      this.at(at, () => (kind === "crash" ? this.#crash(pes[pe]) : this.#stall(pes[pe], lasting)));
    }
    let left = LAST_EVENTS * pes.length;
    while (this.finished < pes.length && left > 0) {
      const event = this.#timeline.next();
      if (event === undefined) {
        if (this.termination !== null) break;
        this.end(this.whyStuck() ?? stuck(this));
        continue;
      }
      this.events++;
      if (this.termination !== null) left--;
      else if (event.time > settings.timeout) this.end(this.whyStuck() ?? tooLong(this));
      event.run();
      const stirred = this.#stirred;
      if (stirred !== null) {
        this.#stirred = null;
        const awaiting = stirred.awaiting as AwaitingProgram;
        yield awaiting;
        // what it waits for now may be there already
        stirred.moved = true;
        this.#afterTurn(stirred, awaiting);
      }
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
    this.onEnd();
    for (const pe of this.pes) this.wake(pe, this.#timeline.now);
  }

  /** Ends the world with what a PE has thrown; the error that ended it is no new one when a PE rethrows it. */
  threw(pe: VirtualPE, error: unknown): void {
    if (this.termination !== null && this.termination === error) return;
    this.end(new RankLostError(pe.rank, `PE ${pe.rank} threw ${shortText(error)}`, { cause: error }));
  }

  /**
   * A message has arrived for a PE: if it is pausing, it is resumed now, but an awaiting one not before its work is over; if it
   * runs, it looks again before it waits.
   */
  wake(pe: VirtualPE, time: number): void {
    if (pe.over) return;
    const ready = pe.awaiting === null ? time : Math.max(time, pe.clock);
    if (pe.resumesAt === 0) pe.woken = true;
    else if (ready < pe.resumesAt) this.#plan(pe, ready);
  }

  /**
   * Sends a message of `bytes` bytes now, which advances the sender's clock, and calls `deliver` when it arrives.
   * @param times arrival times by link; messages of the same `link` arrive in the order in which they were sent
   * @param onInjected called when all of it has entered a network that can be congested
   * @returns when it leaves the sender's node; Infinity if `onInjected` says that
   */
  send(
    from: VirtualPE,
    to: VirtualPE,
    bytes: number,
    deliver: (time: number) => void,
    times: Float64Array | null = null,
    link = 0,
    onInjected?: (time: number) => void,
  ): number {
    if (this.network !== null && from.node !== to.node) {
      from.clock += this.delay(this.settings.costs.byte * bytes + DEFAULT_COST);
      const sent = { from: from.node, to: to.node, pe: to.rank, bytes, deliver, times, link, onInjected };
      this.network.send(sent, from.clock);
      return Number.POSITIVE_INFINITY;
    }
    if (from.awaiting !== null && from.node !== to.node) {
      this.#sendBetweenNodes(from, to, bytes, deliver, times, link);
      return from.clock;
    }
    let time = this.#arrival(from, to, bytes);
    // a link keeps its order for any delays; the times must differ, as events at the same time are ordered at random
    if (times !== null) {
      time = Math.max(time, times[link] + 1);
      times[link] = time;
    }
    this.at(time, () => deliver(time));
    return from.clock;
  }

  /**
   * Sends a cache line within a node now, as the model of trees has it (trees/model/latency.ts): it occupies the sender, and
   * is at the receiver when it has propagated; seeing it takes {@link receiving}.
   * @param line keeps the order of what is sent along it
   */
  sendLine(from: VirtualPE, to: VirtualPE, line: VirtualLine, deliver: (time: number) => void): void {
    const { send, propagate } = this.settings;
    const [row, column] = [from.nodeRank, to.nodeRank];
    from.clock =
      Math.max(from.clock, this.now) + this.delay(send === null ? DEFAULT_COST : send[row][column]);
    let time = from.clock + (propagate === null ? 0 : this.delay(propagate[row][column]));
    // as in send()
    if (time <= line.arrivesAt) time = line.arrivesAt + 1;
    line.arrivesAt = time;
    this.at(time, () => deliver(time));
  }

  /** Time from when a PE changes a word until another can see it, ns, if it only has to look. */
  showing(from: VirtualPE, to: VirtualPE): number {
    const { send } = this.settings;
    return this.delay(send === null ? DEFAULT_COST : send[from.nodeRank][to.nodeRank]);
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

  /**
   * As {@link send}, where the receiving node is taken when the message is there. The sender's clock may be far ahead, after
   * declared work, and messages that others send meanwhile come before.
   */
  #sendBetweenNodes(
    from: VirtualPE,
    to: VirtualPE,
    bytes: number,
    deliver: (time: number) => void,
    times: Float64Array | null,
    link: number,
  ): void {
    const { network, costs } = this.settings;
    from.clock += this.delay(costs.byte * bytes + DEFAULT_COST);
    const { alpha, beta } = lineOf(network, bytes);
    let arrival = from.clock + this.delay(alpha + beta * bytes);
    if (times !== null) {
      arrival = Math.max(arrival, times[link] + 1);
      times[link] = arrival;
    }
    this.at(arrival, () => {
      const done = Math.max(arrival, this.#receives[to.node]) + this.delay(network.receiver);
      this.#receives[to.node] = done;
      this.at(done, () => deliver(done));
    });
  }

  /** Time for which `to` is busy receiving a message, ns. */
  receiving(from: VirtualPE, to: VirtualPE): number {
    const { receive } = this.settings;
    if (from.node !== to.node || receive === null) return this.delay(DEFAULT_COST);
    return this.delay(receive[from.nodeRank][to.nodeRank]);
  }

  /**
   * Time from the last PE's vote to the result, ns: that over the nodes, and up and down a tree in the node.
   * @param among the nodes of those who vote, and PEs of the largest
   */
  voting({ nodes, nodeSize }: Pick<Settings, "nodes" | "nodeSize">): number {
    const { network } = this.settings;
    const inside = 2 * Math.ceil(Math.log2(nodeSize)) * 2 * DEFAULT_COST;
    return this.delay(inside + votingOver(network, nodes));
  }

  #plan(pe: VirtualPE, time: number): void {
    const plan = ++pe.plan;
    pe.resumesAt = time;
    if (time === Number.POSITIVE_INFINITY) return;
    this.at(time, () => {
      if (pe.plan === plan) this.#resume(pe);
    });
  }

  #resume(pe: VirtualPE): void {
    const { program, awaiting } = pe;
    if (pe.over) return;
    pe.resumesAt = 0;
    if (pe.stalledUntil > this.#timeline.now) {
      this.#plan(pe, pe.stalledUntil);
      return;
    }
    pe.clock = Math.max(pe.clock, this.#timeline.now);
    pe.moved = false;
    pe.woken = false;
    // what it has moved may have more to do
    if (pe.sessions.sideWork.run()) pe.woken = true;
    if (awaiting !== null) {
      if (awaiting.look(this.termination)) this.#stirred = pe;
      else this.#afterTurn(pe, awaiting);
      return;
    }
    if (program === null) return;
    try {
      const { done, value } = program.next();
      pe.clock += this.delay(this.settings.costs.advance);
      if (done) {
        this.#returned(pe, value);
        return;
      }
    } catch (error) {
      this.#finish(pe);
      this.threw(pe, error);
      return;
    }
    this.#planTurn(pe);
  }

  /** An awaiting program has run as far as it could. */
  #afterTurn(pe: VirtualPE, awaiting: AwaitingProgram): void {
    if (pe.over) return;
    const { polled, ended } = awaiting;
    if (polled) pe.clock += this.delay(this.settings.costs.advance);
    if (ended === null) {
      // conditions are no polls: what makes one true wakes the PE
      if (awaiting.isPolling) this.#planTurn(pe);
      else
        this.#plan(pe, pe.woken || this.termination !== null ? Math.max(this.now, pe.clock) : awaiting.dueAt);
    } else if (ended.failed) {
      this.#finish(pe);
      this.threw(pe, ended.value);
    } else {
      this.#returnedCopy(pe, ended.value);
    }
  }

  /** Results are copied, as those of threads are: the memory that they may lie in is used anew. */
  #returnedCopy(pe: VirtualPE, value: unknown): void {
    let copy: unknown;
    try {
      copy = deserialize(serialize(value));
    } catch (error) {
      this.#finish(pe);
      this.threw(pe, error);
      return;
    }
    this.#returned(pe, copy);
  }

  #returned(pe: VirtualPE, value: unknown): void {
    pe.result = value;
    this.#finish(pe);
    const error = leavingError(pe.rank, pe.sessions);
    if (error !== null) this.end(error);
  }

  #planTurn(pe: VirtualPE): void {
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
}

/** Cost of a message to its sender and to its receiver within a node without a model, ns. */
const DEFAULT_COST = 50;
