/** What is said of a call that a conveyor's state does not admit. */
import { StateError } from "../../base/errors.ts";
import type { ConveyorState } from "../../status/state.ts";

const ADVICE: Readonly<Record<string, string>> = {
  begin: "finish the session (advance until it returns DONE), and reset.",
  push: "push between begin and the first advance(true).",
  reset: "go on calling pull and advance(true) until advance returns DONE.",
  free: "finish the session first: advance(true) until it returns DONE.",
  other: "call begin first.",
};

/** Of a call of a conveyor. @param state "freed" for one that has been freed */
export function stateError(call: string, state: ConveyorState | "freed"): StateError {
  if (state === "freed") return new StateError(`${call}: this conveyor has been freed; make another.`);
  if (state === "begin" || state === "reset") return underWayError(call, state);
  return new StateError(`${call}: the conveyor is ${state} at this PE; ${ADVICE[call] ?? ADVICE.other}`);
}

/** Of a call while a begin or a reset waits for the others. */
export const underWayError = (call: string, state: "begin" | "reset"): StateError =>
  new StateError(
    `${call}: ${state} of this conveyor is under way at this PE, in a call that is awaited elsewhere (batches, runAsync); ` +
      "await the end of that call first.",
  );
