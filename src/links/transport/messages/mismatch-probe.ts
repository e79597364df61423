/**
 * Mismatch probes: a PE that has waited for a while for a PE on another node sends it a probe with its current call. If
 * two PEs wait for each other because they made different calls, neither would send any other message that shows the
 * mismatch.
 *
 * A probe is kept until its receiver has made as many calls in the group. Only the last probe of each sender is kept: a
 * PE that waits has made all earlier calls.
 */

/** The content of a probe. */
export interface MismatchProbe {
  /** The sender's rank in the world. */
  readonly from: number;
  /** The number of the call in the group, and the tag of its messages, a hash of all calls so far. */
  readonly sequence: number;
  readonly tag: number;
  readonly word: number;
  readonly count: number;
  readonly root: number;
}

/** Whether a probe was settled. @throws MismatchError */
type Check = (probe: MismatchProbe) => boolean;

/** Number of left groups that a PE remembers. */
const LEFT = 16;

/** The probes that one PE has received. */
export class MismatchProbes {
  /** By stream of messages, by sender. */
  readonly #kept = new Map<number, Map<number, MismatchProbe>>();
  readonly #checks = new Map<number, Check>();
  /** Streams of groups that this PE has left, the oldest first: other PEs may still wait for it there. */
  readonly #left: number[] = [];

  /** From now on probes of a stream are checked by `check`. */
  watch(stream: number, check: Check): void {
    this.#checks.set(stream, check);
  }

  /** This PE has left the group of a stream. Its probes are checked until it has left {@link LEFT} other groups. */
  leave(stream: number): void {
    this.#left.push(stream);
    if (this.#left.length <= LEFT) return;
    const oldest = this.#left.shift() as number;
    this.#checks.delete(oldest);
    this.#kept.delete(oldest);
  }

  keep(stream: number, probe: MismatchProbe): void {
    const kept = this.#kept.get(stream);
    if (kept === undefined) this.#kept.set(stream, new Map([[probe.from, probe]]));
    else kept.set(probe.from, probe);
  }

  /** Checks all received probes. @throws MismatchError */
  look(): void {
    for (const [stream, probes] of this.#kept) {
      const check = this.#checks.get(stream);
      if (check === undefined) continue;
      for (const probe of probes.values()) if (check(probe)) probes.delete(probe.from);
    }
  }
}
