/**
 * Short arrays over nodes, blocking: what arrays.ts does by routines, step for step and message for message, without these, which
 * take longer than the messages. Arrays whose bytes go with the message itself, so that nothing is lent.
 */

import type { Reducer } from "../../memory/kernels/kernels.ts";
import { INLINE_BYTES } from "../../transport/messages/layout.ts";
import { block } from "../../wait/waiter.ts";
import type { Call } from "../calls/call.ts";
import type { Region } from "../node/region.ts";
import { type ExchangePartners, exchangePartners } from "../team/links.ts";
import type { Span } from "./hierarchy.ts";

/** Whether an array is short. All nodes say the same of a call, or get a mismatch. */
export const isShort = ({ bytes }: Region): boolean => bytes <= INLINE_BYTES;

/** One PE's calls of short arrays in a group over several nodes. */
export class HotArrays {
  readonly #span: Span;
  readonly #partners: ExchangePartners;

  constructor(span: Span) {
    this.#span = span;
    this.#partners = exchangePartners(span.parts.length, span.own);
  }

  /** A call of this PE's part to its end. */
  within(call: Call<unknown>, tag: number): void {
    const { waiter } = this.#span.team;
    const operation = call.begin(tag);
    for (let wait = operation.advance(); wait !== null; wait = operation.advance()) block(waiter, wait);
    call.finish(operation.result);
  }

  /** As relayElements. */
  relay(region: Region, root: number): void {
    const span = this.#span;
    const { parent, children } = span.place(root, true);
    if (parent < 0 && children.length === 0) return;
    const { bytes } = region;
    const isSource = parent < 0;
    const address = isSource ? this.#staged(region) : this.#room(region);
    if (!isSource) span.takeTo(parent, address, bytes);
    for (let i = 0; i < children.length; i++) span.give(children[i], address, bytes);
    if (!isSource) this.#back(region, address);
  }

  /** As reduceElements. */
  reduce(region: Region, reducer: Reducer, root: number): void {
    const span = this.#span;
    const { parent, children } = span.place(root, false);
    const { bytes } = region;
    const count = bytes / region.size;
    const address = this.#staged(region);
    for (let i = children.length - 1; i >= 0; i--) {
      reducer(address, this.#taken(children[i], bytes), count);
    }
    if (parent >= 0) span.give(parent, address, bytes);
    else this.#back(region, address);
  }

  /** As exchangeElements. */
  exchange(region: Region, reducer: Reducer, commutes: boolean): void {
    const span = this.#span;
    const { own } = span;
    const { kernels } = span.team.heap;
    const { core, folded, rounds } = this.#partners;
    const { bytes } = region;
    const count = bytes / region.size;
    const address = this.#staged(region);
    if (own >= core) {
      span.give(span.speaker(folded), address, bytes);
      span.takeTo(span.speaker(folded), address, bytes);
    } else {
      if (folded >= 0) reducer(address, this.#taken(span.speaker(folded), bytes), count);
      for (let i = 0; i < rounds.length; i++) {
        const peer = span.speaker(rounds[i]);
        span.give(peer, address, bytes);
        const other = this.#taken(peer, bytes);
        if (rounds[i] > own || commutes) {
          reducer(address, other, count);
        } else {
          // the lower part's elements come first
          reducer(other, address, count);
          kernels.copy(address, other, bytes);
        }
      }
      if (folded >= 0) span.give(span.speaker(folded), address, bytes);
    }
    this.#back(region, address);
  }

  /** Room for the elements in the heap, where they do not lie there. */
  #room({ array, address }: Region): number {
    return array === null ? address : this.#span.stage.take(INLINE_BYTES);
  }

  #staged(region: Region): number {
    const address = this.#room(region);
    const { array, type, bytes } = region;
    if (array !== null) this.#span.team.payload.put(array, type, 0, bytes, address);
    return address;
  }

  #back({ array, type, bytes }: Region, address: number): void {
    if (array !== null) this.#span.team.payload.get(array, type, 0, bytes, address);
  }

  #taken(from: number, bytes: number): number {
    const address = this.#span.scratch.take(INLINE_BYTES);
    this.#span.takeTo(from, address, bytes);
    return address;
  }
}
