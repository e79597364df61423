/** The seat of a PE or a group: facilities ask for it. */
import { UsageError } from "../ground/base/errors.ts";
import { define } from "../ground/base/objects/define.ts";
import { shortText } from "../ground/base/short-text.ts";
import type { Seat } from "./seat.ts";

// registered: a program may have loaded the facility with another copy of the package than that of its PE
const kSeat: unique symbol = Symbol.for("tundish.seat");

/** Gives a group its seat. */
export function setSeat(group: object, seat: Seat): void {
  define(group, kSeat, { value: seat });
}

/**
 * The seat of a PE or a group.
 * @param call for the error
 * @throws UsageError for anything else, and once the PE has left it; the error that ended the world
 */
export function seatOf(group: object, call: string): Seat {
  const seat = typeof group === "object" && group !== null ? (group as { readonly [kSeat]?: Seat })[kSeat] : undefined;
  if (seat === undefined) {
    throw new UsageError(
      `${call}: expected a PE or a group as the first argument, got ${shortText(group)}. ` +
        "The PE of a generator for simulate() is none: what it has are methods (docs/simulate.md).",
    );
  }
  seat.collectives.check();
  return seat;
}
