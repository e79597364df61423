/** The site of a conveyor on the virtual machine. */

import { AbortedError, HeapError, MismatchError, RankLostError, TimeoutError } from "../base/errors.ts";
import { shortText } from "../base/short-text.ts";
import { roundUp } from "../item/types.ts";
import type { Views } from "../item/views.ts";
import { SILENT } from "../status/status.ts";
import type { Oversized, Porter, Site, SitePlan, StatusWriter, Vote } from "../transport/contract.ts";
import type { Sessions } from "../transport/underway.ts";
import type { VirtualMachine, VirtualPE } from "./machine.ts";
import type { VirtualMemory } from "./memory.ts";
import { type HopTraffic, noTraffic, SimulatedPorter } from "./porter.ts";

/** Turns without progress between two checks for departed PEs. */
const LOOK_EVERY = 8;

/** The state that the PEs of one conveyor share. */
export class SharedConveyor {
  readonly plan: SitePlan;
  readonly traffic: readonly HopTraffic[];
  /** By rank, by hop. */
  readonly porters: SimulatedPorter[][] = [];
  /** By rank: the mark of each PE. */
  readonly marks: Float64Array;
  readonly votes: SimulatedVote[] = [];
  readonly oversizedOf: SimulatedOversized[] = [];
  readonly oversized: Map<number, { readonly offset: number; readonly bytes: number }> = new Map();
  nextReference: number = 1;
  /** By rank: byte offset of the scratch memory. */
  readonly scratch: number[] = [];
  readonly scratchBytes: number;
  /** The error of every PE if the conveyor could not be made; else null. */
  readonly refusal: HeapError | null;
  #cast = 0;
  #bits = 0;
  #latest = 0;

  constructor(plan: SitePlan, { memory, pes }: VirtualMachine) {
    this.plan = plan;
    this.traffic = plan.hops.map(() => noTraffic());
    this.marks = new Float64Array(pes.length);
    this.scratchBytes = roundUp(plan.scratch * plan.buffers.bytes, 128);
    this.refusal = this.#takeScratch(memory);
  }

  /** Allocates for all PEs at once, so that all get the conveyor, or none. */
  #takeScratch(memory: VirtualMemory): HeapError | null {
    const { scratch, scratchBytes } = this;
    try {
      while (scratch.length < this.marks.length) scratch.push(memory.take(scratchBytes));
      return null;
    } catch (error) {
      if (!(error instanceof HeapError)) throw error;
      for (const offset of scratch) memory.give(offset, scratchBytes);
      return error;
    }
  }

  /** Counts one vote; after the last one, all PEs get the result after a delay. */
  cast(machine: VirtualMachine, bits: number, time: number): void {
    this.#cast++;
    this.#bits |= bits;
    this.#latest = Math.max(this.#latest, time);
    if (this.#cast < this.marks.length) return;
    const result = this.#bits;
    const done = this.#latest + machine.voting();
    this.#cast = 0;
    this.#bits = 0;
    this.#latest = 0;
    for (const vote of this.votes) {
      // slightly different times for the PEs
      const own = done + machine.delay(1);
      machine.at(own, () => vote.finish(result, own));
    }
  }
}

class SimulatedVote implements Vote {
  readonly #machine: VirtualMachine;
  readonly #pe: VirtualPE;
  readonly #shared: SharedConveyor;
  #result = -1;

  constructor(machine: VirtualMachine, pe: VirtualPE, shared: SharedConveyor) {
    this.#machine = machine;
    this.#pe = pe;
    this.#shared = shared;
  }

  cast(bits: number): void {
    this.#result = -1;
    this.#shared.cast(this.#machine, bits, this.#pe.clock);
  }

  poll(): number {
    return this.#result;
  }

  finish(result: number, time: number): void {
    this.#result = result;
    this.#machine.wake(this.#pe, time);
  }
}

/** Oversized items: copies in the memory of the machine, which the receiver of the reference finds after a delay. */
class SimulatedOversized implements Oversized {
  readonly #machine: VirtualMachine;
  readonly #pe: VirtualPE;
  readonly #shared: SharedConveyor;
  readonly #maxBytes: number;
  #pending = 0;
  #bytes = 0;

  constructor(machine: VirtualMachine, pe: VirtualPE, shared: SharedConveyor, maxBytes: number) {
    this.#machine = machine;
    this.#pe = pe;
    this.#shared = shared;
    this.#maxBytes = maxBytes;
  }

