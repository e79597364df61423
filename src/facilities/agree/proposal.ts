/** A command that was proposed at this replica. */

export class Proposal {
  #reply: Uint8Array | null = null;
  #error: Error | null = null;

  /** Whether it has a reply or an error. */
  get done(): boolean {
    return this.#reply !== null || this.#error !== null;
  }

  /** What this replica's state machine has given for it; null before, and empty for a {@link Replica.sync}. */
  get reply(): Uint8Array | null {
    return this.#reply;
  }

  /** Why there will be no reply; null if there is none. The command may have been applied, or may still be. */
  get error(): Error | null {
    return this.#error;
  }

  /** @internal */
  resolve(reply: Uint8Array): void {
    if (!this.done) this.#reply = reply;
  }

  /** @internal */
  reject(error: Error): void {
    if (!this.done) this.#error = error;
  }
}
