/** The calls of a team, as seen by a thread that is none of its PEs. */
import type { Heap } from "../../ground/memory/heap.ts";
import { CallComparison } from "./call-comparison.ts";
import { CallLog } from "./call-log.ts";
import { describeCall } from "./call-words.ts";
import { exitBytes } from "./exit.ts";

/**
 * The earliest call up to number `last` that not all PEs made alike, in words; undefined if the call log has none.
 * @param offset byte offset of the team's block
 * @param members by rank in the world @param where the team, for the message
 */
export function differenceSeen(
  heap: Pick<Heap, "i32">,
  offset: number,
  members: readonly number[],
  last: number,
  where: string,
): string | undefined {
  const callLog = new CallLog(heap.i32, offset + exitBytes(members.length), 0);
  return new CallComparison(callLog, members, 0, where).difference(last);
}

/** The last call of a PE, in words; undefined if it has made none. @param rank in the team */
export function lastSeen(heap: Pick<Heap, "i32">, offset: number, size: number, rank: number): string | undefined {
  const call = new CallLog(heap.i32, offset + exitBytes(size), 0).last(rank);
  return call && describeCall(call);
}
