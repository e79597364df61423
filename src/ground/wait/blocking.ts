/** Calls that block the thread, where some PEs share one: virtual PEs. */
import { UsageError } from "../base/errors.ts";

/**
 * The error of a call that would block.
 * @param instead what to await in its place, or a loop that awaits.
 * @default its Async form
 */
export const blocks = (call: string, instead = `${call}Async()`): UsageError =>
  new UsageError(
    `${call}: expected a call that does not block, as virtual PEs share a thread: use ${instead.startsWith("for ") ? "" : "await "}${instead} there. It works on real PEs, too.`,
  );

/** What says whether calls may block the thread: a PE that has one for itself. */
export interface MayBlock {
  readonly mayBlock: boolean;
}

/**
 * Not for calls of one item, where callers look by themselves: here all kinds of objects meet in one place.
 * @param instead as for {@link blocks}
 * @throws UsageError where a call must not block
 */
export function checkBlocking({ mayBlock }: MayBlock, call: string, instead?: string): void {
  if (!mayBlock) throw blocks(call, instead);
}
