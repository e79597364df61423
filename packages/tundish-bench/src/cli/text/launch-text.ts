/** The results of `bench launch` as text. */

import { SETTLED } from "../../../../../microbench/launch/order.ts";
import { TOGETHER } from "../../../../../microbench/launch/starts.ts";
import type { Measured } from "../../../../../microbench/pairs/profiled.ts";
import { amountText, countText, ratioText } from "../../../../../src/ground/base/units.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import { tableText } from "../../../../../src/interface/cli/text/table.ts";
import { cpusText } from "../../../../../src/machine/model/cpus.ts";
import type { LaunchBench } from "../../launch/bench-launch.ts";
import { sizeText } from "../../launch/launch-jobs.ts";
import { ALONE, aloneOf } from "../../programs/bench-programs.ts";
import { modesIn, modeText, probeText } from "./bench-text.ts";

/** Prints the launches, the computations beside one thread, and from which size on PEs are faster. */
export function printLaunch(bench: LaunchBench, output: CommandOutput): void {
  const { cpus, measured, breakEven, memory } = bench;
  const whatsAlone = new Set(measured.filter(({ name }) => name === ALONE).map(({ what }) => what));
  const ours = measured.filter(({ name }) => name === TOGETHER);
  const byMode = modesIn(ours).flatMap((mode) => ours.filter((one) => one.mode === mode));
  const [works, launches] = [true, false].map((isWork) => byMode.filter(({ what }) => whatsAlone.has(what) === isWork));
  const place = cpusText(cpus);
  output.section(
    `Starting PEs that return at once, on ${place}, ms`,
    tableText(
      ["mode", "what", "median", "quartiles"],
      launches.map((one) => [modeText(one.mode), one.what, text(one.ns), spread(one)]),
      [1],
    ),
  );
  output.section(
    `A whole computation by ${countText(cpus.length, "PE")} on ${place}, with the launch or in an open world, beside one thread, ms`,
    tableText(
      ["faster", "mode", "what", "all PEs", "quartiles", "one thread", "quartiles"],
      works.map((one) => {
        const alone = aloneOf(measured, one.what) as Measured;
        const figures = [text(one.ns), spread(one), text(alone.ns), spread(alone)];
        return [ratioText(alone.ns / one.ns), modeText(one.mode), one.what, ...figures];
      }),
      [2],
    ),
  );
  for (const { pes, runs, settled, last } of memory) {
    const [before, after] = [settled, last].map((bytes) => `${amountText(bytes / 1e6)} MB`);
    output.print(
      `Memory of a process with an open world of ${pes} PEs: ${before} after ${SETTLED} runs, ${after} after ${runs}.`,
    );
  }
  for (const { name, state, mode, items } of breakEven) {
    const from = items === null ? "for none of these sizes" : `from about ${sizeText({ name, size: items })} on`;
    const runs = { first: "first run of a process", warm: "later runs", open: "in an open world" }[state];
    output.print(`${name}: all PEs are faster than one thread ${from} (${runs}, ${modeText(mode)}).`);
  }
  if (!bench.pinned) output.print("Our PEs were NOT bound to their CPUs: see tundish doctor.");
  output.print(probeText(bench));
}

const text = (ns: number): string => amountText(ns / 1e6);
const spread = ({ low, high }: Measured): string => `${text(low)} to ${text(high)}`;
