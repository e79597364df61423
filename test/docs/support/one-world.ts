/** Many small programs, run one after the other in one world of three PEs: a world each would take minutes. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runIn } from "./place.ts";

const PES = 3;
/** A line that no program prints. */
const MARK = "==== ";

/** What each program has printed, with the results of its PEs as `tundish run` prints them. */
export async function runInOneWorld(dir: string, programs: readonly string[]): Promise<string[]> {
  for (const [i, program] of programs.entries()) writeFileSync(join(dir, `program-${i}.mjs`), program);
  writeFileSync(
    join(dir, "all.mjs"),
    `import { spmd } from "tundish";
${programs.map((_, i) => `import p${i} from "./program-${i}.mjs";`).join("\n")}
export default spmd(async (pe) => {
  const results = [];
  for (const { main } of [${programs.map((_, i) => `p${i}`).join()}]) {
    if (pe.rank === 0) console.log(${JSON.stringify(MARK)} + results.length);
    pe.barrier();
    results.push(await main(pe, []));
    pe.barrier();
  }
  return results;
});
`,
  );
  const text = new URL("../../../src/interface/cli/text/results.js", import.meta.url).href;
  writeFileSync(
    join(dir, "launch-all.mjs"),
    `import { launch } from "tundish";
import { resultLine } from ${JSON.stringify(text)};
const results = await launch("./all.mjs", { pes: ${PES}, timeout: 60000 });
for (let i = 0; i < ${programs.length}; i++) {
  console.log(${JSON.stringify(MARK)} + i);
  for (const [rank, { [i]: value }] of results.entries()) {
    if (value !== undefined) console.log(resultLine(value, rank, { hasColours: false }));
  }
}
`,
  );
  const { stdout, both } = await runIn(dir, "node launch-all.mjs");
  const printed = programs.map(() => "");
  // first of all programs what they have logged, then their results
  const parts = stdout.split(new RegExp(`^${MARK}`, "m")).slice(1);
  if (parts.length !== 2 * programs.length) throw new Error(`not all programs have run:\n${both}`);
  for (const part of parts) {
    const [, index, lines] = /^(\d+)\n(.*)$/s.exec(part) as unknown as [string, string, string];
    printed[Number(index)] += lines;
  }
  return printed;
}
