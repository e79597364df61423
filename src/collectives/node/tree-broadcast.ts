/**
 * Broadcast over the tree: for numbers and short arrays.
 *
 * Messages travel down the broadcast tree; each PE forwards them to its children in the tree's order. The payload is in
 * the same cache line as the flag that announces it, 56 bytes each; longer arrays take several lines, pipelined down
 * the tree.
 *
 * All broadcasts of one root arrive at every PE in the order of its calls (atomic broadcast): every edge is a FIFO and
 * every PE forwards in order of arrival. The root waits for no PE; it may be ahead by as many messages as a channel
 * holds.
 *
 * Limits: one line at a time, so for long arrays single-copy.ts is faster.
 *
 * Source: Kaestle et al., "Machine-Aware Atomic Broadcast Trees for Multicores", "Broadcasts".
 *
 * Example, tree 0 -> [2, 1], 2 -> [3]: 0 sends to 2, then to 1, while 2 forwards to 3. From root 3 the same edges are
 * used: 3 -> 2 -> 0 -> 1.
 */

import { PAYLOAD_BYTES } from "../../ground/channel/layout.ts";
import type { Condition } from "../../ground/wait/condition.ts";
import type { ReceivingEnd, SendingEnd } from "../team/medium.ts";
import { type Route, routeOf } from "../team/route.ts";
import type { Team } from "../team/team.ts";
import { fill, load, type Region, RegionTask } from "./region.ts";

/** The tree broadcasts of a team, at one PE. */
export class TreeBroadcast extends RegionTask<number> {
  /** The root's number; valid for broadcasts of numbers only. */
  result = 0;
  readonly #team: Team;
  readonly #route: Route;
  readonly #senders: readonly SendingEnd[];
  readonly #receivers: readonly ReceivingEnd[];
  #tag = 0;
  #towards = -1;
  /** The elements; null for a number. */
  /** Offset of the current message in the region, and the end of the array. */
  #start = 0;
  #end = 0;
  /** Whether the current message was received, and the number of neighbours that it was forwarded to. */
  #arrived = false;
  #served = 0;

  constructor(team: Team) {
    super();
    this.#team = team;
    this.#route = routeOf(team.plan.broadcast, team.size, team.rank);
    this.#senders = this.#route.neighbours.map((peer) => team.links.sender(peer));
    this.#receivers = this.#route.neighbours.map((peer) => team.links.receiver(peer));
  }

  /** A blocking broadcast of a number: {@link advance} without the steps of arrays and other drivers. */
  number(tag: number, x: number, root: number): number {
    const team = this.#team;
    const { f64 } = team.heap;
    const senders = this.#senders;
    const towards = this.#route.towards[root];
    let value = x;
    if (towards >= 0) {
      const receiver = this.#receivers[towards];
      value = f64[receiver.wait() >>> 3];
      if (receiver.tag !== tag) throw team.mismatch(this.#route.neighbours[towards]);
      receiver.release();
    }
    for (let i = 0; i < senders.length; i++) {
      if (i === towards) continue;
      f64[senders[i].claim() >>> 3] = value;
      senders[i].publish(tag);
    }
    return value;
  }

  beginNumber(tag: number, x: number, root: number): this {
    this.#begin(tag, root);
    this.result = x;
    this.region = null;
    this.#end = PAYLOAD_BYTES;
    return this;
  }

  beginArray(tag: number, region: Region, root: number): this {
    this.#begin(tag, root);
    this.region = region;
    // an empty array still takes one message
    this.#end = Math.max(1, region.bytes);
    return this;
  }

  #begin(tag: number, root: number): void {
    this.#tag = tag;
    this.#towards = this.#route.towards[root];
    this.#start = 0;
    this.#arrived = this.#towards < 0;
    this.#served = 0;
  }

  advance(): Condition | null {
    for (;;) {
      if (!this.#arrived) {
        const receiver = this.#receivers[this.#towards];
        const at = receiver.tryWait();
        if (at < 0) return receiver;
        if (receiver.tag !== this.#tag) throw this.#team.mismatch(this.#route.neighbours[this.#towards]);
        this.#take(at);
        receiver.release();
        this.#arrived = true;
      }
      for (; this.#served < this.#senders.length; this.#served++) {
        if (this.#served === this.#towards) continue;
        const sender = this.#senders[this.#served];
        const at = sender.tryClaim();
        if (at < 0) return sender;
        this.#give(at);
        sender.publish(this.#tag);
      }
      this.#start += PAYLOAD_BYTES;
      if (this.#start >= this.#end) return null;
      this.#arrived = this.#towards < 0;
      this.#served = 0;
    }
  }

  #take(at: number): void {
    const region = this.region;
    if (region === null) this.result = this.#team.heap.f64[at >>> 3];
    else fill(this.#team, region, this.#start, this.#bytes(region), at);
  }

  #give(at: number): void {
    const region = this.region;
    if (region === null) this.#team.heap.f64[at >>> 3] = this.result;
    else load(this.#team, region, this.#start, this.#bytes(region), at);
  }

  #bytes(region: Region): number {
    return Math.min(PAYLOAD_BYTES, region.bytes - this.#start);
  }
}
