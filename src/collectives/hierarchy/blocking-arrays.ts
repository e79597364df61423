/**
 * Short arrays over nodes, blocking: what arrays.ts does by routines, step for step and message for message, without these, which
 * take longer than the messages. Arrays whose bytes go with the message itself, so that nothing is lent.
 */

import type { Reducer } from "../../memory/kernels/kernels.ts";
import { EAGER_BYTES } from "../../transport/messages/layout.ts";
import { block } from "../../wait/waiter.ts";
import type { Call } from "../calls/call.ts";
import type { Region } from "../node/region.ts";
import { type ExchangePartners, exchangePartners } from "../team/links.ts";
import type { Hierarchy } from "./hierarchy.ts";

/** Whether an array is short. All nodes say the same of a call, or get a mismatch. */
export const isShort = ({ bytes }: Region): boolean => bytes <= EAGER_BYTES;

/** One PE's calls of short arrays in a group over several nodes. */
export class HotArrays {
  readonly #hierarchy: Hierarchy;
  readonly #partners: ExchangePartners;

  constructor(hierarchy: Hierarchy) {
    this.#hierarchy = hierarchy;
    this.#partners = exchangePartners(hierarchy.parts.length, hierarchy.own);
  }

  /** A call of this PE's part to its end. */
  within(call: Call<unknown>, tag: number): void {
    const { waiter } = this.#hierarchy.team;
    const operation = call.begin(tag);
    for (let wait = operation.advance(); wait !== null; wait = operation.advance()) block(waiter, wait);
    call.finish(operation.result);
  }

  /** As relayElements. */
  relay(region: Region, root: number): void {
    const hierarchy = this.#hierarchy;
    const { parent, children } = hierarchy.place(root, true);
    if (parent < 0 && children.length === 0) return;
    const { bytes } = region;
    const isSource = parent < 0;
    const address = isSource ? this.#staged(region) : this.#room(region);
    if (!isSource) hierarchy.takeTo(parent, address, bytes);
    for (let i = 0; i < children.length; i++) hierarchy.give(children[i], address, bytes);
    if (!isSource) this.#back(region, address);
  }

  /** As reduceElements. */
  reduce(region: Region, reducer: Reducer, root: number): void {
    const hierarchy = this.#hierarchy;
    const { parent, children } = hierarchy.place(root, false);
    const { bytes } = region;
    const count = bytes / region.size;
    const address = this.#staged(region);
    for (let i = children.length - 1; i >= 0; i--) {
      reducer(address, this.#taken(children[i], bytes), count);
    }
    if (parent >= 0) hierarchy.give(parent, address, bytes);
    else this.#back(region, address);
  }

  /** As exchangeElements. */
  exchange(region: Region, reducer: Reducer, commutes: boolean): void {
    const hierarchy = this.#hierarchy;
    const { own } = hierarchy;
    const { kernels } = hierarchy.team.heap;
    const { core, folded, rounds } = this.#partners;
    const { bytes } = region;
    const count = bytes / region.size;
    const address = this.#staged(region);
    if (own >= core) {
      hierarchy.give(hierarchy.leader(folded), address, bytes);
      hierarchy.takeTo(hierarchy.leader(folded), address, bytes);
    } else {
      if (folded >= 0) reducer(address, this.#taken(hierarchy.leader(folded), bytes), count);
      for (let i = 0; i < rounds.length; i++) {
        const peer = hierarchy.leader(rounds[i]);
        hierarchy.give(peer, address, bytes);
        const other = this.#taken(peer, bytes);
        if (rounds[i] > own || commutes) {
          reducer(address, other, count);
        } else {
          // the lower part's elements come first
          reducer(other, address, count);
          kernels.copy(address, other, bytes);
        }
      }
      if (folded >= 0) hierarchy.give(hierarchy.leader(folded), address, bytes);
    }
    this.#back(region, address);
  }

  /** Room for the elements in the heap, where they do not lie there. */
  #room({ array, address }: Region): number {
    return array === null ? address : this.#hierarchy.stage.take(EAGER_BYTES);
  }

  #staged(region: Region): number {
    const address = this.#room(region);
    const { array, type, bytes } = region;
    if (array !== null) this.#hierarchy.team.payload.put(array, type, 0, bytes, address);
    return address;
  }

  #back({ array, type, bytes }: Region, address: number): void {
    if (array !== null) this.#hierarchy.team.payload.get(array, type, 0, bytes, address);
  }

  #taken(from: number, bytes: number): number {
    const address = this.#hierarchy.scratch.take(EAGER_BYTES);
    this.#hierarchy.takeTo(from, address, bytes);
    return address;
  }
}
