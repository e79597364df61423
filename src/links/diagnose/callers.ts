/** In which calls the PEs of a world were when they heard that it had ended, by the lines of the program. */

import { labelled, type Said } from "../../ground/wait/who.ts";
import { callerAt } from "../status/layout.ts";
import type { Watched } from "./diagnose.ts";

/** PEs, or groups of them, that are told. */
const MOST = 8;

/**
 * As a sentence: `Where they were: PE 0: barrier at floyd.ts:12; PE 1: in no call, after
 * barrier.`; "" if no PE has told its line.
 * @param about PEs that are to be told of, by rank in the world
 * @param lastCall of a PE, in words
 */
export function callersText(
  { heap, offset, first, wakers }: Watched,
  about: readonly number[],
  lastCall: (rank: number) => string | undefined,
): string {
  let isKnown = false;
  const said = about.map((rank): Said => {
    const word = callerAt(offset, rank - first);
    // pairs with the store in links/status/status.ts
    const length = Atomics.load(heap.i32, word);
    if (length > 0) {
      isKnown = true;
      return { rank, text: new TextDecoder().decode(heap.u8.slice(4 * word + 4, 4 * word + 4 + length)) };
    }
    if (wakers.losses.isLost(rank)) return { rank, text: "is lost" };
    if (wakers.departed(rank)) return { rank, text: "has returned" };
    const last = lastCall(rank);
    return { rank, text: `in no call${last === undefined ? "" : `, after ${last}`}` };
  });
  return isKnown ? `Where they were: ${labelled(said, MOST).join("; ")}.` : "";
}
