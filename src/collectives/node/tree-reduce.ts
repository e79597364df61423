/**
 * Reduce over the tree: for numbers and short arrays.
 *
 * Values travel up the reduce tree; each PE combines the values of its children with its own and sends the result on.
 * 56 bytes travel inside one cache line and are combined there; longer arrays take several lines, pipelined up the
 * tree.
 *
 * Order: a PE starts with its own element and combines those of its children in a fixed order, from the back of the
 * tree's list to the front, whichever arrives first. So the result of a floating-point sum depends on the tree and the
 * root alone: the same trees give the same bits every time.
 *
 * Limits: one line at a time, so for long arrays scatter-reduce.ts is faster. Ops must be associative and commutative.
 *
 * Source: Kaestle et al., "Machine-Aware Atomic Broadcast Trees for Multicores", "Reductions".
 *
 * Example, tree 0 -> [2, 1], 2 -> [3]: 2 combines x2 + x3; 0 combines (x0 + x1) + (x2 + x3).
 */

import { PAYLOAD_BYTES } from "../../ground/channel/layout.ts";
import type { Reducer } from "../../ground/memory/kernels/kernels.ts";
import type { Condition } from "../../ground/wait/condition.ts";
import type { ReceivingEnd, SendingEnd } from "../team/medium.ts";
import { type Route, routeOf } from "../team/route.ts";
import type { Team } from "../team/team.ts";
import { fill, load, type Region, RegionTask } from "./region.ts";

type Combine = (a: number, b: number) => number;

/** The tree reductions of a team, at one PE. */
export class TreeReduce extends RegionTask<number> {
  /** The combined number at the root; valid for reductions of numbers only. */
  result = 0;
  readonly #team: Team;
  readonly #route: Route;
  readonly #senders: readonly SendingEnd[];
  readonly #receivers: readonly ReceivingEnd[];
  #tag = 0;
  #towards = -1;
  #combine: Combine = Math.max;
  /** The elements; null for a number. */
  #reducer: Reducer | null = null;
  /** Offset of the current message in the region, and the end of the array. */
  #start = 0;
  #end = 0;
  /** Where the current message is combined: a claimed slot, the root's array, or its cell; -1: not chosen yet. */
  #into = -1;
  /** Neighbours still to arrive, from the back of the list to the front. */
  #left = 0;

  constructor(team: Team) {
    super();
    this.#team = team;
    this.#route = routeOf(team.plan.reduce, team.size, team.rank);
    this.#senders = this.#route.neighbours.map((peer) => team.links.sender(peer));
    this.#receivers = this.#route.neighbours.map((peer) => team.links.receiver(peer));
  }

  /** A blocking reduce of numbers, with the steps of {@link advance}; the result is valid at the root only. */
  number(tag: number, x: number, combine: Combine, root: number): number {
    const team = this.#team;
    const { f64 } = team.heap;
    const receivers = this.#receivers;
    const towards = this.#route.towards[root];
    let value = x;
    for (let i = receivers.length - 1; i >= 0; i--) {
      if (i === towards) continue;
      const receiver = receivers[i];
      value = combine(value, f64[receiver.wait() >>> 3]);
      if (receiver.tag !== tag) throw team.mismatch(this.#route.neighbours[i]);
      receiver.release();
    }
    if (towards >= 0) {
      const sender = this.#senders[towards];
      f64[sender.claim() >>> 3] = value;
      sender.publish(tag);
    }
    return value;
  }

  beginNumber(tag: number, x: number, combine: Combine, root: number): this {
    this.#begin(tag, root);
    this.result = x;
    this.#combine = combine;
    this.region = null;
    this.#end = PAYLOAD_BYTES;
    return this;
  }

  beginArray(tag: number, region: Region, reducer: Reducer, root: number): this {
    this.#begin(tag, root);
    this.region = region;
    this.#reducer = reducer;
    this.#end = Math.max(1, region.bytes);
    return this;
  }

  #begin(tag: number, root: number): void {
    this.#tag = tag;
    this.#towards = this.#route.towards[root];
    this.#start = 0;
    this.#into = -1;
    this.#left = this.#receivers.length;
  }

  advance(): Condition | null {
    const sender = this.#towards < 0 ? null : this.#senders[this.#towards];
    for (;;) {
      if (this.#into < 0) {
        if (sender !== null && !sender.ready()) return sender;
        this.#into = this.#place(sender);
      }
      for (; this.#left > 0; this.#left--) {
        const from = this.#left - 1;
        if (from === this.#towards) continue;
        const receiver = this.#receivers[from];
        const at = receiver.tryWait();
        if (at < 0) return receiver;
        if (receiver.tag !== this.#tag) throw this.#team.mismatch(this.#route.neighbours[from]);
        this.#add(at);
        receiver.release();
      }
      this.#finish(sender);
      this.#start += PAYLOAD_BYTES;
      if (this.#start >= this.#end) return null;
      this.#into = -1;
      this.#left = this.#receivers.length;
    }
  }

  /** Where to combine the current message; holds this PE's own elements afterwards. */
  #place(sender: SendingEnd | null): number {
    const region = this.region;
    if (region === null) return sender === null ? 0 : sender.tryClaim();
    if (sender === null && region.array === null) return region.address + this.#start;
    const into = sender === null ? this.#team.staging.cell(1) : sender.tryClaim();
    load(this.#team, region, this.#start, this.#bytes(region), into);
    return into;
  }

  #add(at: number): void {
    const region = this.region;
    if (region === null) this.result = this.#combine(this.result, this.#team.heap.f64[at >>> 3]);
    else (this.#reducer as Reducer)(this.#into, at, this.#bytes(region) / region.size);
  }

  #finish(sender: SendingEnd | null): void {
    const region = this.region;
    if (sender !== null) {
      if (region === null) this.#team.heap.f64[this.#into >>> 3] = this.result;
      sender.publish(this.#tag);
    } else if (region !== null && region.array !== null) {
      fill(this.#team, region, this.#start, this.#bytes(region), this.#into);
    }
  }

  #bytes(region: Region): number {
    return Math.min(PAYLOAD_BYTES, region.bytes - this.#start);
  }
}
