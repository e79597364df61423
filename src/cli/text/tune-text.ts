/** What `tundish plan --tune` prints: a table for each name, and what is kept. */

import { escaped } from "../../base/escaped.ts";
import { countText, durationText, ratioText } from "../../base/units.ts";
import { choiceText } from "../../plan/explain.ts";
import type { JudgedEntry } from "../../tune/document.ts";
import { spreadOf } from "../../tune/judge.ts";
import type { Tuned } from "../../tune/tune.ts";
import type { Output } from "../terminal/output.ts";
import { tableText } from "./table.ts";

const HEAD = ["choice", "a session", "quartiles", "runs", "predicted", "measured / predicted", ""];

/** Prints the measurements by name, then the names for which nothing is left open. */
export function printTuned(all: readonly JudgedEntry[], tuned: Tuned, output: Output): void {
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
  for (const name of tuned.settled)
    output.print(`conveyors.${escaped(name)}: not tuned, as the program's own options leave nothing open`);
}

function verdictText({ kept, fastest, verdict }: JudgedEntry["judgement"]): string {
  const off = `Its time is ${ratioText(spreadOf(kept).time / kept.prediction.time)} the prediction.`;
  if (verdict === "predicted") return `The predicted best was the fastest. ${off}`;
  if (verdict === "fastest") return `Another choice than the predicted best was the fastest. ${off}`;
  return `No difference between the predicted best and ${choiceText(fastest.prediction)}: their quartiles overlap. The predicted best is kept. ${off}`;
}
