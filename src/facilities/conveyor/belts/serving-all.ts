/**
 * Answers of a biconveyor by columns: all queries of a received buffer are answered at once, and their replies are
 * pushed as columns. What finds no room waits, and no further query is taken meanwhile.
 */

import { isPromise, promiseError } from "../../../ground/base/promise.ts";
import {
  type ColumnArray,
  type Columns,
  columnFor,
  columnKind,
  columnsIn,
  type ItemLane,
  lanesOf,
} from "../../../ground/item/columns.ts";
import type { ItemType } from "../../../ground/item/item-type.ts";
import { INSTEAD } from "../codegen/returned.ts";
import type { Batch } from "./batch.ts";
import type { RigidBelt } from "./rigid.ts";
import { isDirect } from "./serving.ts";

/**
 * Answers queries that have come together: takes them as {@link Batch}, as pullAll of a conveyor gives them, valid
 * until it returns, and may write into their arrays; gives the replies as columns of at least `queries.count` elements,
 * reply i to query i. It may return the same arrays every time.
 */
export type AnswerAll<Q extends ItemType, R extends ItemType> = (queries: Batch<Q>) => Columns<R>;

/** An answer by columns. */
export interface AnswersAll<Q extends ItemType, R extends ItemType> {
  readonly answerAll: AnswerAll<Q, R>;
}

/** Replies that are not all pushed: copies, as the caller may reuse its arrays. */
interface Owed {
  readonly dests: Uint32Array | null;
  readonly columns: readonly ColumnArray[];
  readonly count: number;
  next: number;
}

const WHO = "biconveyor: the answer";

/** See {@link BiParts.serve}. */
export function servingAll<Q extends ItemType, R extends ItemType>(
  queries: RigidBelt<Q>,
  replies: RigidBelt<R>,
  reply: R,
  answerAll: AnswerAll<Q, R>,
): () => boolean {
  const lanes = lanesOf(reply);
  const isToOne = isDirect(queries, replies);
  /** The destinations of the replies: the answer may have written into those of its batch. */
  let askers = new Uint32Array(0);
  let owed: Owed | null = null;
  /** The PE that they are from then. */
  let asker = 0;

  const push = (dests: Uint32Array | null, columns: readonly ColumnArray[], first: number, end: number): number =>
    dests === null
      ? replies.pusher.pushTo(asker, columns, first, end)
      : replies.pusher.push(dests, columns, first, end);

  const answered = (batch: Batch<Q>, count: number): readonly ColumnArray[] => {
    try {
      const given: unknown = answerAll(batch);
      if (isPromise(given)) throw promiseError(WHO, INSTEAD.answer);
      return columnsIn(lanes, given, count, WHO);
    } catch (error) {
      // no query is lost: if the caller catches the error, they are asked again
      for (let i = 0; i < count; i++) queries.unpull();
      throw error;
    }
  };

  return () => {
    if (owed !== null) {
      owed.next = push(owed.dests, owed.columns, owed.next, owed.count);
      if (owed.next < owed.count) return false;
      owed = null;
    }
    const batch = queries.pullAll();
    if (batch === null) return true;
    const { count } = batch;
    asker = queries.from;
    if (!isToOne) {
      if (askers.length < count) askers = new Uint32Array(count);
      askers.set(batch.from);
    }
    const columns = answered(batch, count);
    const dests = isToOne ? null : askers;
    const next = push(dests, columns, 0, count);
    if (next === count) return true;
    owed = {
      dests: dests?.slice(next, count) ?? null,
      columns: columns.map((column, k) => part(lanes[k], column, next, count)),
      count: count - next,
      next: 0,
    };
    return false;
  };
}

/** A copy of some items of a column. */
function part(lane: ItemLane, column: ColumnArray, first: number, end: number): ColumnArray {
  const { each } = columnKind(lane);
  // not slice, which gives a view for a Buffer
  const copy = columnFor(lane, end - first) as Uint8Array;
  copy.set(column.subarray(first * each, end * each) as Uint8Array);
  return copy;
}
