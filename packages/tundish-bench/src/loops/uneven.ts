/** Uneven work: who is measured, and what is to be reached. */
import type { FreshProcesses } from "../../../../microbench/launch/processes.ts";
import type { OurPart } from "../../../../microbench/turns/part.ts";
import type { Contender } from "../../../../microbench/turns/turns.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import type { LoopSchedule } from "../../../../src/loop.ts";
import type { Target } from "../turns/targets.ts";
import { ours, theirs } from "./contenders.ts";
import { ALONE, FIRST, LATER, type UnevenJob } from "./job.ts";
import { OURS, withPes } from "./names.ts";
import type { LoopPeer } from "./peers.ts";
import { UNEVEN_NAMES, type UnevenName } from "./works.ts";

export const SCHEDULES: readonly LoopSchedule[] = ["static", "dynamic", "guided", "steal", "auto"];

/** The schedules for costs that are not known: they have to be as good as the best one within 5 %. */
const CHOOSING: readonly LoopSchedule[] = ["steal", "auto"];

/** Of two PEs: near the best schedule, and almost twice as fast as one thread; in the first run and later. */
export const UNEVEN_TARGETS: readonly Target[] = UNEVEN_NAMES.flatMap((name) =>
  [FIRST, LATER].flatMap((when) =>
    CHOOSING.flatMap((schedule): Target[] => {
      const own = { who: withPes(OURS, 2), what: `${name}, ${schedule}, ${when}` };
      const whats = SCHEDULES.map((other) => `${name}, ${other}, ${when}`);
      const alone = { names: [withPes(OURS, 1)], whats: [`${name}, ${ALONE}, ${when}`] };
      return [
        { ...own, rivals: { names: [withPes(OURS, 2)], whats }, kind: "within", bound: 1.05 },
        { ...own, rivals: alone, kind: "faster", bound: 1.85 },
      ];
    }),
  ),
);

/** When quick two schedules for each work: all come up with two works. */
export const schedulesOf = (work: UnevenName, quick: boolean): readonly LoopSchedule[] =>
  SCHEDULES.filter(
    (_, i) => !quick || [0, 1].some((k) => i === (2 * UNEVEN_NAMES.indexOf(work) + k) % SCHEDULES.length),
  );

/** Each in a process of its own: a turn has one first run of each. In C, all works in one. */
export function uneven(part: OurPart, processes: FreshProcesses, peers: readonly LoopPeer[]): Contender[] {
  const { quick } = part;
  const later = quick ? 1 : 5;
  const program = sibling("./bench-uneven.program.js", import.meta.url);
  return [
    ...UNEVEN_NAMES.flatMap((name) =>
      [null, ...schedulesOf(name, quick)].map((schedule) => {
        const job: UnevenJob = { name, schedule, quick, later };
        return ours(part, processes, program, schedule === null ? 1 : 2, `${name}, ${schedule ?? ALONE}`, job);
      }),
    ),
    ...peers.map((peer) => theirs(part, peer.name, peer.program, 2, [quick ? 1 : 0, later])),
  ];
}
