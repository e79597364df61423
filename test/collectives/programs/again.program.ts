/**
 * One array in call after call, with other content each time: a call of an array of the heap is remembered, and what is
 * remembered must not hold any content. Gives how many results were compared.
 */
import * as assert from "uvu/assert";
import { type PE, type Spmd, spmd } from "../../../src/index.ts";

/** A few bytes, a few lines, and more than goes with a message. */
const LENGTHS = [1, 100, 5000];
const ROUNDS = 3;

const program: Spmd = spmd(async (pe: PE): Promise<number> => {
  const ranks = Array.from({ length: pe.size }, (_, rank) => rank);
  const element = (rank: number, round: number, i: number) => 1000 * rank + 10 * round + (i % 7);
  const total = (round: number, i: number) => ranks.reduce((sum, rank) => sum + element(rank, round, i), 0);
  let compared = 0;
  const compare = (array: Float64Array, expected: (i: number) => number, what: string) => {
    const wrong = array.findIndex((value, i) => value !== expected(i));
    if (wrong >= 0) assert.is(array[wrong], expected(wrong), `PE ${pe.rank}: ${what}, element ${wrong}`);
    compared++;
  };
  for (const length of LENGTHS) {
    for (const array of [pe.alloc(Float64Array, length), new Float64Array(length)]) {
      const fill = (round: number) => {
        for (let i = 0; i < length; i++) array[i] = element(pe.rank, round, i);
      };
      for (const root of ranks) {
        const isRoot = pe.rank === root;
        for (let round = 0; round < ROUNDS; round++) {
          const what = (call: string) => `${call} number ${round} of ${length} elements, root ${root}`;
          const mine = (i: number) => element(pe.rank, round, i);
          const sum = (i: number) => total(round, i);

          fill(round);
          pe.reduce(array, "sum", root);
          compare(array, isRoot ? sum : mine, what("reduce"));

          fill(round);
          pe.broadcast(array, root);
          compare(array, (i) => element(root, round, i), what("broadcast"));

          fill(round);
          pe.allreduce(array, "sum");
          compare(array, sum, what("allreduce"));

          // the second begins when the first is over, with what that has left
          fill(round);
          await Promise.all([pe.allreduceAsync(array, "sum"), pe.reduceAsync(array, "sum", root)]);
          compare(array, (i) => (isRoot ? pe.size : 1) * sum(i), what("allreduce and reduce, Async"));
        }
      }
    }
  }
  return compared;
});

export default program;

/** What a PE among `size` gives. */
export const comparedBy = (size: number): number => LENGTHS.length * 2 * size * ROUNDS * 4;
