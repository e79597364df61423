/** The results of `bench stealing` as text. */
import { bytesText, durationText, ratioText } from "../../../../../../src/ground/base/units.ts";
import type { CommandOutput } from "../../../../../../src/interface/cli/terminal/output.ts";
import { tableText } from "../../../../../../src/interface/cli/text/table.ts";
import type { StealingCase } from "../../../loops/stealing.ts";

/** A line for each machine and work, then what is true of all machines of several packages. */
export function printStealing(cases: readonly StealingCase[], output: CommandOutput): void {
  const rows = cases.map(({ machine, pes, packages, work, ideal, nearest, random }) => [
    ratioText(random.us / nearest.us),
    machine,
    String(pes),
    String(packages),
    work,
    durationText(ideal * 1000),
    durationText(nearest.us * 1000),
    durationText(random.us * 1000),
    `${nearest.far} of ${nearest.steals}`,
    `${random.far} of ${random.steals}`,
    bytesText(nearest.bytes),
    bytesText(random.bytes),
  ]);
  const titles = ["faster", "machine", "PEs", "packages", "work", "ideal", "nearest", "random"];
  output.section(
    "Stealing from the nearest victim first, beside victims in random order, in the simulator",
    tableText([...titles, "far steals", "at random", "far data", "at random"], rows, [1, 4]),
  );
  const several = cases.filter(({ packages }) => packages > 1);
  if (several.length === 0) return;
  const faster = several.filter(({ nearest, random }) => nearest.us <= random.us).length;
  const fewer = several.filter(({ nearest, random }) => nearest.bytes <= random.bytes).length;
  output.print(
    `Of ${several.length} cases with several packages nearest first is no slower in ${faster}, and moves no more data between packages in ${fewer}.`,
  );
}
