/**
 * The terms that all PEs of a conveyor must agree about, compared in votes. A vote has few bits, so a hash is compared
 * in parts.
 */
import { MismatchError } from "../../../ground/base/errors.ts";
import { FNV_BASIS, fnv1a } from "../../../ground/base/hash.ts";
import type { Site, Vote } from "../../../links/transport/contract.ts";

/**
 * Bits of the hash compared by one vote. Their complement is cast, too, so that the OR of all votes shows a difference.
 */
const HASH_BITS = 11;
const HASH_PARTS = 4;
const HASH_MASK: number = (1 << HASH_BITS) - 1;

/** A hash of a text in parts of {@link HASH_BITS} bits; each part is a hash with another basis. */
export const hashInParts = (text: string): readonly number[] =>
  Array.from({ length: HASH_PARTS }, (_, part) => {
    const hash = fnv1a(text, FNV_BASIS ^ Math.imul(part, 0x9e3779b1));
    return ((hash >>> 16) ^ hash) & HASH_MASK;
  });

/** How sessions end, for messages. PEs that end one in different ways would wait for each other. */
const USUAL_ENDING = "ends when all PEs are done";
const QUIET_ENDING = "ends by quiescence";
/** At the end of the terms. */
export const BY_QUIESCENCE: string = `, ${QUIET_ENDING}`;

/** The error for terms that differ. @param isOfEnds whether the PEs differ in how sessions end, and perhaps in more */
export function mismatchError({ rank, name, session: { terms } }: Site, isOfEnds: boolean): MismatchError {
  const isQuiet = terms.endsWith(BY_QUIESCENCE);
  const own = `at PE ${rank} it ${isOfEnds ? (isQuiet ? QUIET_ENDING : USUAL_ENDING) : `has ${terms}`}`;
  const others = isOfEnds ? `, at others it ${isQuiet ? USUAL_ENDING : QUIET_ENDING}` : "";
  return new MismatchError(
    `begin: the PEs do not agree about this conveyor of ${name}; ${own}${others}. All PEs must make their conveyors in the same order, ` +
      "begin with the same item type and options, and end their sessions in the same way.",
  );
}

/** A bit beside those of the hash: some PE has new terms. */
const NEW: number = 1 << (2 * HASH_BITS);

/** The bits of a vote about how sessions end, after a difference. */
const DONE_BIT = 1;
const QUIET_BIT = 2;

/** The outcome of a vote: `ends`: they differ in how sessions end. */
type Verdict = "agree" | "differ" | "ends" | "more";

/**
 * The votes with which a session begins. The first one compares some bits and tells whether any PE has new terms; then
 * all PEs compare the rest. After a difference, which all of them see, one more vote tells whether their sessions end
 * in different ways.
 */
export class TermsVotes {
  readonly #vote: Vote;
  /** The terms of this session, their hash, and the number of its part that is voted about; of none at first. */
  terms: string | null = null;
  #hash: readonly number[] = [];
  #part = 0;
  #isNew = false;
  #isQuiet = false;
  #differs = false;

  constructor(vote: Vote) {
    this.#vote = vote;
  }

  /**
   * Casts the first vote.
   * @param agreed the terms that all PEs have agreed about before
   * @param isQuiet whether it ends by quiescence
   */
  begin(terms: string, agreed: string, isQuiet: boolean): void {
    if (terms !== this.terms) {
      this.terms = terms;
      this.#hash = hashInParts(terms);
    }
    this.#isNew = terms !== agreed;
    this.#isQuiet = isQuiet;
    this.#differs = false;
    this.#part = 0;
    this.#cast();
  }

  #cast(): void {
    const bits = this.#hash[this.#part];
    this.#vote.cast(bits | ((~bits & HASH_MASK) << HASH_BITS) | (this.#isNew ? NEW : 0));
  }

  /** Takes the result of a vote; with "more" the next one was cast. */
  take(result: number): Verdict {
    if (this.#differs) return result === (DONE_BIT | QUIET_BIT) ? "ends" : "differ";
    if (result & HASH_MASK & (result >>> HASH_BITS)) {
      this.#differs = true;
      this.#vote.cast(this.#isQuiet ? QUIET_BIT : DONE_BIT);
      return "more";
    }
    this.#part++;
    if (this.#part === HASH_PARTS || (result & NEW) === 0) return "agree";
    this.#cast();
    return "more";
  }
}
