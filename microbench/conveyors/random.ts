/** Random numbers of a PE: the same in each run, other ones at each PE. */

/** A function that gives whole numbers from 0 to `n` - 1. Source: xorshift32, G. Marsaglia, 2003. */
export function randomNumbers(seed: number): (n: number) => number {
  let x = Math.imul(seed + 1, 0x9e3779b9) | 1;
  return (n) => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return Math.floor(((x >>> 0) / 2 ** 32) * n);
  };
}

/** `count` of them. */
export function randomArray(count: number, n: number, seed: number): Uint32Array {
  const random = randomNumbers(seed);
  const array = new Uint32Array(count);
  for (let i = 0; i < count; i++) array[i] = random(n);
  return array;
}
