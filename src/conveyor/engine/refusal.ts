/** Errors for calls that a conveyor's state does not allow. */
import { StateError } from "../../base/errors.ts";
import type { ConveyorState } from "../../status/state.ts";

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
    `${call}: begin of this conveyor is still pending at this PE, in an asynchronous call (batches, runAsync); ` +
      "await that call first.",
  );
