/** Sequential models of what agreement is used for. */
import type { Model } from "./history.ts";

/** An operation on a store, and its result: of get the value or null, of set null, of delete and cas whether it has done it. */
export type StoreOp =
  | { readonly kind: "get"; readonly key: string }
  | { readonly kind: "set"; readonly key: string; readonly value: string }
  | { readonly kind: "delete"; readonly key: string }
  /** `expected` is null for a key that is not there. */
  | {
      readonly kind: "cas";
      readonly key: string;
      readonly expected: string | null;
      readonly value: string;
    };
export type StoreResult = string | boolean | null;

/** No value: a text that no test writes. */
const ABSENT = "\0";

/** A register for each key, with compare-and-set. */
export const storeModel: Model<string, StoreOp, StoreResult> = {
  initial: ABSENT,
  step(state, op, result) {
    switch (op.kind) {
      case "get":
        return result === undefined || result === (state === ABSENT ? null : state) ? state : undefined;
      case "set":
        return op.value;
      case "delete":
        return result === undefined || result === (state !== ABSENT) ? ABSENT : undefined;
      case "cas": {
        const holds = state === (op.expected ?? ABSENT);
        if (result !== undefined && result !== holds) return undefined;
        return holds ? op.value : state;
      }
    }
  },
  partOf: (op) => op.key,
};

/** Adds an amount; the result is the sum after it. */
export const counterModel: Model<number, number, number> = {
  initial: 0,
  step: (state, amount, result) => (result === undefined || result === state + amount ? state + amount : undefined),
};

/** A decision that is taken once: each proposal is told the first one. */
export const decisionModel: Model<string, string, string> = {
  initial: "",
  step(state, proposal, result) {
    const decided = state || proposal;
    return result === undefined || result === decided ? decided : undefined;
  },
};

/** A log of one-letter entries: an append is told its position, a read (of null) all of the log. */
export const logModel: Model<string, string | null, number | string> = {
  initial: "",
  step(state, entry, result) {
    if (entry === null) return result === undefined || result === state ? state : undefined;
    return result === undefined || result === state.length ? state + entry : undefined;
  },
};
