/** Pushes that were started and may be under way. */

/** A push that was started. */
export interface AppendPush {
  /** Makes progress without waiting. @returns whether it is complete: all bytes that it took are in the buffer */
  test(): boolean;
  /** Waits until it is complete. @returns the bytes that were taken @throws as push */
  wait(): number;
  /** As wait, without blocking. */
  waitAsync(): Promise<number>;
}

/** One that is complete: within a node nothing has to be waited for. */
export class CompletePush implements AppendPush {
  readonly #taken: number;

  constructor(taken: number) {
    this.#taken = taken;
  }

  test(): boolean {
    return true;
  }

  wait(): number {
    return this.#taken;
  }

  async waitAsync(): Promise<number> {
    return this.#taken;
  }
}

/** One of records. */
export class PushInRecords implements AppendPush {
  readonly #push: AppendPush;
  readonly #bytes: number;

  /** @param bytes of a record */
  constructor(push: AppendPush, bytes: number) {
    this.#push = push;
    this.#bytes = bytes;
  }

  test(): boolean {
    return this.#push.test();
  }

  wait(): number {
    return this.#push.wait() / this.#bytes;
  }

  async waitAsync(): Promise<number> {
    return (await this.#push.waitAsync()) / this.#bytes;
  }
}
