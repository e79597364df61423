/** A command that was proposed at this replica. */
export interface Proposal {
  /** Whether it has a reply or an error. */
  readonly done: boolean;
  /** The record that the state machine has given for it here; null before, empty for a {@link Replica.sync}. */
  readonly reply: Uint8Array | null;
  /** Why there will be no reply; null if there is none. The command may have been applied, or may still be. */
  readonly error: Error | null;
}

/** One that ends once: with a reply or an error. */
export class OpenProposal implements Proposal {
  reply: Uint8Array | null = null;
  error: Error | null = null;

  get done(): boolean {
    return this.reply !== null || this.error !== null;
  }

  resolve(reply: Uint8Array): void {
    if (!this.done) this.reply = reply;
  }

  reject(error: Error): void {
    if (!this.done) this.error = error;
  }
}
