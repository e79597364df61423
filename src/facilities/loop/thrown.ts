/** What has ended a loop, or a run of tasks, at one PE is thrown at all PEs of the group. */
import { type Detail, decodeThrown, type EncodedError, encodeThrown } from "../../ground/base/error-data.ts";
import type { Task } from "../../ground/wait/task.ts";
import type { Seat } from "../../pe/seat.ts";

/** How much of an error the other threads get. */
export const DETAIL: Detail = { depth: 4, count: 20, bytes: 65536, stack: 10_000, words: 10_000 };

/** @param root the PE that has ended it @param own its error, at that PE @returns that error, at all */
export function* thrownAt({ rank, collectives }: Seat, root: number, own: unknown): Task<unknown> {
  const told = root === rank ? encodeThrown(own, DETAIL) : undefined;
  const known = yield* collectives.task(collectives.backend.broadcast(told as EncodedError, root));
  return root === rank ? own : decodeThrown(known);
}
