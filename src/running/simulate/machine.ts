/**
 * The virtual machine: PEs that run in virtual time, one after another in one thread, in an order that the seed
 * determines.
 *
 * It is a discrete-event simulation. A PE is a generator, or an async function (awaiting.ts); it runs until it yields,
 * and its work in between advances its own clock. If it made progress, it is resumed at once. If not, it polls again
 * later, at increasing intervals, or as soon as a message arrives for it. So a waiting PE costs almost nothing, and
 * thousands can be simulated.
 *
 * Limits: all work of a PE between two yields happens at one moment, so interleavings of single pushes and pulls are
 * not simulated. PEs affect each other only through buffers, votes and oversized items, each of which has a delay of
 * its own. The user's own computation counts only if it is declared (pe.work).
 */

import { threwText } from "../../ground/base/call-site/threw.ts";
import { MismatchError, RankLostError, sentenceOf, type TundishError } from "../../ground/base/errors.ts";
import { monotonic, sleep } from "../../ground/base/event-loop/timers.ts";
import { deserialize, serialize } from "../../ground/base/objects/serialized.ts";
import { leavingError } from "../../links/transport/underway.ts";
import type { AwaitingProgram } from "./awaiting.ts";
import { VirtualMemory } from "./memory.ts";
import { SimulatedMessages } from "./messages.ts";
import type { SimulationSettings } from "./options.ts";
import { stuck, tooLong } from "./stuck.ts";
import { Timeline } from "./time/timeline.ts";
import { FIRST_PAUSE, VirtualPE } from "./virtual-pe.ts";

/** Longest pause of a PE without work, ns: that of a thread. */
const LONGEST_PAUSE = 1e6;
/** Vain polls of each awaiting PE, at that pause, after which all may wait for what is no call of theirs. */
const IDLE_ROUNDS = 4;
/** Real time that such a wait is given before virtual time goes on without it, ms. */
const FOREIGN_MS = 5000;
/** Stands for the program that has run on where none has. */
const IDLE: unique symbol = Symbol("idle");
/** Time after which the other PEs learn of a crash, ns. */
const NEWS_OF_CRASH = 10_000;
/** Events per PE that may still happen when the world has ended, so that programs see the end but cannot run on. */
const LAST_EVENTS = 1000;

export class VirtualMachine {
  readonly settings: SimulationSettings;
  readonly memory: VirtualMemory;
  readonly pes: readonly VirtualPE[];
  /** The error that ended the world. */
  termination: TundishError | null = null;
  /** PEs that are lost, in a world that goes on without them; the others know. */
  readonly lost: Map<VirtualPE, RankLostError> = new Map();
  /** Number of events so far. */
  events = 0;
  /** Number of PEs whose program has ended. */
  finished = 0;
  /** Messages between PEs. */
  readonly messages: SimulatedMessages;
  /** Called when the world has ended, and when it goes on without a PE. */
  onEnd: () => void = () => {};
  onLoss: () => void = () => {};
  /** Called when nothing will happen any more and PEs still wait: the reason, if it is known. */
  whyStuck: () => TundishError | null = () => null;
  /** A PE whose awaiting program runs now. */
  #stirred: VirtualPE | null = null;
  /** Polls of awaiting PEs in vain since one of them has moved or run on. */
  #vain = 0;
  readonly #timeline: Timeline;

