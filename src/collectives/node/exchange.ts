/**
 * Allreduce by exchange (recursive doubling): for numbers and short arrays.
 *
 * In round k, PE i and PE i XOR 2^k send each other their values and combine them; after log2 n rounds all have the
 * combination of all values. If n is not a power of two, the PEs beyond the largest power of two (the core) first send
 * their values to a PE of the core, and receive the result from it at the end.
 *
 * Order: the value of the lower half of the ranks is always the left operand, so both partners compute the same bits
 * for any op: ((x0 + x1) + (x2 + x3)) with 4 PEs. The value of a PE beyond the core is the right operand of its
 * partner's own.
 *
 * Limits: 56 bytes per message; n messages in each round, so contention grows with n.
 *
 * Source: Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, 2005, section 4.5
 * (recursive doubling).
 *
 * Example with 3 PEs, core 2: 2 > 0; 0 <-> 1; 0 > 2. All PEs have ((x0 + x2) + x1).
 */

import { PAYLOAD_BYTES } from "../../ground/channel/layout.ts";
import type { Reducer } from "../../ground/memory/kernels/kernels.ts";
import type { Condition } from "../../ground/wait/condition.ts";
import { exchangePartners } from "../team/link-map.ts";
import type { ReceivingEnd, SendingEnd } from "../team/medium.ts";
import type { Team } from "../team/team.ts";
import { fill, load, type Region, RegionTask } from "./region.ts";

type Combine = (a: number, b: number) => number;

/** A PE's step: sends its value, receives the partner's (and combines or replaces), or both. */
interface ExchangeAction {
  readonly peer: number;
  readonly sender: SendingEnd;
  readonly receiver: ReceivingEnd;
  readonly gives: boolean;
  readonly takes: "left" | "right" | "all" | null;
}

/** The exchanges of a team, at one PE. */
export class TeamExchange extends RegionTask<number> {
  /** The combined number; valid for numbers only. */
  result = 0;
  readonly #team: Team;
  readonly #steps: readonly ExchangeAction[];
  #tag = 0;
  #combine: Combine = Math.max;
  /** The elements; null for a number. */
  #reducer: Reducer | null = null;
  /** Named ops give the same bits for swapped operands; a user's function may not. */
  #commutes = true;
  #start = 0;
  #end = 0;
  /** Where the current message of an array is combined. */
  #into = 0;
  #step = 0;
  #given = false;

  constructor(team: Team) {
    super();
    this.#team = team;
    this.#steps = stepsOf(team);
  }

  /** A blocking allreduce of numbers, with the steps of {@link advance}; `word` is the call, for the call log. */
  number(word: number, tag: number, x: number, combine: Combine): number {
    const team = this.#team;
    const { f64 } = team.heap;
    const steps = this.#steps;
    let value = x;
    for (let i = 0; i < steps.length; i++) {
      const { sender, receiver, gives, takes } = steps[i];
      if (gives) {
        f64[sender.claim() >>> 3] = value;
        sender.publish(tag);
      }
      if (i === 0) team.note(word, 1, -1);
      if (takes === null) continue;
      const other = f64[receiver.wait() >>> 3];
      if (receiver.tag !== tag) throw team.mismatch(steps[i].peer);
      receiver.release();
      value = takes === "all" ? other : takes === "right" ? combine(value, other) : combine(other, value);
    }
    return value;
  }

  beginNumber(tag: number, x: number, combine: Combine): this {
    this.#begin(tag);
    this.result = x;
    this.#combine = combine;
    this.region = null;
    this.#end = PAYLOAD_BYTES;
    return this;
  }

  beginArray(tag: number, region: Region, reducer: Reducer, commutes: boolean): this {
    this.#begin(tag);
    this.region = region;
    this.#reducer = reducer;
    this.#commutes = commutes;
    this.#end = Math.max(1, region.bytes);
    this.#load(region);
    return this;
  }

  #begin(tag: number): void {
    this.#tag = tag;
    this.#start = 0;
    this.#step = 0;
    this.#given = false;
  }

  advance(): Condition | null {
    for (;;) {
      for (; this.#step < this.#steps.length; this.#step++) {
        const { sender, receiver, gives, takes, peer } = this.#steps[this.#step];
        if (gives && !this.#given) {
          const at = sender.tryClaim();
          if (at < 0) return sender;
          this.#give(at);
          sender.publish(this.#tag);
          this.#given = true;
        }
        if (takes !== null) {
          const at = receiver.tryWait();
          if (at < 0) return receiver;
          if (receiver.tag !== this.#tag) throw this.#team.mismatch(peer);
          this.#take(at, takes);
          receiver.release();
        }
        this.#given = false;
      }
      const region = this.region;
      if (region !== null) this.#store(region);
      this.#start += PAYLOAD_BYTES;
      if (this.#start >= this.#end) return null;
      this.#step = 0;
      if (region !== null) this.#load(region);
    }
  }

  #give(at: number): void {
    const { heap, payload } = this.#team;
    if (this.region === null) heap.f64[at >>> 3] = this.result;
    else payload.copy(at, this.#into, this.#bytes(this.region));
  }

  #take(at: number, takes: "left" | "right" | "all"): void {
    const { heap, payload, staging } = this.#team;
    const region = this.region;
    if (region === null) {
      const other = heap.f64[at >>> 3];
      if (takes === "all") this.result = other;
      else if (takes === "right") this.result = this.#combine(this.result, other);
      else this.result = this.#combine(other, this.result);
      return;
    }
    const bytes = this.#bytes(region);
    const count = bytes / region.size;
    const reducer = this.#reducer as Reducer;
    if (takes === "all") {
      payload.copy(this.#into, at, bytes);
    } else if (takes === "right" || this.#commutes) {
      reducer(this.#into, at, count);
    } else {
      // the partner's value is the left operand; the slot belongs to the sender, so combine in a cell
      const cell = staging.cell(0);
      payload.copy(cell, at, bytes);
      reducer(cell, this.#into, count);
      payload.copy(this.#into, cell, bytes);
    }
  }

  /** Prepares the current message of the region to be combined in the heap. */
  #load(region: Region): void {
    const inPlace = region.array === null;
    this.#into = inPlace ? region.address + this.#start : this.#team.staging.cell(1);
    if (!inPlace) load(this.#team, region, this.#start, this.#bytes(region), this.#into);
  }

  #store(region: Region): void {
    if (region.array !== null) fill(this.#team, region, this.#start, this.#bytes(region), this.#into);
  }

  #bytes(region: Region): number {
    return Math.max(0, Math.min(PAYLOAD_BYTES, region.bytes - this.#start));
  }
}

function stepsOf({ rank, size, links }: Team): ExchangeAction[] {
  const { core, folded, rounds } = exchangePartners(size, rank);
  const step = (peer: number, gives: boolean, takes: ExchangeAction["takes"]): ExchangeAction => ({
    peer,
    sender: links.sender(peer),
    receiver: links.receiver(peer),
    gives,
    takes,
  });
  if (rank >= core) return [step(folded, true, "all")];
  const steps = rounds.map((peer) => step(peer, true, peer > rank ? "right" : "left"));
  if (folded < 0) return steps;
  return [step(folded, false, "right"), ...steps, step(folded, true, null)];
}
