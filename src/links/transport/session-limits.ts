/** Limits that end a session before it is complete: its timeout, its signal, and the limit of this PE's waits. */
import { AbortedError, TimeoutError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";
import type { Site } from "./contract.ts";
import type { UnderWay } from "./underway.ts";

/** The user's limits. */
export interface Limits {
  /** ms; Infinity for no limit. */
  readonly timeout: number;
  readonly signal?: AbortSignal | null | undefined;
}

/** Limits of one session instead of those of all. */
export type PartialLimits = { readonly [Name in keyof Limits]?: Limits[Name] | undefined };

/** The limits of sessions at one PE. Each error ends the session at every PE. */
export class SessionLimits {
  readonly #site: Site;
  readonly #usual: Limits;
  #limits: Limits;
  /** Whether there is a timeout or a signal: most sessions have none. */
  any: boolean;
  /** Its name, for messages. */
  readonly #of: UnderWay;
  #deadline = Number.POSITIVE_INFINITY;

  constructor(site: Site, limits: Limits, of: UnderWay) {
    this.#site = site;
    this.#usual = limits;
    this.#limits = limits;
    this.any = isAny(limits);
    this.#of = of;
  }

  /** Sets the limits of the sessions that begin from now on: those that are given, of the others the usual ones. */
  change({ timeout, signal }: PartialLimits): void {
    const usual = this.#usual;
    this.#limits = { timeout: timeout ?? usual.timeout, signal: signal ?? usual.signal };
    this.any = isAny(this.#limits);
  }

  /** Before a session, that has any. @throws as check */
  begin(): void {
    this.#deadline = this.#site.now() + this.#limits.timeout;
    this.check();
  }

  /** @throws AbortedError, TimeoutError */
  check(): void {
    const site = this.#site;
    const { signal, timeout } = this.#limits;
    if (signal?.aborted) {
      const cause: unknown = signal.reason;
      throw site.fail(
        new AbortedError(`PE ${site.rank} aborted ${this.#of.words.this}: ${shortText(cause)}`, { cause }),
      );
    }
    if (timeout === Number.POSITIVE_INFINITY || site.now() < this.#deadline) return;
    const { words, state } = this.#of;
    throw site.fail(
      new TimeoutError(
        `${capitalised(words.this)} took longer than ${timeout} ms (timeout); PE ${site.rank} is ${state}. ${words.patience}`,
      ),
    );
  }

  /** For a wait in which no turn may block. @param began its start @throws TimeoutError when it exceeds waitTimeout */
  checkWait(began: number): void {
    const site = this.#site;
    const { waitTimeout } = site;
    if (waitTimeout === Number.POSITIVE_INFINITY || site.now() - began < waitTimeout) return;
    throw site.fail(
      new TimeoutError(
        `PE ${site.rank} waited in a session of the ${this.#of.title}, in state ${this.#of.state}, ` +
          `longer than the limit of ${waitTimeout} ms (waitTimeout).`,
      ),
    );
  }
}

const isAny = ({ timeout, signal }: Limits): boolean => timeout !== Number.POSITIVE_INFINITY || Boolean(signal);

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
