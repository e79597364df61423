/** Random numbers of a PE: the same in each run, different at each PE. */
import { randomNumbers } from "../../src/ground/base/random.ts";

/** `count` whole numbers from 0 to `n` - 1. */
export function randomArray(count: number, n: number, seed: number): Uint32Array {
  const random = randomNumbers(seed);
  const array = new Uint32Array(count);
  for (let i = 0; i < count; i++) array[i] = Math.floor(random() * n);
  return array;
}
