/**
 * As {@link runSession}, where the items are columns and a loop in compiled code moves them
 * (belts/compiled-session.ts): it comes back for each buffer that is handed out, and to wait.
 */
import type { ItemType } from "../../../ground/item/item-type.ts";
import { IN_OWN_CODE, IN_SINK, IN_SOURCE } from "../../../links/status/layout.ts";
import { COMPLETE, DONE, OK } from "../../../links/status/state.ts";
import { ASLEEP, type CompiledSession, IDLE, MISFIT, OVER, PUSHED } from "../belts/compiled-session.ts";
import type { RigidBelt } from "../belts/rigid.ts";
import { renamed } from "../engine/refusal.ts";
import type { PushedColumns } from "./bulk.ts";

/** Polls before the first turn that waits: some 10 us. */
const SPINS = 1000;

/** @param source checked @param hand passes what is left of the inbox's buffer to the sink, or some of it */
export function runCompiled<I extends ItemType>(
  belt: RigidBelt<I>,
  session: CompiledSession,
  source: PushedColumns<I>,
  hand: () => void,
): void {
  belt.beginPatience();
  belt.begin();
  try {
    turns(belt, session, source, hand);
  } catch (error) {
    throw belt.fail(renamed(error, "run"));
  } finally {
    belt.reportPlace(IN_OWN_CODE);
  }
  belt.endSession();
}

function turns<I extends ItemType>(
  belt: RigidBelt<I>,
  session: CompiledSession,
  { dests, columns, first = 0, end = dests.length }: PushedColumns<I>,
  hand: () => void,
): void {
  const { inbox } = belt.machinery;
  const { pusher } = belt;
  let next = first;
  /** The end of what is staged; 0 if it has to be staged. */
  let staged = first;
  let isIdle = false;
  do {
    if (next === staged || staged === 0) staged = next === end ? end : belt.stage(dests, columns, next, end);
    const before = next;
    const isAll = staged === end;
    const why = session.proceed(pusher.destsAt, pusher.rowsAt, next, staged, isAll, isIdle ? 0 : SPINS);
    next = session.next;
    if (why === PUSHED || why === ASLEEP) continue;
    if (why === MISFIT) belt.checkRank(dests[next], `run: dests[${next}]`);
    const isDone = next === end;
    if (isDone) belt.declareDone();
    isIdle = why === IDLE && next === before;
    if (belt.endTurn(isDone, why === OVER ? DONE : OK, !isIdle) === DONE) return;
    if (inbox.next === inbox.limit) continue;
    belt.reportPlace(IN_SINK);
    hand();
    belt.reportPlace(isDone ? IN_OWN_CODE : IN_SOURCE);
    // the sink may have used the staging
    if (!isDone) staged = 0;
  } while (belt.phase !== COMPLETE);
}
