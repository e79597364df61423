/** A loop whose barrier is still to come, as it was not to wait: the group's next loop begins with it. */
import type { SessionWords } from "../../links/transport/underway.ts";
import type { Seat } from "../../pe/seat.ts";
import type { LoopArea, UnendedLoop } from "./chunks/area.ts";
import type { Slot } from "./chunks/layout.ts";

/**
 * That of one PE. Its error is thrown by the next loop, at all PEs alike; so one that this PE has not thrown yet is a
 * session of it, with which it does not leave.
 */
export class Unended implements UnendedLoop {
  readonly title: string;
  readonly state = "stopped";
  readonly words: SessionWords;
  readonly slot: Slot;
  readonly error: unknown;
  readonly #seat: Seat;

  /** @param error null if this PE has not stopped it */
  constructor(call: string, { seat }: LoopArea, slot: Slot, error: { readonly thrown: unknown } | null) {
    const ending = "The error of a loop with wait: false is thrown by the group's next loop.";
    this.title = call;
    this.words = {
      one: "a loop that does not wait",
      this: "the loop",
      ending,
      patience: ending,
      loss: `its body has thrown what nobody has seen yet: ${error?.thrown}. ${ending}`,
    };
    this.slot = slot;
    this.error = error?.thrown;
    this.#seat = seat;
    if (error !== null) seat.sessions.add(this);
  }

  get isEnded(): boolean {
    try {
      this.#seat.checkGroup();
      return false;
    } catch {
      return true;
    }
  }
}

/** That of the loop before, which ends now; null if there is none. */
export function takeUnended(area: LoopArea): UnendedLoop | null {
  const { unended } = area;
  if (unended !== null) area.seat.sessions.delete(unended);
  area.unended = null;
  return unended;
}
