/**
 * Takes messages out of the rings of a PE's mailbox while it waits for something else: a ring has room for few, and who
 * sends in a channel may have `slots` of them on their way. One for all channels of the PE, while any is open.
 */

import type { SideTask, SideWork } from "../../ground/wait/side-work.ts";
import type { Post } from "../../links/transport/messages/post.ts";

/** Messages that one look takes. */
const MOST_MESSAGES = 8;

export class Draining implements SideTask {
  /** No waker notifies for a message. */
  readonly pollMs = 1;
  readonly #mailbox: Post;
  #open = 0;
  #fail: (error: unknown) => void = () => {};

  constructor(mailbox: Post) {
    this.#mailbox = mailbox;
  }

  /**
   * A channel is open.
   * @param fail ends the world with an error.
   * @returns a function to call when it is not any more
   */
  begin(sideWork: SideWork, fail: (error: unknown) => void): () => void {
    if (!this.#mailbox.hasRings) return () => {};
    this.#fail = fail;
    if (this.#open++ === 0) sideWork.add(this);
    return () => {
      if (--this.#open === 0) sideWork.delete(this);
    };
  }

  serve(): boolean {
    let any = false;
    try {
      for (let message = 0; message < MOST_MESSAGES && this.#mailbox.poll(); message++) any = true;
    } catch (error) {
      this.#fail(error);
    }
    return any;
  }
}
