/**
 * The shared memory of a resilient group, on each of its nodes:
 *
 *     ┌────────────────┬──────────────┬──────────────────────────┬──────────────┐
 *     │ AWAITED i32    │ LEFT i32     │ unused                   │              │  line
 *     ├────────────────┼──────────────┼──────────────────────────┼──────────────┤
 *     │ CAME i32       │ unused                                                 │  line of PE 0; PE 1 …
 *     ├────────────────┼──────────────┬──────────────┬──────────────────────────┤
 *     │ DECIDED i32    │ of epoch 1   │ of epoch 2   │ …                        │  a word for each epoch
 *     ├────────────────┴──────────────┼──────────────┴───────────┬──────────────┤
 *     │ ESTIMATE i32, ESTIMATE i32    │ of epoch 1               │ …            │  two words for each epoch
 *     └───────────────────────────────┴──────────────────────────┴──────────────┘
 *
 * AWAITED is 1: PEs that wait are always looked for. LEFT counts the PEs that have left. CAME is the last step that the
 * PE has come to the end of, plus 1. DECIDED of an epoch is its last decision, see decisions.ts. ESTIMATE is what the
 * node says in the agreement of several nodes, of an even step and of an odd one (agreement.ts). There are as many
 * epochs as PEs, as each ends with the loss of one.
 */
import { LINE } from "../../ground/memory/heap-layout.ts";

/** Words in the block. */
export const AWAITED = 0;
export const LEFT = 1;

const LINE_WORDS = LINE / 4;

/** Word of a PE, and of an epoch. @param size PEs of the group */
export const cameWord = (pe: number): number => (1 + pe) * LINE_WORDS;
export const decidedWord = (size: number, epoch: number): number => (1 + size) * LINE_WORDS + epoch;

const epochs = (size: number): number => Math.ceil(size / LINE_WORDS) * LINE_WORDS;

/** Word of a step, of which there are two at most in an epoch that need it: one after the other. */
export const estimateWord = (size: number, epoch: number, step: number): number =>
  decidedWord(size, epochs(size)) + 2 * epoch + (step & 1);

export const blockBytes = (size: number): number => 4 * estimateWord(size, epochs(size), 0);
