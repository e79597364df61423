/** The boards of real PEs, in the block of the team (team-block.ts). */
import type { Heap } from "../../ground/memory/heap.ts";
import type { Wakers } from "../../ground/wait/wakers.ts";
import { AddressBoard } from "./address-board.ts";
import { DividedCopy } from "./divided-copy.ts";
import { EagerBoard } from "./eager-board.ts";
import { EagerSlots } from "./eager-slots.ts";
import type { TeamBoards, TeamPlace } from "./medium.ts";
import { mediumParts } from "./team-block.ts";

/** Those of one PE. @param offset as of Medium.boards */
export function heapBoards(
  { heap, wakers }: { readonly heap: Heap; readonly wakers: Wakers },
  { members, rank }: TeamPlace,
  offset: number,
): TeamBoards {
  const at = mediumParts(members.length);
  const headers = new EagerSlots(heap.i32, offset + at.slots, rank, members, wakers);
  return {
    board: new AddressBoard(heap.i32, offset + at.board, rank, members, wakers),
    eager: new EagerBoard(headers, rank, members.length),
    division: new DividedCopy(heap.i32, offset + at.division, rank, members, wakers),
  };
}
