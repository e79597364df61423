/** FNV-1a over the code units of a text, or over whole numbers. Source: Fowler, Noll, Vo; draft-eastlake-fnv. */

/** The offset basis of 32 bits. */
export const FNV_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** A 32-bit hash, as a signed integer. @param basis another basis gives an independent hash */
export function fnv1a(of: string | readonly number[], basis: number = FNV_BASIS): number {
  let hash = basis | 0;
  for (let i = 0; i < of.length; i++) {
    hash = Math.imul(hash ^ (typeof of === "string" ? of.charCodeAt(i) : (of[i] as number)), PRIME);
  }
  return hash;
}

/** 64 bits of a text, as 16 hexadecimal digits; withstands no attack, but Node's cryptography takes 6 ms to load. */
export const hashDigits = (text: string): string =>
  [FNV_BASIS, ~FNV_BASIS].map((basis) => (fnv1a(text, basis) >>> 0).toString(16).padStart(8, "0")).join("");
