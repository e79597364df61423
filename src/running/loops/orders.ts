/**
 * What a launcher and the PEs of its world say to each other about loops.
 *
 * A session is a run of loops.program.ts, in which the PEs take one loop after the other; it ends when none has come
 * for a while, over nodes after one (loop-run.ts). Orders go by a BroadcastChannel, from which PEs take them without an
 * event loop; what is said goes by `pe.post`. Two words in memory that all see:
 *
 *     0       4        8
 *     ┌───────┬────────┐
 *     │ STATE │ CANCEL │
 *     └───────┴────────┘
 *     STATE   the number of the last order, from 1 on; RESERVED while the next one is sent; less than 0, by closedAfter,
 *             when none comes after it
 *     CANCEL  the number of an order whose loop is to end early
 */
import type { GivenLoop } from "../../facilities/loop/given.ts";
import type { Runs } from "../../facilities/loop/map-each.ts";
import type { EncodedError } from "../../ground/base/error-data.ts";

/** Loops that can be begun outside the PEs. */
export type LoopCall = GivenLoop["call"];

export const STATE = 0;
export const CANCEL = 1;
export const WORDS = 2;

export const RESERVED = 0;
/** PEs that have not taken the last order yet take it all the same. */
export const closedAfter = (number: number): number => -number;

/** A loop, for all PEs. */
export interface LoopOrder {
  /** From 1 on, in a session. */
  readonly number: number;
  readonly loop: GivenLoop;
  /** Where the body is: the URL of a module, and the name that it exports it by. */
  readonly module: string;
  readonly name: string;
  /** Whether it may be cancelled; whether the node's first PE tells how far it is. */
  readonly isLimited: boolean;
  readonly tells: boolean;
}

/** How a session begins. */
export interface Opening {
  readonly words: Int32Array;
  /** The name of the channel. */
  readonly channel: string;
  readonly first: LoopOrder;
}

/** What PEs say of a loop to their process: values, how far all are, and in the end how it has ended. */
export type LoopReport = { readonly number: number } & (
  | { readonly runs: Runs }
  | { readonly done: number }
  | { readonly error: EncodedError }
  | { readonly value: number | undefined }
);
