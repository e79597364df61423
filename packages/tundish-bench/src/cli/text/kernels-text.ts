/** The results of `bench kernels` as text. */
import type { Measured } from "../../../../../microbench/pairs/profiled.ts";
import { amountText, countText, ratioText } from "../../../../../src/ground/base/units.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import { tableText } from "../../../../../src/interface/cli/text/table.ts";
import { cpusText } from "../../../../../src/machine/model/cpus.ts";
import { RIVALS } from "../../kernels/native.ts";
import type { PartBench } from "../../turns/part.ts";
import { modesIn, modeText, probeText } from "./bench-text.ts";

/** Prints a line for each program and mode, beside the faster C of that mode. */
export function printKernels(bench: PartBench, output: CommandOutput): void {
  const { cpus, measured, missing, targets } = bench;
  const rows = modesIn(measured).flatMap((mode) => measured.filter((one) => one.mode === mode));
  output.section(
    `Kernels, ${countText(cpus.length, "PE")} on ${cpusText(cpus)}, beside C with OpenMP, ms`,
    tableText(
      ["of C", "", "mode", "what", "who", "median", "quartiles"],
      rows.map((one) => {
        const rival = rivalOf(measured, one);
        const target = targets.find(
          (all) => all.target.who === one.name && all.target.what === one.what && all.mode === one.mode,
        );
        const verdict = target?.reached != null ? `${target.verdict} (${target.target.bound})` : "";
        const ratio = rival === undefined ? "-" : ratioText(rival.ns / one.ns);
        return [
          ratio,
          verdict,
          modeText(one.mode),
          one.what,
          one.name,
          text(one.ns),
          `${text(one.low)} to ${text(one.high)}`,
        ];
      }),
      [1, 3, 4],
    ),
  );
  for (const { name, reason } of missing) output.print(`not measured: ${name} (${reason})`);
  if (!bench.pinned) output.print("Our PEs were NOT bound to their CPUs: see tundish doctor.");
  if (cpus.length !== 2) output.print("The targets were set for 2 CPUs.");
  output.print(probeText(bench));
}

const text = (ns: number): string => amountText(ns / 1e6);

/** The faster C of the same operation and mode. */
function rivalOf(measured: readonly Measured[], { what, mode }: Measured): Measured | undefined {
  const names = RIVALS.map(({ name }) => name);
  const all = measured.filter((one) => one.what === what && one.mode === mode && names.includes(one.name));
  return all.sort((a, b) => a.ns - b.ns)[0];
}
