/** What ends a session before it is complete: its timeout, its signal, and the limit of this PE's waits. */
import { AbortedError, TimeoutError } from "../../base/errors.ts";
import { shortText } from "../../base/short-text.ts";
import type { Site } from "../../transport/contract.ts";
import type { Choice } from "../geometry/choice.ts";

/** The limits of a conveyor's sessions at one PE. Each error ends the session at every PE. */
export class SessionLimits {
  readonly #site: Site;
  readonly #choice: Choice;
  /** The state at this PE, for messages. */
  readonly #state: () => string;
  #deadline = Number.POSITIVE_INFINITY;

  constructor(site: Site, choice: Choice, state: () => string) {
    this.#site = site;
    this.#choice = choice;
    this.#state = state;
  }

  /** Before a session. */
  begin(): void {
    const { timeout } = this.#choice;
    this.#deadline = timeout === Number.POSITIVE_INFINITY ? timeout : this.#site.now() + timeout;
  }

  /** @throws AbortedError, TimeoutError */
  check(): void {
    const site = this.#site;
    const { signal, timeout } = this.#choice;
    if (signal?.aborted) {
      const cause: unknown = signal.reason;
      throw site.fail(
        new AbortedError(`PE ${site.rank} aborted the conveyor's session: ${shortText(cause)}`, { cause }),
      );
    }
    if (timeout === Number.POSITIVE_INFINITY || site.now() < this.#deadline) return;
    throw site.fail(
      new TimeoutError(
        `The conveyor's session took longer than ${timeout} ms (timeout); PE ${site.rank} is ${this.#state()}. ` +
          "Every PE must pull until pull returns false, and call advance(true) when it has pushed everything.",
      ),
    );
  }

  /**
   * For a wait in which no turn may block. @param began its start
   * @throws TimeoutError when it exceeds waitTimeout
   */
  checkWait(began: number): void {
    const site = this.#site;
    const { waitTimeout } = site;
    if (waitTimeout === Number.POSITIVE_INFINITY || site.now() - began < waitTimeout) return;
    throw site.fail(
      new TimeoutError(
        `PE ${site.rank} waited in a session of the conveyor of ${site.name}, in state ${this.#state()}, ` +
          `longer than the limit of ${waitTimeout} ms (waitTimeout).`,
      ),
    );
  }
}
