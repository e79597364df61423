/** How a group is divided by colour. */
import { UsageError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";

/** Numbers that each PE tells the others: whether it has a colour, the colour, the key. */
const WORDS = 3;

/** The wish of a PE, as told to the others. @throws UsageError */
export function colourAndKey(colour: number | undefined | null, key: number): Float64Array {
  const isNone = colour === undefined || colour === null;
  if (!isNone && !Number.isSafeInteger(colour)) {
    throw new UsageError(
      `split: expected a whole number as colour, or undefined or null for no group, got ${shortText(colour)}`,
    );
  }
  if (!Number.isFinite(key)) throw new UsageError(`split: expected a finite number as key, got ${shortText(key)}`);
  return Float64Array.of(isNone ? 0 : 1, colour ?? 0, key);
}

/**
 * The ranks of the PEs with the same colour, by key and then by rank; none without a colour.
 * @param own what this PE has told @param all what all have told, by rank
 */
export function ranksLike(own: Float64Array, all: Float64Array): number[] {
  const [hasColour, colour] = own;
  if (hasColour === 0) return [];
  const keyOf = (rank: number) => all[rank * WORDS + 2] as number;
  const ranks = Array.from({ length: all.length / WORDS }, (_, rank) => rank);
  const alike = ranks.filter((rank) => all[rank * WORDS] === 1 && all[rank * WORDS + 1] === colour);
  // sorting is stable
  return alike.sort((a, b) => keyOf(a) - keyOf(b));
}
