/** When containers may do what: outside sessions or in one, with collective calls under way, or freed. */
import { StateError } from "../../../ground/base/errors.ts";

export class Life {
  isFreed = false;
  /** A session runs. */
  isRunning = false;
  /** Collective calls under way: several, if they are awaited. */
  #calls = 0;

  /** Whether nothing is under way. */
  get isIdle(): boolean {
    return !this.isRunning && this.#calls === 0;
  }

  /** A collective call begins. @throws StateError in a session, and once freed */
  begin(call: string): void {
    this.#checkDormant(call);
    this.#calls++;
  }

  /** A collective call is over. */
  end(): void {
    this.#calls--;
  }

  /** @throws StateError in a session or a collective call, and once freed */
  checkIdle(call: string): void {
    this.#checkDormant(call);
    if (this.#calls === 0) return;
    throw new StateError(`${call}: a collective call of these containers is under way; await it before.`);
  }

  /** @throws StateError once freed */
  checkAlive(call: string): void {
    if (this.isFreed) throw new StateError(`${call}: these containers were freed; make others.`);
  }

  #checkDormant(call: string): void {
    this.checkAlive(call);
    if (!this.isRunning) return;
    throw new StateError(`${call}: these containers are in a session; call it after the session.`);
  }
}
