/** Errors for calls that a conveyor's state, or its item type, does not allow. */
import { lengthOf } from "../../../ground/base/byte-length.ts";
import { RigidError, StateError, TundishError, UsageError } from "../../../ground/base/errors.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import { describeItem, type ItemType } from "../../../ground/item/item-type.ts";
import type { ConveyorState } from "../../../links/status/state.ts";

const ADVICE: Readonly<Record<string, string>> = {
  begin: "finish the session (advance until it returns DONE), and reset.",
  push: "push between begin and the first advance(true).",
  reset: "keep calling pull and advance(true) until advance returns DONE.",
  free: "finish the session first: advance(true) until it returns DONE.",
  other: "call begin first.",
};

/** The error for a call of a conveyor. @param state "freed" for a freed one */
export function stateError(call: string, state: ConveyorState | "freed"): StateError {
  if (state === "freed") return new StateError(`${call}: this conveyor was freed; make another.`);
  if (state === "begin") return underWayError(call);
  return new StateError(`${call}: the conveyor is ${state} at this PE; ${ADVICE[call] ?? ADVICE.other}`);
}

/** The error for a call while a begin waits for other PEs. */
export const underWayError = (call: string): StateError =>
  new StateError(
    `${call}: begin of this conveyor is still pending at this PE, in an asynchronous call (beginAsync, batches, runAsync); ` +
      "await that call first.",
  );

/** The error for a push whose arguments are no item. */
export function misfitError(item: ItemType, given: ArrayLike<unknown>): RigidError | UsageError {
  const length = lengthOf(given[1]);
  if (item.kind === "bytes" && length >= 0 && given.length === 2) {
    return new RigidError(
      `push: the items of this conveyor have ${item.bytes} bytes, got ${length}. An elastic conveyor accepts any length.`,
    );
  }
  return new UsageError(
    `push: expected a rank and ${describeItem(item)}, got (${Array.from(given, shortText).join(", ")})`,
  );
}

/** For advance(false) of a PE that is done. */
export function warnOfAdvance(rank: number): void {
  process.emitWarning(
    `advance(false) at PE ${rank} after advance(true): a PE that is done stays done, so this call counts as advance(true).`,
    { code: "TUNDISH_ADVANCE" },
  );
}

/** The error of a push or pushAll that another call has made: it has the name of that one. */
export function renamed(error: unknown, call: string): unknown {
  if (error instanceof TundishError && /^push(All)?:/.test(error.message)) {
    const { message, stack } = error;
    error.message = call + message.slice(message.indexOf(":"));
    if (stack !== undefined) error.stack = stack.replace(message, error.message);
  }
  return error;
}

/**
 * For pushes, which count `arguments`: a rest parameter would make an array for each item.
 * @throws UsageError for a push of one item with fewer or more arguments than two
 */
export function wrongCount(call: string, count: number): never {
  throw new UsageError(
    `${call}: expected a rank and one item, got ${count === 1 ? "1 argument" : `${count} arguments`}`,
  );
}
