/** Code that is generated for a mailbox: a send that makes no list of its arguments where there is room. */
import { type AnyPush, generate } from "../conveyor/code.ts";

/** A send; gives nothing when the item is in the conveyor, else what the {@link Rest} gives. */
export type AnySendTo = (dest: number, ...values: readonly unknown[]) => unknown;

/** What is done where there is no room, or what was sent before has to go first. */
export type Rest = (dest: number, values: readonly unknown[]) => unknown;

/** Says whether a push is in order. */
export interface Gate {
  readonly isClear: boolean;
}

/** @param count of arguments beside the destination */
export function sendToCode(count: number, gate: Gate, push: AnyPush, rest: Rest): AnySendTo {
  const parameters = Array.from({ length: count }, (_, i) => `a${i}`).join(", ");
  const source = `"use strict";
    return function send(dest, ${parameters}) {
      // push says what is wrong with too many or too few
      if (arguments.length !== ${count + 1}) push(...arguments);
      if (gate.isClear && push(dest, ${parameters})) return undefined;
      return rest(dest, [${parameters}]);
    };`;
  return generate(source, { gate, push, rest }) as AnySendTo;
}
