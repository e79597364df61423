/** Every command of the pages that is shown with its output prints that. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { benchProgram } from "../../packages/tundish-bench/src/cli/options/program-bench.ts";
import { root } from "../support/paths.ts";
import { blocksOf, pages } from "./support/blocks.ts";
import { javascriptOf } from "./support/code.ts";
import { shownIn } from "./support/command-lines.ts";
import { isPrinted, makePlace, runIn } from "./support/place.ts";

const test = suite("commands of the pages");
/** Whether some commands of a page are for a clone, which it says. */
const isOfClone = (page: string): boolean => /\bin\s+a\s+clone\b/i.test(readFileSync(join(root, page), "utf8"));
let count = 0;

for (const page of pages()) {
  const blocks = blocksOf(page);
  const shown = blocks.filter(({ kind }) => kind.is === "commands");
  if (shown.length === 0) continue;
  const dir = await makePlace({ clone: isOfClone(page) });
  for (const block of blocks) {
    const { kind, text } = block;
    if (kind.is !== "file") continue;
    writeFileSync(join(dir, kind.name), /ts$/.test(kind.name) ? text : javascriptOf(block));
  }
  for (const { name, text } of shown) {
    for (const { command, output } of shownIn(text)) {
      count++;
      test(`${name} ${command}`, async () => {
        const found = await runIn(dir, command);
        if (!isPrinted(found, output)) assert.is(found.both, output);
      });
    }
  }
}

test("docs/performance.md has every benchmark", () => {
  const page = readFileSync(join(root, "docs/performance.md"), "utf8");
  const { commands } = benchProgram();
  assert.ok(commands.length > 10);
  const [list = ""] = /^The benchmarks are [\s\S]*?\n\n/m.exec(page) ?? [];
  for (const command of commands) assert.match(list, `\`${command.name()}\``);
});

test("the pages show commands", () => assert.ok(count > 5, `${count}`));

test.run();
