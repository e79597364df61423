/** The errors of virtual PEs that do not come to an end. */
import { TimeoutError } from "../../ground/base/errors.ts";
import { circlesOf } from "../../ground/wait/circles.ts";
import { waitText } from "../../ground/wait/told.ts";
import { amount, pesText, type Said, sentences } from "../../ground/wait/who.ts";
import type { SimulationSettings } from "./options.ts";
import type { VirtualPE } from "./virtual-pe.ts";

/** Sentences that a message has about PEs. */
const MOST_SENTENCES = 8;

interface Unfinished {
  readonly settings: Pick<SimulationSettings, "timeout">;
  readonly pes: readonly VirtualPE[];
}

export const tooLong = ({ settings, pes }: Unfinished): TimeoutError =>
  new TimeoutError(
    `The simulation took longer than ${settings.timeout / 1e6} ms of virtual time (timeout); ${unfinished(pes)}`,
  );

export const stuck = ({ pes }: Unfinished): TimeoutError =>
  new TimeoutError(
    `The PEs wait for each other, and nothing can happen any more; ${unfinished(pes)} All PEs must make the same ` +
      "collective calls in the same order.",
  );

function unfinished(pes: readonly VirtualPE[]): string {
  const left = pes.filter(({ over }) => !over);
  const all = left.map(({ rank, awaiting }) => ({
    rank,
    waits: (awaiting?.waits ?? []).flatMap((wait) => wait.told() ?? []),
  }));
  const waits = all.flatMap(({ rank, waits: own }): Said[] =>
    own.map((wait) => ({ rank, text: `${waitText(wait, micros)}.` })),
  );
  const ranks = pesText(left.map(({ rank }) => rank));
  const told = [...circlesOf(all, micros), ...waits];
  return [`not finished: ${ranks}`, ...sentences(told, MOST_SENTENCES)].join(". ").replace(/\.\.(?= |$)/g, ".");
}

/** Virtual time as text, to be said of several PEs. */
const micros = (ms: number): string => `${amount((1000 * ms).toFixed(1))} us`;
