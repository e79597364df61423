/** The floors of the house: an import upwards is refused, and no folder is too full. */
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { root } from "../support/paths.ts";

const test = suite("floors");

const MOST_FILES = 25;

test("an import from a higher folder, a circle, and a folder without a floor are errors", () => {
  const copy = mkdtempSync(join(tmpdir(), "tundish-floors-"));
  try {
    for (const folder of ["src/base", "src/memory"])
      cpSync(join(root, folder), join(copy, folder), { recursive: true });
    for (const file of [".dependency-cruiser.mjs", "tsconfig.json", "package.json"]) {
      copyFileSync(join(root, file), join(copy, file));
    }
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    const check = () => {
      const bin = join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
      const { status, stdout, stderr } = spawnSync(process.execPath, [bin, "src"], {
        cwd: copy,
        encoding: "utf8",
      });
      return { status, text: stdout + stderr };
    };
    const before = check();
    assert.is(before.status, 0, before.text);
    const upwards = 'import type { Heap } from "../memory/heap.ts";\nexport type Upwards = Heap;\n';
    writeFileSync(join(copy, "src/base/upwards.ts"), upwards);
    writeFileSync(
      join(copy, "src/memory/one.ts"),
      'export type { Two } from "./two.ts";\nexport type One = 1;\n',
    );
    writeFileSync(
      join(copy, "src/memory/two.ts"),
      'export type { One } from "./one.ts";\nexport type Two = 2;\n',
    );
    cpSync(join(copy, "src/memory/one.ts"), join(copy, "src/attic/one.ts"));
    writeFileSync(join(copy, "src/attic/two.ts"), 'export type { One } from "./one.ts";\n');
    const { status, text } = check();
    assert.is.not(status, 0);
    assert.match(text, /floor-of-src-base: src\/base\/upwards\.ts → src\/memory\/heap\.ts/);
    assert.match(text, /no-circle-of-files: src\/memory\/one\.ts/);
    assert.match(text, /every-folder-has-a-floor: src\/attic/);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});

test(`no folder has more than ${MOST_FILES} files side by side, and src has index.ts alone`, () => {
  const count = new Map<string, number>();
  for (const top of ["src", "trees", "microbench", "bench", "apps", "packages/node-hwloc/src", "test"]) {
    for (const file of readdirSync(join(root, top), { recursive: true, encoding: "utf8" })) {
      if (!statSync(join(root, top, file)).isFile() || file.startsWith("fixtures")) continue;
      const folder = dirname(join(top, file));
      count.set(folder, (count.get(folder) ?? 0) + 1);
    }
  }
  const full = [...count].filter(([, files]) => files > MOST_FILES);
  assert.equal(full, []);
  assert.is(count.get("src"), 1);
});

test.run();
