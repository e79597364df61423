/** The serial programs of examples/loops, and the same made parallel: the same bytes, by as many changed lines as the page says. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Turns } from "../../examples/loops/turns.ts";
import { root } from "../support/paths.ts";
import { launchPooled } from "../support/thread-pool.ts";

const test = suite("examples, loops");
const PROGRAMS = { distances: "40", "ray-tracer": "20" } as const;

for (const [name, size] of Object.entries(PROGRAMS)) {
  const built = (form: string) => join(root, "dist/examples/loops", `${name}${form}.js`);

  test(`${name}: the bytes of the serial program, on any number of PEs`, async () => {
    const { result } = JSON.parse(execFileSync(process.execPath, [built("-serial"), size, "1"], { encoding: "utf8" }));
    assert.match(result, /^[0-9a-f]{16}$/);
    for (const pes of [1, 2, 3]) {
      const all = await launchPooled<Turns>(pathToFileURL(built("")), { pes, args: [size, "2"], waitTimeout: 60_000 });
      assert.equal(
        all.map((one) => one.result),
        Array(pes).fill(result),
      );
    }
  });

  test(`${name}: lines changed as docs/loops.md says`, () => {
    const files = ["-serial", ""].map((form) => join(root, "examples/loops", `${name}${form}.ts`));
    const { stdout } = spawnSync("git", ["diff", "--no-index", "--shortstat", ...files], { encoding: "utf8" });
    const [, added, removed] = /(\d+) insertions?\(\+\), (\d+) deletions?\(-\)/.exec(stdout) ?? [];
    const page = readFileSync(join(root, "docs/loops.md"), "utf8");
    const row = page.split("\n").find((line) => line.startsWith(`| ${name} `));
    assert.match(row ?? "", new RegExp(`\\| \\+${added} -${removed} +\\|`), `${stdout} ${row}`);
    for (const file of files) assert.ok(readFileSync(file, "utf8").split("\n").length <= 121, file);
  });
}

test.run();
