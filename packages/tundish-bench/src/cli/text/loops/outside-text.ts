/** Uneven work from a main thread as text: the world and the pools beside one thread. */
import type { Measured } from "../../../../../../microbench/pairs/profiled.ts";
import { ratioText } from "../../../../../../src/ground/base/units.ts";
import { tableText } from "../../../../../../src/interface/cli/text/table.ts";
import type { LoopsBench } from "../../../loops/bench-loops.ts";
import { FIRST, LATER } from "../../../loops/job.ts";
import { OUTSIDE } from "../../../loops/outside.ts";
import { UNEVEN_NAMES } from "../../../loops/works.ts";
import { modeText } from "../bench-text.ts";
import { msText } from "./uneven-text.ts";

const { alone, ...others } = OUTSIDE;
const NAMES = Object.values(others);
const HEAD = ["work", "call", "mode", alone, ...NAMES, "best chunks by turn, of piscina", "of multithreading"];

/** One row for each work, call and mode; times in ms, with how many times one thread's. */
export function outsideTable({ measured, chunks }: Pick<LoopsBench, "measured" | "chunks">): string {
  const rows = UNEVEN_NAMES.flatMap((work) =>
    [FIRST, LATER].flatMap((when) => {
      const all = measured.filter(({ what }) => what === `${work}, ${when}`);
      const ours = all.filter(({ name }) => name === OUTSIDE.tundish);
      return ours.map(({ mode }) => row(all, chunks, work, when, mode));
    }),
  );
  return tableText(HEAD, rows, [0, 1]);
}

function row(
  all: readonly Measured[],
  chunks: LoopsBench["chunks"],
  work: string,
  when: string,
  mode: Measured["mode"],
): string[] {
  const found = (who: string): number | undefined => {
    const same = all.filter(({ name }) => name === who);
    // one thread does not depend on the distance of CPUs
    return (same.find((one) => one.mode === mode) ?? (who === alone ? same[0] : undefined))?.ns;
  };
  const least = found(alone);
  const times = NAMES.map(found).map((ns) =>
    ns === undefined || least === undefined ? msText(ns) : `${msText(ns)}, ${ratioText(least / ns)}`,
  );
  const best = [OUTSIDE.piscina, OUTSIDE.multithreading].map((who) =>
    when === LATER ? (chunks[`${who}, ${work}`]?.join(", ") ?? "-") : "-",
  );
  return [work, when, modeText(mode), msText(least), ...times, ...best];
}
