/**
 * Sets of CPUs and NUMA nodes in hwloc's XML, as bigints: bit k is number k, and a negative one is an infinite set.
 *
 * Example: `0x00000001,0x00000003` is {0, 1, 32}; `0xf...f,0x0` is all from 32 on, and `0xf...f` all there are.
 */

/** Words of 32 bits in a text: 65,536 CPUs. */
const MOST_WORDS = 2048;

const INFINITE = /^0xf\.\.\.f(?:,|$)/;
const WORD = /^(?:0x)?[\da-fA-F]{0,8}$/;

/** null for what is no set. */
export function parseSet(text: string): bigint | null {
  const isInfinite = INFINITE.test(text);
  const finite = isInfinite ? text.replace(INFINITE, "") : text;
  if (finite === "") return isInfinite ? -1n : null;
  const words = finite.split(",");
  if (words.length > MOST_WORDS || !words.every((word) => WORD.test(word))) return null;
  const digits = words.map((word) => word.replace(/^0x/, "").padStart(8, "0")).join("");
  const set = BigInt(`0x${digits}`);
  return isInfinite ? set | (-1n << BigInt(32 * words.length)) : set;
}

/** Whether all of the one are in the other. */
export const isWithin = (inner: bigint, outer: bigint): boolean => (inner & ~outer) === 0n;

/** The smallest number; -1 for none. */
export function lowestOf(set: bigint): number {
  if (set === 0n) return -1;
  return (set & -set).toString(2).length - 1;
}
