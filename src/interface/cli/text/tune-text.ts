/** The output of `tundish plan --tune`: a table for each name, and what is kept. */

import { escaped } from "../../../ground/base/short-text.ts";
import { countText, durationText, ratioText } from "../../../ground/base/units.ts";
import { choiceText } from "../../../plan/text/explain.ts";
import type { JudgedEntry } from "../../../running/tune/document.ts";
import { areFew, LEAST_RUNS, spreadOf } from "../../../running/tune/judge.ts";
import type { Tuned } from "../../../running/tune/tune.ts";
import type { CommandOutput } from "../terminal/output.ts";
import { tableText } from "./table.ts";

const HEAD = ["choice", "a session", "quartiles", "runs", "predicted", "measured / predicted", ""];

/** Prints the measurements by name, then the names for which nothing is left open. */
export function printTuned(all: readonly JudgedEntry[], tuned: Tuned, output: CommandOutput): void {
  const { pes, nodes } = tuned.world;
  for (const { entry, judgement } of all) {
    const { name, workload, sessions, trials } = entry;
    const load = `${countText(workload.load, "item")} of ${workload.itemBytes} B from each of ${countText(pes, "PE")}`;
    const title = `conveyors.${escaped(name)}: ${load} on ${countText(nodes, "node")}, ${countText(sessions, "session")} a run`;
    const rows = trials.map((trial) => {
      const { prediction, times } = trial;
      const { time, low, high } = spreadOf(trial);
      return [
        choiceText(prediction),
        durationText(time),
        `${durationText(low)} to ${durationText(high)}`,
        String(times.length),
        durationText(prediction.time),
        ratioText(time / prediction.time),
        trial === judgement.kept ? "kept" : "",
      ];
    });
    output.section(title, `${tableText(HEAD, rows, [0, 2, 6])}\n${verdictText(judgement)}`);
  }
  for (const { name, closing } of tuned.settled) {
    const who = closing.length === 0 ? "the program's own options" : closing.map(flagOf).join(" and ");
    const leave = closing.length === 1 ? "leaves" : "leave";
    output.print(`conveyors.${escaped(name)}: not tuned, as ${who} ${leave} nothing open`);
  }
}

/** Example: `--max-bytes` for `maxBytes`. */
const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

function verdictText(judgement: JudgedEntry["judgement"]): string {
  const { kept, fastest, verdict } = judgement;
  const off = `Its time is ${ratioText(spreadOf(kept).time / kept.prediction.time)} the prediction.`;
  if (verdict === "predicted") return `The predicted best was the fastest. ${off}`;
  if (verdict === "fastest") return `Another choice than the predicted best was the fastest. ${off}`;
  const why = areFew(judgement) ? `fewer than ${LEAST_RUNS} runs do not tell them apart` : "their quartiles overlap";
  return `No difference between the predicted best and ${choiceText(fastest.prediction)}: ${why}. The predicted best is kept. ${off}`;
}
