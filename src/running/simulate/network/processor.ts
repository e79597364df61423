/**
 * The processor of a node, which puts packets into the network and takes them out. Without it both go on at the same
 * time. With it one packet after another is put in or taken out, and as long as there is one to be taken out, none is
 * put in: who did not drain the network could block it.
 *
 * Source: Brewer et al. 1996, section 1.1: a receiver that must drain the network is left with less time to send.
 */

/** A side of it. */
type Side = "injection" | "ejection";

export class Processor {
  /** Go on, if there is something to do. */
  injection: () => void = () => {};
  ejection: () => void = () => {};
  readonly #isShared: boolean;
  #side: Side | null = null;

  /** @param isShared whether both sides take its time */
  constructor(isShared: boolean) {
    this.#isShared = isShared;
  }

  /** Whether a side has to wait for the other one, which then lets it go on. */
  isBusyFor(side: Side): boolean {
    return this.#isShared && this.#side !== null && this.#side !== side;
  }

  /** A side begins with a packet. */
  enter(side: Side): void {
    this.#side = side;
  }

  /** A packet is done. */
  leave(): void {
    this.#side = null;
    this.ejection();
    if (!this.isBusyFor("injection")) this.injection();
  }
}
