/** How the calls of shared objects wait: one task for the blocking and the Async form. */
import { checkOptions } from "../../../ground/base/options.ts";
import { checkBlocking } from "../../../ground/wait/blocking.ts";
import { WAIT, type WaitOptions } from "../../../ground/wait/options.ts";
import { awaitOn, blockOn, type Task } from "../../../ground/wait/task.ts";
import type { SharedBlock } from "../block.ts";

/** Takes a call of an object to its end in the thread. @throws UsageError where calls must not block */
export function blockIn<T>({ seat }: SharedBlock, call: string, task: Task<T>, options: WaitOptions | undefined): T {
  checkBlocking(seat.waiter, call);
  if (options !== undefined) checkOptions(call, WAIT, options);
  return blockOn(seat, task, options?.timeout);
}

/** The same without blocking. */
export function awaitIn<T>(
  { seat }: SharedBlock,
  call: string,
  task: Task<T>,
  options: WaitOptions | undefined,
): Promise<T> {
  if (options !== undefined) checkOptions(call, WAIT, options);
  return awaitOn(seat, task, options);
}