  constructor(settings: SimulationSettings) {
    this.settings = settings;
    this.memory = new VirtualMemory(settings.memoryBytes);
    const { seed, jitter, nodeSize } = settings;
    this.#timeline = new Timeline(seed, jitter);
    const pes = Array.from({ length: settings.pes }, (_, rank) => new VirtualPE(rank, nodeSize));
    this.pes = pes;
    this.messages = new SimulatedMessages(settings, this.#timeline, (pe) => pes[pe].stalledUntil);
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
    /** Real and virtual time when all PEs had nothing to do, ms; -1 while that is not so. */
    let idle = { since: -1, at: 0 };
    for (const program of this.#steps()) {
      if (program !== IDLE) {
        idle = { since: -1, at: 0 };
        await program.settled(() => this.termination !== null);
        continue;
      }
      // a program may await what is no call of its PE, such as a file: virtual time keeps pace with real time then
      const [real, virtual] = [monotonic(), this.now / 1e6];
      if (idle.since < 0) idle = { since: real, at: virtual };
      const ahead = virtual - idle.at - (real - idle.since);
      if (real - idle.since < FOREIGN_MS) await sleep(Math.max(1, ahead));
    }
  }

  /**
   * The events; after each in which an awaiting program has run on, the caller waits until it has settled. IDLE when
   * all awaiting PEs have polled in vain for long.
   */
  *#steps(): Generator<AwaitingProgram | typeof IDLE, void, void> {
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
        // a world that goes on without a PE may go on now, but not if that was known before
        if (!this.end(this.whyStuck() ?? stuck(this)) && this.termination === null) this.#endAll(stuck(this));
        continue;
      }
      this.events++;
      if (this.termination !== null) left--;
      else if (event.time > settings.timeout) this.#endAll(this.whyStuck() ?? tooLong(this));
      event.run();
      const stirred = this.#stirred;
      if (stirred === null) {
        if (this.#vain === 0 || this.#vain < IDLE_ROUNDS * (pes.length - this.finished)) continue;
        this.#vain = 0;
        yield IDLE;
      } else {
        this.#stirred = null;
        this.#vain = 0;
        const awaiting = stirred.awaiting as AwaitingProgram;
        yield awaiting;
        // what it waits for now may be there already, or be in vain: a PE was lost before this wait began
        stirred.moved = true;
        if (this.lost.size > 0) stirred.woken = true;
        this.#afterTurn(stirred, awaiting);
      }
    }
    if (this.termination !== null) throw this.termination;
    const [first] = this.lost.values();
    if (this.lost.size === pes.length && first !== undefined) throw first;
  }

  /** The largest virtual time of all PEs, ns. */
  get time(): number {
    return this.pes.reduce((latest, { clock }) => Math.max(latest, clock), 0);
  }

  /** The error that ends the calls of a group: of the world, or of a lost PE of the group; or null. */
  endOf(group: readonly VirtualPE[]): TundishError | null {
    if (this.termination !== null || this.lost.size === 0) return this.termination;
    for (const pe of group) {
      const error = this.lost.get(pe);
      if (error !== undefined) return error;
    }
    return null;
  }

  /**
   * Ends the world with this error, unless it has ended already. In a world that goes on without lost PEs, a PE is lost
   * instead.
   * @returns false if that was so before
   */
  end(error: TundishError): boolean {
    if (this.termination !== null) return false;
    if (error instanceof RankLostError && error.rank >= 0 && this.settings.onLoss === "continue")
      return this.#lose(error);
    this.#endAll(error);
    return true;
  }

  /** All have returned: whoever has kept a PE gets this error. */
  close(error: TundishError): void {
    this.termination = error;
    this.onEnd();
  }

  #endAll(error: TundishError): void {
    this.termination = error;
    this.onEnd();
    for (const pe of this.pes) this.wake(pe, this.#timeline.now);
  }

  #lose(error: RankLostError): boolean {
    const { rank, cause } = error;
    const pe = this.pes[rank] as VirtualPE;
    if (this.lost.has(pe)) return false;
    const lost = new RankLostError(rank, `PE ${rank} is lost: ${sentenceOf(error)}`, { cause });
    this.lost.set(pe, lost);
    this.onLoss();
    if (pe.over && pe.result === undefined) pe.result = lost;
    for (const other of this.pes) this.wake(other, this.#timeline.now);
    return true;
  }

  /** Ends the world with what a PE has thrown; the error that ended it is no new one when a PE rethrows it. */
  threw(pe: VirtualPE, error: unknown): void {
    if (this.termination !== null && this.termination === error) return;
    if (error instanceof MismatchError && this.settings.onLoss === "end") this.end(error);
    else this.end(new RankLostError(pe.rank, threwText(pe.rank, error), { cause: error }));
  }

  /**
   * A message has arrived for a PE: if it is pausing, it is resumed now, but an awaiting one not before its work is
   * over; if it runs, it looks again before it waits.
   */
  wake(pe: VirtualPE, time: number): void {
    if (pe.over) return;
    const ready = pe.awaiting === null ? time : Math.max(time, pe.clock);
    if (pe.resumesAt === 0) pe.woken = true;
    else if (ready < pe.resumesAt) this.#plan(pe, ready);
  }

  /**
   * Runs at a PE what answers a message, whatever its program does, which then takes so much longer. A PE that stalls
   * answers when it goes on.
   * @param time when the message is there, ns @param run adds to the PE's clock, which begins at that time
   */
  interrupt(pe: VirtualPE, time: number, run: () => void): void {
    if (pe.crashed) return;
    const later = pe.stalledUntil;
    if (later > time) {
      this.at(later, () => this.interrupt(pe, later, run));
      return;
    }
    const own = Math.max(pe.clock, time);
    pe.clock = time;
    run();
    pe.clock = own + (pe.clock - time);
    this.wake(pe, pe.clock);
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
      else this.#plan(pe, pe.woken || this.termination !== null ? Math.max(this.now, pe.clock) : awaiting.dueAt);
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
    if (pe.moved) {
      pe.pause = FIRST_PAUSE;
      this.#vain = 0;
    } else {
      if (pe.pause === LONGEST_PAUSE && pe.awaiting !== null) this.#vain++;
      pe.pause = Math.min(2 * pe.pause, LONGEST_PAUSE);
    }
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
