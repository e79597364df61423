/** The errors of virtual PEs that do not come to an end. */
import { TimeoutError } from "../base/errors.ts";
import type { Settings } from "./options.ts";
import type { VirtualPE } from "./virtual-pe.ts";

/** Number of PEs that a message names. */
const NAMED = 8;

interface Unfinished {
  readonly settings: Pick<Settings, "timeout">;
  readonly pes: readonly VirtualPE[];
}

export const tooLong = ({ settings, pes }: Unfinished): TimeoutError =>
  new TimeoutError(
    `The simulation took longer than ${settings.timeout / 1e6} ms of virtual time (timeout); ${unfinished(pes)}`,
  );

export const stuck = ({ pes }: Unfinished): TimeoutError =>
  new TimeoutError(
    `The PEs wait for each other, and nothing can happen any more; ${unfinished(pes)}. All PEs must make the same ` +
      "collective calls in the same order.",
  );

function unfinished(pes: readonly VirtualPE[]): string {
  const ranks = pes.filter(({ over }) => !over).map(({ rank }) => rank);
  const more = ranks.length > NAMED ? ` and ${ranks.length - NAMED} more` : "";
  return `not finished: PE ${ranks.slice(0, NAMED).join(", ")}${more}`;
}
