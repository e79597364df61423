/** The words of a run's error about the PEs of this node. */
import { lastSeen } from "../../collectives/team/calls-seen.ts";
import { LOST } from "../../ground/wait/layout.ts";
import { pesText, ranksText } from "../../ground/wait/who.ts";
import { callersText } from "../../links/diagnose/callers.ts";
import { diagnose, type Watched, whereAre } from "../../links/diagnose/diagnose.ts";
import type { Epoch } from "../../links/world/nodes/epoch.ts";

/** Time without progress that a timeout error reports, ms. */
const STALL_MS = 300;

/** PEs of this node that have not returned; if all have, the other nodes whose PEs have not, or that have not left. */
export function missingText(missing: ReadonlySet<number>, epoch: Epoch | null): string {
  if (missing.size > 0) return pesText([...missing]);
  const { gone = [], unfinished = [] } = epoch ?? {};
  const present = gone.flatMap((isGone, node) => (isGone ? [] : [node]));
  return `node ${ranksText(unfinished.length > 0 ? unfinished : present)}`;
}

/** The broken parts, and the calls of the PEs that have not returned, for the message of a run that timed out. */
export function stallText(watched: Watched, missing: ReadonlySet<number>): string {
  const { problems, pes } = diagnose(watched, STALL_MS);
  const where = whereAre(pes.filter(({ rank, departed }) => missing.has(rank) && !departed));
  return [".", ...problems, ...where].join(" ").replace(/^\.$/, "");
}

/** The calls of the PEs when the world had ended, by lines of the program. @param team byte offset of the world's */
export function whereText(watched: Watched, ranks: readonly number[], team: number): string {
  const { heap, size, first, termination } = watched;
  // how that one was lost is said
  const end = termination.record();
  const lost = end?.ending === LOST ? end.rank : -1;
  const others = ranks.filter((rank) => rank !== lost);
  return callersText(watched, others, (rank) => lastSeen(heap, team, size, rank - first));
}
