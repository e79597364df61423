/** The waits of a PE that do not block. Their first one loads what they need (async.ts). */
import { monotonic } from "../base/event-loop/timers.ts";
import { Late } from "../base/thread/late.ts";
import type { AsyncLimits, AsyncWaiter, AsyncWaits } from "./async.ts";
import type { Condition } from "./condition.ts";
import { SideWork } from "./side-work.ts";
import type { WaitReports } from "./told.ts";

const code = new Late("./async.js", import.meta.url, () => import("./async.ts"));

/** Those of one PE. */
export class LateWaits implements AsyncWaits {
  /** As those of {@link AsyncWaiter}, until the first wait. */
  sideWork: SideWork = new SideWork();
  reports: WaitReports | null = null;
  readonly #seat: ConstructorParameters<typeof AsyncWaiter>;
  #waiter: AsyncWaiter | null = null;
  #alarm = Number.POSITIVE_INFINITY;

  constructor(...seat: ConstructorParameters<typeof AsyncWaiter>) {
    this.#seat = seat;
  }

  now(): number {
    return monotonic();
  }

  alarm(at: number): void {
    if (this.#waiter === null) this.#alarm = Math.min(this.#alarm, at);
    else this.#waiter.alarm(at);
  }

  until(condition: Condition, limits: AsyncLimits): Promise<void> {
    return this.#made.until(condition, limits);
  }

  turn(): Promise<void> {
    return this.#made.turn();
  }

  get #made(): AsyncWaiter {
    if (this.#waiter === null) {
      this.#waiter = new code.now.AsyncWaiter(...this.#seat);
      this.#waiter.sideWork = this.sideWork;
      this.#waiter.reports = this.reports;
      this.#waiter.alarm(this.#alarm);
    }
    return this.#waiter;
  }
}
