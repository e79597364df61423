/**
 * Claims: which call a PE is in, told to the PE on another node that it has waited for for a while. Where two wait for each other, as each
 * makes another call, neither would send anything by which they could notice.
 *
 * A probe is kept until its receiver has made as many calls in the group, and the last one of each sender counts: who waits has
 * made all calls before.
 */

/** What is told. */
export interface MismatchProbe {
  /** A rank of the world. */
  readonly from: number;
  /** The number of the call in the group, and the tag of its messages: that of all calls so far. */
  readonly sequence: number;
  readonly tag: number;
  readonly word: number;
  readonly count: number;
  readonly root: number;
}

/** Whether a probe has been dealt with. @throws MismatchError */
type Check = (claim: MismatchProbe) => boolean;

/** Groups that a PE has left of which it knows that. */
const LEFT = 16;

/** One PE's. */
export class MismatchProbes {
  /** By stream of messages, by sender. */
  readonly #kept = new Map<number, Map<number, MismatchProbe>>();
  readonly #checks = new Map<number, Check>();
  /** Streams of groups that this PE has left, the oldest first: others may wait for it there. */
  readonly #left: number[] = [];

  /** From now on probes of a stream are checked so. */
  watch(stream: number, check: Check): void {
    this.#checks.set(stream, check);
  }

  /** This PE has left the group of a stream; what comes is still checked, until it has left {@link LEFT} others. */
  leave(stream: number): void {
    this.#left.push(stream);
    if (this.#left.length <= LEFT) return;
    const oldest = this.#left.shift() as number;
    this.#checks.delete(oldest);
    this.#kept.delete(oldest);
  }

  keep(stream: number, claim: MismatchProbe): void {
    const kept = this.#kept.get(stream);
    if (kept === undefined) this.#kept.set(stream, new Map([[claim.from, claim]]));
    else kept.set(claim.from, claim);
  }

  /** Checks all that have come. @throws MismatchError */
  look(): void {
    for (const [stream, probes] of this.#kept) {
      const check = this.#checks.get(stream);
      if (check === undefined) continue;
      for (const claim of probes.values()) if (check(claim)) probes.delete(claim.from);
    }
  }
}
