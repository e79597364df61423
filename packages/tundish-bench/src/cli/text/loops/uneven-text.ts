/** Uneven work as text: each schedule beside one thread, and how far steal and auto are from the best. */
import type { Measured } from "../../../../../../microbench/pairs/profiled.ts";
import { amountText, ratioText } from "../../../../../../src/ground/base/units.ts";
import { tableText } from "../../../../../../src/interface/cli/text/table.ts";
import type { LoopsBench } from "../../../loops/bench-loops.ts";
import { ALONE, FIRST, LATER } from "../../../loops/job.ts";
import { OURS, UNEVEN_C, withPes } from "../../../loops/names.ts";
import { SCHEDULES } from "../../../loops/uneven.ts";
import { UNEVEN_NAMES } from "../../../loops/works.ts";
import { modeText } from "../bench-text.ts";

const HEAD = ["work", "run", "mode", "one thread", ...SCHEDULES, "best", "steal", "auto", "C, one thread", "C, best"];

/** How much slower than the best: `+3 %`. */
const above = (ns: number | undefined, best: number): string =>
  ns === undefined ? "-" : `+${Math.round((ns / best - 1) * 100)} %`;

export const msText = (ns: number | undefined): string => (ns === undefined ? "-" : amountText(ns / 1e6));

/** One row for each work, run and mode; times in ms. */
export function unevenTable({ measured }: Pick<LoopsBench, "measured">): string {
  const rows = UNEVEN_NAMES.flatMap((work) =>
    [FIRST, LATER].flatMap((when) => {
      const ours = measured.filter(({ name, what }) => name === withPes(OURS, 2) && what.startsWith(`${work}, `));
      const modes = new Set(ours.filter(({ what }) => what.endsWith(when)).map(({ mode }) => mode));
      return [...modes].map((mode) => row(measured, work, when, mode));
    }),
  );
  return tableText(HEAD, rows, [0, 1]);
}

function row(measured: readonly Measured[], work: string, when: string, mode: Measured["mode"]): string[] {
  /** In the same mode if there is one. */
  const found = (who: string, what: string): number | undefined => {
    const all = measured.filter((one) => one.name === who && one.what === what);
    return (all.find((one) => one.mode === mode) ?? (who === withPes(OURS, 2) ? undefined : all[0]))?.ns;
  };
  const alone = found(withPes(OURS, 1), `${work}, ${ALONE}, ${when}`);
  const times = SCHEDULES.map((schedule) => found(withPes(OURS, 2), `${work}, ${schedule}, ${when}`));
  const known = times.filter((ns) => ns !== undefined);
  const best = Math.min(...known);
  const of = (schedule: (typeof SCHEDULES)[number]) => above(times[SCHEDULES.indexOf(schedule)], best);
  const inC = found(UNEVEN_C, `${work}, ${ALONE}`);
  const bestInC = Math.min(
    ...SCHEDULES.map((schedule) => found(UNEVEN_C, `${work}, ${schedule}`) ?? Number.POSITIVE_INFINITY),
  );
  return [
    work,
    when,
    modeText(mode),
    msText(alone),
    ...times.map(msText),
    `${SCHEDULES[times.indexOf(best)]}${alone === undefined ? "" : `, ${ratioText(alone / best)}`}`,
    of("steal"),
    of("auto"),
    msText(inC),
    inC === undefined ? "-" : `${msText(bestInC)}, ${ratioText(inC / bestInC)}`,
  ];
}

export function targetsTable({ targets }: Pick<LoopsBench, "targets">): string {
  const rows = targets.map(({ target: { what, kind, bound }, reached, verdict }) => [
    what,
    kind === "faster" ? `>= ${bound} x one thread` : `<= ${bound} x the best`,
    reached === null ? "-" : ratioText(reached),
    verdict,
  ]);
  return tableText(["work, schedule, run", "target", "reached", ""], rows, [0, 1, 3]);
}
