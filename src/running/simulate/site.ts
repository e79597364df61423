/** The site of a conveyor on the virtual machine. */

import { threwText } from "../../ground/base/call-site/threw.ts";
import {
  AbortedError,
  HeapError,
  MismatchError,
  RankLostError,
  TimeoutError,
  UsageError,
} from "../../ground/base/errors.ts";
import type { Views } from "../../ground/item/views.ts";
import type { WasmMemory } from "../../ground/memory/kernels/webassembly.ts";
import { blocks } from "../../ground/wait/blocking.ts";
import { SILENT } from "../../links/status/status.ts";
import type { Oversized, Places, Porter, Site, SitePlan, StatusWriter, Vote } from "../../links/transport/contract.ts";
import { SessionWord } from "../../links/transport/session-word.ts";
import type { Sessions } from "../../links/transport/underway.ts";
import { type Ballot, ballotOf } from "./ballot.ts";
import type { VirtualMachine } from "./machine.ts";
import type { VirtualMemory } from "./memory.ts";
import { CONTROL } from "./messages.ts";
import { type HopTraffic, type Letter, noTraffic, type Peers, SimulatedPorter } from "./porter.ts";
import type { VirtualPE } from "./virtual-pe.ts";

/** Turns without progress between two checks for departed PEs. */
const LOOK_EVERY = 8;

/** The state that the PEs of one conveyor share. */
export class SharedConveyor {
  readonly plan: SitePlan;
  readonly traffic: readonly HopTraffic[];
  /** By rank, by hop; those of PEs that have made the conveyor. */
  readonly porters: SimulatedPorter[][] = [];
  /** By rank, by hop: received buffers in order of arrival. They may come before the PE has made the conveyor. */
  readonly letters: readonly (readonly Letter[][])[];
  /** By rank: the mark of each PE. */
  readonly marks: Float64Array;
  readonly votes: SimulatedVote[] = [];
  readonly oversizedOf: SimulatedOversized[] = [];
  readonly oversized: Map<number, { readonly offset: number; readonly bytes: number }> = new Map();
  nextReference: number = 1;
  /** By rank: byte offset of its scratch memory and its link table. */
  readonly #own: number[] = [];
  readonly #ownBytes: number;
  /** Byte offset of what all PEs use: the staging, as only one of them runs at a time, and the routes. */
  #common = 0;
  readonly #commonBytes: number;
  /** PEs that have freed the conveyor. */
  #freed = 0;
  /** The error of every PE if the conveyor could not be made; else null. */
  readonly refusal: HeapError | null;
  readonly ballot: Ballot;

  /** Whose it is. */
  readonly peers: Peers;

  constructor(plan: SitePlan, peers: Peers) {
    const { pes, machine } = peers;
    const { memory } = machine;
    this.plan = plan;
    this.peers = peers;
    this.traffic = plan.hops.map(() => noTraffic());
    this.marks = new Float64Array(pes.length);
    this.letters = pes.map(() => plan.hops.map(() => []));
    this.ballot = ballotOf(peers, (rank, result, time) => this.votes[rank].finish(result, time));
    this.#ownBytes = plan.scratch * plan.buffers.bytes + plan.tableBytes;
    this.#commonBytes = plan.stagingBytes + (plan.routes?.byteLength ?? 0);
    this.refusal = this.#take(memory);
    if (this.refusal === null && plan.routes !== null) {
      memory.views.u32.set(plan.routes, this.placesOf(0).routes / 4);
    }
  }

