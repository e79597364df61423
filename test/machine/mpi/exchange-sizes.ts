/** What ./exchange.program.ts sends. */

/** Sizes of messages: none, short, and longer than what goes at once. */
export const SIZES: readonly number[] = [0, 1, 7, 8, 1000, 65_536, 1_048_576];

/** Each size from a certain rank, and from any. */
export const ROUNDS: number = 2 * SIZES.length;

/** Bytes that one thread receives from one rank. */
export const EACH: number = 2 * SIZES.reduce((sum, bytes) => sum + bytes, 0);
