/** Answers of a biconveyor, query by query. */
import { sentenceOf, UsageError } from "../../../ground/base/errors.ts";
import { isPromise, promiseError } from "../../../ground/base/promise.ts";
import { describeItem, type ItemType, type ItemValue } from "../../../ground/item/item-type.ts";
import { originOf } from "../../../route/geometry/route.ts";
import { type Answered, answerCode } from "../codegen/answer-code.ts";
import { replyCode } from "../codegen/bi-code.ts";
import type { Pushing } from "../codegen/parts.ts";
import { INSTEAD } from "../codegen/returned.ts";
import type { RigidBelt } from "./rigid.ts";
import { type Answer, copyOf } from "./rigid-bi.ts";

/** See {@link BiParts.serve}. */
export function serving<Q extends ItemType, R extends ItemType>(
  queries: RigidBelt<Q>,
  replies: RigidBelt<R>,
  query: Q,
  reply: R,
  answer: Answer<Q, R>,
): () => boolean {
  return isDirect(queries, replies)
    ? servingDirectly(queries, replies, query, reply, answer)
    : servingByPushes(queries, replies, reply, answer);
}

/** Whether all queries of a buffer are from one PE, and their replies go over one link, without tags. */
export const isDirect = (queries: RigidBelt<ItemType>, replies: RigidBelt<ItemType>): boolean =>
  queries.frame.choice.route.hops === 1 && replies.frame.choice.route.hops === 1;

/** The error for what is no reply. @param error what its push has thrown */
function misfitError(reply: ItemType, value: unknown, error: unknown): UsageError {
  if (isPromise(value)) return promiseError("biconveyor: the answer", INSTEAD.answer);
  return new UsageError(
    `biconveyor: expected the answer to be ${describeItem(reply)}; sending it: ${sentenceOf(error as Error)}`,
    { cause: error },
  );
}

/**
 * The replies to the queries of a buffer are written into the open buffer of their link, as many at a time as there is
 * room for.
 */
function servingDirectly<Q extends ItemType, R extends ItemType>(
  queries: RigidBelt<Q>,
  replies: RigidBelt<R>,
  query: Q,
  reply: R,
  answer: Answer<Q, R>,
): () => boolean {
  const inbox = queries.cursor;
  const { outbox } = replies;
  const { at, end } = outbox;
  const answered: Answered = { count: 0, value: undefined, isReplying: false };
  const refuse = replyCode(reply, { push: (...given) => replies.misfit(given) });
  const misfit = (from: number, value: unknown): void => {
    refuse(from, value);
  };
  const { route } = queries.frame.choice;
  const answerMany = answerCode(query, reply, queries.store, inbox, queries.view, answered, misfit);
  const answerSome = (link: number, count: number, from: number): void => {
    try {
      answerMany(answer, at[link], inbox.next, count, from);
    } catch (error) {
      throw answered.isReplying ? misfitError(reply, answered.value, error) : error;
    } finally {
      // the others are asked again if the caller catches the error
      inbox.pass(answered.count);
      at[link] += answered.count * reply.bytes;
      if (at[link] === end[link]) outbox.filled(link);
      answered.value = undefined;
    }
  };
  return () => {
    if (!queries.refill()) return true;
    const from = originOf(route, inbox.source, 0);
    const link = replies.frame.choice.route.link[from];
    while (inbox.next !== inbox.limit) {
      if (at[link] === end[link] && !outbox.open(link)) return false;
      const room = (end[link] - at[link]) / reply.bytes;
      answerSome(link, Math.min(room, (inbox.limit - inbox.next) / query.bytes), from);
    }
    // the next advance gives the buffer back, and gets the next one
    inbox.wanted = true;
    return true;
  };
}

/** Replies are pushed one by one. */
function servingByPushes<Q extends ItemType, R extends ItemType>(
  queries: RigidBelt<Q>,
  replies: RigidBelt<R>,
  replyItem: R,
  answer: Answer<Q, R>,
): () => boolean {
  const reply = replyCode(replyItem, replies as Pushing);
  /** A reply for which there was no room. */
  let owed: { readonly dest: number; readonly value: unknown } | null = null;
  let stage = DRAINING;
  /** The last returned object: it may be a promise. */
  let object: unknown = null;
  // small, so that V8 inlines it into the loop that calls it; errors are caught outside
  const sink = (query: ItemValue<Q>, from: number): boolean => {
    stage = ASKING;
    const value = answer(query, from);
    stage = REPLYING;
    if (typeof value === "object") object = value;
    const isSent = reply(from, value);
    // copied, as the caller may reuse the returned object while the reply waits
    if (!isSent) owed = { dest: from, value: copyOf(replyItem, value) };
    stage = DRAINING;
    return isSent;
  };
  const failure = (error: unknown): unknown => {
    // the query is not lost: if the caller catches the error, it is asked again
    if (stage !== DRAINING) queries.unpull();
    const isMisfit = stage === REPLYING;
    stage = DRAINING;
    const last = object;
    object = null;
    return isMisfit ? misfitError(replyItem, last, error) : error;
  };
  return () => {
    if (owed !== null) {
      if (!reply(owed.dest, owed.value)) return false;
      owed = null;
    }
    try {
      return queries.drain(sink as never);
    } catch (error) {
      throw failure(error);
    }
  };
}

/** The code that runs: none of the user's code, an answer, or the push of its reply. */
const DRAINING = 0;
const ASKING = 1;
const REPLYING = 2;
