/**
 * A loop as a record in the log of calls, by which those of the PEs are compared: its word has the call, the op and the
 * schedule; in place of a root, which is negative then, stand its other terms:
 *
 *     -2 - root   30       19 18  17                                    0
 *                 ┌──────────┬───┬──────────────────────────────────────┐
 *                 │  chunk   │ W │ hash of range, weights, place of results │
 *                 └──────────┴───┴──────────────────────────────────────┘
 *
 * chunk is 0 for none; a longer one than 2047 is 2048 + a hash of it. W: wait is false.
 */
import { type CallName, callWord, type OpName } from "../../collectives/team/call-words.ts";
import { fnv1a } from "../../ground/base/hash.ts";
import type { LoopSchedule } from "./chunks/options.ts";
import type { LoopJob } from "./job.ts";

/** The loop before, whose word is known: the same ones come again and again. */
let last: {
  readonly call: string;
  readonly op: OpName;
  readonly schedule: LoopSchedule;
  readonly word: number;
} | null = null;

/** The word of a loop. An Async call has that of its blocking form. */
export function wordOf({ call, op, options: { schedule = "steal" } }: LoopJob<unknown>): number {
  if (last === null || last.call !== call || last.op !== op || last.schedule !== schedule) {
    const word = callWord(call.replace(/Async$/, "") as CallName, op, "", schedule);
    last = { call, op, schedule, word };
  }
  return last.word;
}

/** Its other terms, in place of a root. */
export function termsOf({ options, terms }: LoopJob<unknown>): number {
  const { chunk = 0, weights, wait = true } = options;
  const all = weights === undefined ? terms : terms ^ fnv1a(weights);
  const hash = (all ^ (all >>> 18)) & 0x3ffff;
  const shown = chunk < 2048 ? chunk : 2048 + ((Math.imul(chunk, 0x9e3779) >>> 8) % 2047);
  return -2 - ((shown << 19) | (wait ? 0 : 1 << 18) | hash);
}
