/**
 * The medium of real PEs: the heap that they share.
 *
 *     ┌───────────────┬────────────────────────┬──────────────────────────────────┬──────────────────────┬────────────┐
 *     │ address board │ slots (eager-slots.ts) │ divided copies (divided-copy.ts) │ staging (staging.ts) │ links      │
 *     │ (of its file) │                        │                                  │                      │ (links.ts) │
 *     └───────────────┴────────────────────────┴──────────────────────────────────┴──────────────────────┴────────────┘
 */
import type { CollectivePlan } from "../../../trees/model/tree.ts";
import type { ChannelKind } from "../../ground/base/channel-kinds.ts";
import type { Heap } from "../../ground/memory/heap.ts";
import type { Waiter } from "../../ground/wait/waiter.ts";
import type { Wakers } from "../../ground/wait/wakers.ts";
import { AddressBoard, addressBoardBytes } from "./address-board.ts";
import { DividedCopy, dividedCopyBytes } from "./divided-copy.ts";
import { EagerSlots, eagerSlotsBytes } from "./eager-slots.ts";
import { LinkMap, Links } from "./links.ts";
import type { Medium, TeamParts, TeamPlace } from "./medium.ts";
import { Staging, stagingBytes } from "./staging.ts";

/** Bytes of the parts of a team. */
export const heapMediumBytes = (plan: CollectivePlan, size: number): number =>
  addressBoardBytes(size) +
  eagerSlotsBytes(size) +
  dividedCopyBytes(size) +
  stagingBytes(size) +
  new LinkMap(plan, size).bytes;

/** The parts that a PE gives for it. */
export interface HeapSeat {
  readonly heap: Heap;
  readonly wakers: Wakers;
  readonly waiter: Waiter;
  readonly channel: ChannelKind;
}

/** One PE's. */
export class HeapMedium implements Medium {
  readonly #seat: HeapSeat;

  constructor(seat: HeapSeat) {
    this.#seat = seat;
  }

  parts({ plan, members, rank }: TeamPlace, offset: number): TeamParts {
    const { heap, wakers, waiter, channel } = this.#seat;
    const size = members.length;
    const slotsOffset = offset + addressBoardBytes(size);
    const divisionOffset = slotsOffset + eagerSlotsBytes(size);
    const stagingOffset = divisionOffset + dividedCopyBytes(size);
    const linksOffset = stagingOffset + stagingBytes(size);
    return {
      board: new AddressBoard(heap.i32, offset, rank, members, wakers),
      headers: new EagerSlots(heap.i32, slotsOffset, rank, members, wakers),
      division: new DividedCopy(heap.i32, divisionOffset, rank, members, wakers),
      staging: new Staging(heap, stagingOffset, rank),
      links: new Links({ plan, members, rank, heap, waiter, wakers, channel }, linksOffset),
    };
  }
}
