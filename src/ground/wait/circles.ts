/**
 * PEs that wait for each other in a circle, as far as their waits say for whom they wait.
 *
 * A wait can go on once all PEs that it needs go on, or one of those that it needs one of. A PE with several waits can
 * go on once one of them can. What is left when all that can go on are taken out can not; each of these waits for
 * another of them, so they lead to circles.
 *
 *     PE 0 waits for PE 1 in barrier       PE 1 waits for PE 0 in receive       PE 2 waits for PE 0, 1 in barrier: in no circle
 */
import { seconds, type ToldWait } from "./told.ts";
import { amount, type Said } from "./who.ts";

/** PEs of a circle that are named. */
const NAMED = 6;

interface WaitingPE {
  readonly rank: number;
  readonly waits: readonly ToldWait[];
}

/** A sentence for each circle, said of the first PE of it. */
export function circlesOf(pes: readonly WaitingPE[], time: (ms: number) => string = seconds): Said[] {
  const stuck = stuckOf(pes);
  const seen = new Set<number>();
  const said: Said[] = [];
  for (const start of stuck.keys()) {
    const way: number[] = [];
    let rank: number = start;
    while (!seen.has(rank)) {
      seen.add(rank);
      way.push(rank);
      rank = next(stuck, rank).to;
    }
    const at = way.indexOf(rank);
    if (at >= 0) said.push(circleText(stuck, way.slice(at), time));
  }
  return said;
}

/** The PEs that cannot go on, with their waits. */
function stuckOf(pes: readonly WaitingPE[]): Map<number, readonly ToldWait[]> {
  const stuck = new Map(pes.flatMap(({ rank, waits }) => (waits.length > 0 ? [[rank, waits] as const] : [])));
  const isStuck = ({ whom, needsOne }: ToldWait) =>
    needsOne ? whom.length > 0 && whom.every((one) => stuck.has(one)) : whom.some((one) => stuck.has(one));
  for (let before = -1; before !== stuck.size; ) {
    before = stuck.size;
    for (const [rank, waits] of stuck) if (!waits.every(isStuck)) stuck.delete(rank);
  }
  return stuck;
}

/** Whom a PE waits for that cannot go on, and in which wait. */
function next(
  stuck: ReadonlyMap<number, readonly ToldWait[]>,
  rank: number,
): { readonly to: number; readonly wait: ToldWait } {
  const [wait] = stuck.get(rank) as readonly [ToldWait];
  return { to: wait.whom.find((one) => stuck.has(one)) as number, wait };
}

function circleText(
  stuck: ReadonlyMap<number, readonly ToldWait[]>,
  circle: readonly number[],
  time: (ms: number) => string,
): Said {
  // from its lowest rank on
  const least = circle.indexOf(Math.min(...circle));
  const ordered: readonly number[] = [...circle.slice(least), ...circle.slice(0, least)];
  const rank = ordered[0] as number;
  const others = ordered.slice(1);
  const { to, wait } = next(stuck, rank);
  const link = (one: number) => {
    const further = next(stuck, one);
    return `which waits for PE ${further.to} in ${further.wait.call}`;
  };
  const more = others.length - (NAMED - 1);
  const links = others.slice(0, NAMED - 1).map(link);
  const rest = more > 0 ? [`and so on over ${amount(more)} more, back to PE ${rank}`] : [];
  const text = [`in ${wait.call}`, ...links, ...rest].join(", ");
  const shortest = Math.min(...circle.map((one) => next(stuck, one).wait.for));
  return { rank, text: `waits in a circle: for PE ${to} ${text}; for ${time(shortest)}.` };
}
