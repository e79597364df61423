/**
 * A part of a message on its way through the tree: what lies in a part of a queue pair (pe/pairs/parts.ts), and in the
 * log of a member.
 *
 *     on an edge    ┌──────────┬──────────┬─────────┐
 *                   │ FROM i32 │ KIND i32 │ content │  how many bytes, and whether it is the last part of its message, the pair knows
 *                   └──────────┴──────────┴─────────┘
 *     in a log      ┌──────────┬──────────┬───────────┬─────────┐
 *                   │ FROM i32 │ KIND i32 │ EXTENT i32│ content │  EXTENT: bytes of the content, doubled, and 1 more in the last part
 *                   └──────────┴──────────┴───────────┴─────────┘
 *
 * FROM is the rank in the group of the member that has submitted it. Both are copied by whole words: up to 3 bytes
 * behind the content have no meaning.
 */

// words of a part
export const FROM = 0;
export const KIND = 1;
export const EXTENT = 2;

/** Bytes before the content on an edge; words before it in a log. */
export const HEAD_BYTES = 8;
export const LOG_HEAD_WORDS = 3;

// what a part is
/** Of a message. */
export const DATA = 0;
/** The first part on each edge, in both directions: who sends it has made its end. */
export const HELLO = 1;
/** FROM has freed its end: nothing is sequenced after it. */
export const END = 2;

/** Words that so many bytes take. */
export const wordsOf = (bytes: number): number => (bytes + 3) >>> 2;

/** Up to so many words a loop is faster than a call of `set`, which needs a view of them. */
const FEW_WORDS = 64;

/** Copies words between typed arrays. */
export function copyWords(to: Int32Array, at: number, from: Int32Array, start: number, words: number): void {
  if (words > FEW_WORDS) to.set(from.subarray(start, start + words), at);
  else for (let word = 0; word < words; word++) to[at + word] = from[start + word] as number;
}