  /** Allocates for all PEs at once, so that all get the conveyor, or none. */
  #take(memory: VirtualMemory): HeapError | null {
    const own = this.#own;
    try {
      while (own.length < this.marks.length) own.push(this.#takeOwn(memory));
      this.#common = memory.take(this.#commonBytes);
      return null;
    } catch (error) {
      if (!(error instanceof HeapError)) throw error;
      for (const offset of own) memory.give(offset, this.#ownBytes);
      return error;
    }
  }

  /** Link tables begin with zeros, as in a heap (links/transport/heap/link-offsets.ts), whatever was there. */
  #takeOwn(memory: VirtualMemory): number {
    const { scratch, buffers } = this.plan;
    const offset = memory.take(this.#ownBytes);
    memory.views.u8.fill(0, offset + scratch * buffers.bytes, offset + this.#ownBytes);
    return offset;
  }

  placesOf(rank: number): Places {
    const { scratch, stagingBytes, buffers, routes } = this.plan;
    const own = this.#own[rank];
    return {
      scratch: own,
      table: own + scratch * buffers.bytes,
      staging: this.#common,
      stagingBytes,
      routes: routes === null ? 0 : this.#common + stagingBytes,
    };
  }

  /** A PE has freed the conveyor. */
  free(memory: VirtualMemory, rank: number): void {
    memory.give(this.#own[rank], this.#ownBytes);
    if (++this.#freed === this.marks.length) memory.give(this.#common, this.#commonBytes);
  }
}

class SimulatedVote implements Vote {
  readonly #pe: VirtualPE;
  readonly #rank: number;
  readonly #shared: SharedConveyor;
  #result = -1;

  /** @param rank of its PE in the conveyor's group */
  constructor(pe: VirtualPE, rank: number, shared: SharedConveyor) {
    this.#pe = pe;
    this.#rank = rank;
    this.#shared = shared;
  }

  cast(bits: number): void {
    this.#result = -1;
    this.#shared.ballot.cast(this.#rank, bits, this.#pe.clock);
  }

  poll(): number {
    return this.#result;
  }

  finish(result: number, time: number): void {
    this.#result = result;
    this.#shared.peers.machine.wake(this.#pe, time);
  }
}

/** Oversized items: copies in the memory of the machine, which the receiver of the reference finds after a delay. */
class SimulatedOversized implements Oversized {
  readonly #pe: VirtualPE;
  readonly #shared: SharedConveyor;
  readonly #maxBytes: number;
  #pending = 0;
  #bytes = 0;

  constructor(pe: VirtualPE, shared: SharedConveyor, maxBytes: number) {
    this.#pe = pe;
    this.#shared = shared;
    this.#maxBytes = maxBytes;
  }

  leave(dest: number, bytes: Uint8Array, length: number): number {
    const shared = this.#shared;
    const { machine, pes } = shared.peers;
    if (this.#pending >= MOST || (this.#pending > 0 && this.#bytes + length > this.#maxBytes)) return 0;
    const offset = machine.memory.take(length);
    machine.memory.views.u8.set(bytes, offset);
    const reference = shared.nextReference++;
    this.#pending++;
    this.#bytes += length;
    const to = pes[dest];
    machine.messages.send(this.#pe, to, length, (time) => {
      shared.oversized.set(reference, { offset, bytes: length });
      machine.wake(to, time);
    });
    return reference;
  }

  find(_source: number, reference: number): number {
    return this.#shared.oversized.get(reference)?.offset ?? -1;
  }

  drop(source: number, reference: number): void {
    const { machine, pes } = this.#shared.peers;
    const oversizedItem = this.#shared.oversized.get(reference);
    if (oversizedItem === undefined) return;
    this.#shared.oversized.delete(reference);
    const sender = pes[source];
    const owner = this.#shared.oversizedOf[source];
    machine.messages.send(
      this.#pe,
      sender,
      8,
      (time) => {
        machine.memory.give(oversizedItem.offset, oversizedItem.bytes);
        owner.#pending--;
        owner.#bytes -= oversizedItem.bytes;
        machine.wake(sender, time);
      },
      CONTROL,
    );
  }

  /** Memory is freed by events. */
  sweep(): void {}

  get isEmpty(): boolean {
    return this.#pending === 0;
  }

  abandon(): void {}
}

/** Largest number of oversized items of one PE in flight. */
const MOST = 16;

export class SimulatedSite implements Site {
  readonly mayBlock: boolean = false;
  readonly rank: number;
  readonly size: number;
  readonly memory: WasmMemory;
  readonly views: Views;
  readonly vote: SimulatedVote;
  readonly session: SessionWord = new SessionWord();
  readonly firstByVote: boolean = false;
  readonly porters: readonly Porter[];
  readonly oversized: SimulatedOversized;
  readonly places: Places;
  readonly statusWriter: StatusWriter = SILENT;
  readonly sessions: Sessions;
  readonly name: string;
  readonly waitTimeout: number = Number.POSITIVE_INFINITY;
  readonly turnCost: number = 0;
  readonly startsSlowly: boolean = false;
  outlivesMain: boolean = false;
  readonly #machine: VirtualMachine;
  readonly #pe: VirtualPE;
  readonly #shared: SharedConveyor;
  /** The time of a look at a link, ns; and those of the hops that items are pushed into. */
  readonly #look: number;
  readonly #entries: readonly SimulatedPorter[];
  #idle = 0;

  /** @param rank of its PE in the conveyor's group */
  constructor(shared: SharedConveyor, rank: number, plan: SitePlan, maxBytes: number) {
    const { machine, pes } = shared.peers;
    const pe = pes[rank];
    this.rank = rank;
    this.size = pes.length;
    this.memory = machine.memory.memory;
    this.views = machine.memory.views;
    this.#machine = machine;
    this.#pe = pe;
    this.#shared = shared;
    this.vote = new SimulatedVote(pe, rank, shared);
    shared.votes[rank] = this.vote;
    this.oversized = new SimulatedOversized(pe, shared, maxBytes);
    shared.oversizedOf[rank] = this.oversized;
    const porters = plan.hops.map(
      (hop, k) =>
        new SimulatedPorter(shared.peers, rank, {
          session: this.session,
          hop,
          buffers: plan.buffers,
          traffic: shared.traffic[k],
          isControl: plan.isControl ?? false,
          lettersOf: shared.letters.map((hops) => hops[k]),
          peerOf: (other) => shared.porters[other][k],
        }),
    );
    shared.porters[rank] = porters;
    this.porters = porters.map((porter, hop) => plan.wrap?.(porter, hop) ?? porter);
    this.name = plan.name;
    this.sessions = pe.sessions;
    this.places = shared.placesOf(rank);
    // an exchange has no link table to look at
    this.#look = plan.tableBytes === 0 ? 0 : (machine.settings.costs.open?.look ?? 0);
    // in a mesh items enter at any hop
    this.#entries = plan.hops[0].skipsSelf === true ? porters : porters.slice(0, 1);
  }

  get isEnded(): boolean {
    return this.#machine.endOf(this.#shared.peers.pes) !== null;
  }

  now(): number {
    return this.#pe.clock / 1e6;
  }

  sharesClock(): boolean {
    return true;
  }

  setActive(active: boolean): void {
    // only sessions whose turns may block become active
    if (active && this.#pe.awaiting !== null) throw blocks("begin", "beginAsync()");
  }

  until(ready: () => boolean): Promise<void> {
    const { awaiting } = this.#pe;
    if (awaiting === null) {
      throw new UsageError(
        "A generator program cannot await: use yield* with begin and advance, or an async program (simulateAsync).",
      );
    }
    const began = this.now();
    const call = `${this.#shared.plan.words.one} (${this.name})`;
    return awaiting.until(ready, () => ({ call, whom: [], needsOne: false, for: this.now() - began }));
  }

  look(moved: boolean, needed: number): void {
    this.turn(moved, needed);
  }

  turn(moved: boolean, needed: number): void {
    if (this.#look > 0) for (const { lookedAt } of this.#entries) this.#pe.clock += this.#look * lookedAt;
    const end = this.#machine.endOf(this.#shared.peers.pes);
    if (end !== null) throw end;
    if (moved) {
      this.#pe.moved = true;
      this.#idle = 0;
      return;
    }
    if (this.#machine.finished > 0 && ++this.#idle % LOOK_EVERY === 0) this.#lookForDeparted(needed);
  }

  #lookForDeparted(needed: number): void {
    const { words } = this.#shared.plan;
    for (const [i, { rank, over, crashed }] of this.#shared.peers.pes.entries()) {
      if (!over || crashed || this.#shared.marks[i] >= needed) continue;
      throw this.fail(
        new RankLostError(
          rank,
          `PE ${rank} has returned from its program in the middle of ${words.one} that PE ${this.#pe.rank} has begun (${this.name}). ${words.ending}`,
        ),
      );
    }
  }

  alarm(at: number): void {
    const time = Math.max(at * 1e6, this.#machine.now);
    this.#machine.at(time, () => this.#machine.wake(this.#pe, time));
  }

  mark(reached: number): void {
    this.#shared.marks[this.rank] = reached;
  }

  fail(error: Error): Error {
    const { rank } = this.#pe;
    const isOfAll =
      error instanceof TimeoutError ||
      error instanceof AbortedError ||
      error instanceof MismatchError ||
      error instanceof RankLostError;
    this.#machine.end(isOfAll ? error : new RankLostError(rank, threwText(rank, error), { cause: error }));
    return error;
  }

  free(): void {
    this.#shared.free(this.#machine.memory, this.rank);
  }
}