  leave(dest: number, bytes: Uint8Array, length: number): number {
    const shared = this.#shared;
    const machine = this.#machine;
    if (this.#pending >= MOST || (this.#pending > 0 && this.#bytes + length > this.#maxBytes)) return 0;
    const offset = machine.memory.take(length);
    machine.memory.views.u8.set(bytes, offset);
    const reference = shared.nextReference++;
    this.#pending++;
    this.#bytes += length;
    const to = machine.pes[dest];
    const time = machine.send(this.#pe, to, length);
    machine.at(time, () => {
      shared.oversized.set(reference, { offset, bytes: length });
      machine.wake(to, time);
    });
    return reference;
  }

  find(_source: number, reference: number): number {
    return this.#shared.oversized.get(reference)?.offset ?? -1;
  }

  drop(source: number, reference: number): void {
    const machine = this.#machine;
    const oversizedItem = this.#shared.oversized.get(reference);
    if (oversizedItem === undefined) return;
    this.#shared.oversized.delete(reference);
    const sender = machine.pes[source];
    const time = machine.send(this.#pe, sender, 8);
    const owner = this.#shared.oversizedOf[source];
    machine.at(time, () => {
      machine.memory.give(oversizedItem.offset, oversizedItem.bytes);
      owner.#pending--;
      owner.#bytes -= oversizedItem.bytes;
      machine.wake(sender, time);
    });
  }

  /** Memory is freed by events. */
  sweep(): void {}

  abandon(): void {}
}

/** Largest number of oversized items of one PE in flight. */
const MOST = 16;

export class SimulatedSite implements Site {
  readonly rank: number;
  readonly size: number;
  readonly views: Views;
  readonly vote: SimulatedVote;
  readonly porters: readonly Porter[];
  readonly oversized: SimulatedOversized;
  readonly scratch: number;
  readonly statusWriter: StatusWriter = SILENT;
  readonly sessions: Sessions;
  readonly name: string;
  readonly waitTimeout: number = Number.POSITIVE_INFINITY;
  readonly #machine: VirtualMachine;
  readonly #pe: VirtualPE;
  readonly #shared: SharedConveyor;
  #idle = 0;

  constructor(
    machine: VirtualMachine,
    pe: VirtualPE,
    shared: SharedConveyor,
    plan: SitePlan,
    maxBytes: number,
  ) {
    this.rank = pe.rank;
    this.size = machine.pes.length;
    this.views = machine.memory.views;
    this.#machine = machine;
    this.#pe = pe;
    this.#shared = shared;
    this.vote = new SimulatedVote(machine, pe, shared);
    shared.votes[pe.rank] = this.vote;
    this.oversized = new SimulatedOversized(machine, pe, shared, maxBytes);
    shared.oversizedOf[pe.rank] = this.oversized;
    const porters = plan.hops.map(
      (hop, k) =>
        new SimulatedPorter(
          machine,
          pe,
          hop,
          plan.buffers,
          shared.traffic[k],
          (rank) => shared.porters[rank][k],
        ),
    );
    shared.porters[pe.rank] = porters;
    this.porters = porters.map((porter, hop) => plan.wrap?.(porter, hop) ?? porter);
    this.name = plan.name;
    this.sessions = pe.sessions;
    this.scratch = shared.scratch[pe.rank] as number;
  }

  now(): number {
    return this.#pe.clock / 1e6;
  }

  setActive(): void {}

  until(): Promise<void> {
    throw new Error("a virtual PE has no event loop");
  }

  look(moved: boolean, needed: number): void {
    this.turn(moved, needed);
  }

  turn(moved: boolean, needed: number): void {
    const { termination } = this.#machine;
    if (termination !== null) throw termination;
    if (moved) {
      this.#pe.moved = true;
      this.#idle = 0;
      return;
    }
    if (this.#machine.finished > 0 && ++this.#idle % LOOK_EVERY === 0) this.#lookForDeparted(needed);
  }

  #lookForDeparted(needed: number): void {
    for (const { rank, over, crashed } of this.#machine.pes) {
      if (!over || crashed || this.#shared.marks[rank] >= needed) continue;
      throw this.fail(
        new RankLostError(
          rank,
          `PE ${rank} has returned from its program in the middle of a conveyor's session. ` +
            "Every PE must call advance until it returns DONE, and then reset.",
        ),
      );
    }
  }

  mark(reached: number): void {
    this.#shared.marks[this.rank] = reached;
  }

  fail(error: Error): Error {
    const isOfAll =
      error instanceof TimeoutError ||
      error instanceof AbortedError ||
      error instanceof MismatchError ||
      error instanceof RankLostError;
    this.#machine.end(
      isOfAll
        ? error
        : new RankLostError(this.rank, `PE ${this.rank} threw ${shortText(error)}`, { cause: error }),
    );
    return error;
  }

  free(): void {
    this.#machine.memory.give(this.scratch, this.#shared.scratchBytes);
  }
}
