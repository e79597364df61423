/**
 * The terms that all PEs of a conveyor must agree about, compared in votes. A vote has few bits, so a hash is compared
 * in parts.
 */
import { FNV_BASIS, fnv1a } from "../../base/hash.ts";

/**
 * Bits of the hash compared by one vote. Their complement is cast, too, so that the OR of all votes shows a difference.
 */
export const HASH_BITS = 11;
export const HASH_PARTS = 4;
export const HASH_MASK: number = (1 << HASH_BITS) - 1;

/** A hash of a text in parts of {@link HASH_BITS} bits; each part is a hash with another basis. */
export const hashInParts = (text: string): readonly number[] =>
  Array.from({ length: HASH_PARTS }, (_, part) => {
    const hash = fnv1a(text, FNV_BASIS ^ Math.imul(part, 0x9e3779b1));
    return ((hash >>> 16) ^ hash) & HASH_MASK;
  });
