/** The floors of the house: an import upwards is refused, and no folder is too full. */
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
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
const MOST_STOREYS = 11;
/** Names that `tundish` exports: what worlds, PEs and collectives need. Facilities have entry points of their own. */
const MOST_PUBLIC_NAMES = 120;

test("an import from a higher folder, a circle, and a folder without a floor are errors", () => {
  const copy = mkdtempSync(join(tmpdir(), "tundish-floors-"));
  try {
    for (const file of [".dependency-cruiser.mjs", "tsconfig.json", "package.json"]) {
      copyFileSync(join(root, file), join(copy, file));
    }
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    const sources = {
      "ground/memory/heap.ts": "export type Heap = 0;\n",
      "ground/base/upwards.ts": 'import type { Heap } from "../memory/heap.ts";\nexport type Upwards = Heap;\n',
      "ground/memory/one.ts": 'export type { Two } from "./two.ts";\nexport type One = 1;\n',
      "ground/memory/two.ts": 'export type { One } from "./one.ts";\nexport type Two = 2;\n',
      "ground/memory/below.ts": 'export type { Upwards } from "../base/upwards.ts";\n',
      "attic/one.ts": "export type One = 1;\n",
      "attic/two.ts": 'export type { One } from "./one.ts";\n',
    };
    for (const [file, text] of Object.entries(sources)) {
      mkdirSync(dirname(join(copy, "src", file)), { recursive: true });
      writeFileSync(join(copy, "src", file), text);
    }
    const bin = join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin, "src"], { cwd: copy, encoding: "utf8" });
    const text = stdout + stderr;
    assert.is.not(status, 0);
    assert.match(text, /floor-of-src-ground-base: src\/ground\/base\/upwards\.ts → src\/ground\/memory\/heap\.ts/);
    assert.match(text, /no-circle-of-files: src\/ground\/memory\/one\.ts/);
    assert.match(text, /every-folder-has-a-floor: src\/attic/);
    // downwards is right
    assert.not.match(text, /below\.ts/);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});

test(`no folder has more than ${MOST_FILES} files side by side, and src has few folders`, () => {
  const count = new Map<string, number>();
  for (const top of [
    "src",
    "trees",
    "microbench",
    "apps",
    "packages/node-hwloc/src",
    "packages/tundish-bench/src",
    "test",
  ]) {
    for (const file of readdirSync(join(root, top), { recursive: true, encoding: "utf8" })) {
      if (!statSync(join(root, top, file)).isFile() || file.startsWith("fixtures")) continue;
      const folder = dirname(join(top, file));
      count.set(folder, (count.get(folder) ?? 0) + 1);
    }
  }
  const full = [...count].filter(([, files]) => files > MOST_FILES);
  assert.equal(full, []);
  const storeys = readdirSync(join(root, "src"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  assert.ok(storeys.length <= MOST_STOREYS, String(storeys.length));
});

test("each name of an exported type is declared in one file", () => {
  const files = new Map<string, string[]>();
  for (const file of readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts")) continue;
    const text = readFileSync(join(root, "src", file), "utf8");
    const declared = text.matchAll(/^export (?:declare )?(?:abstract )?(?:interface|type|class) (\w+)/gm);
    for (const name of new Set([...declared].map((match) => match[1] as string)))
      files.set(name, [...(files.get(name) ?? []), file]);
  }
  const shared = [...files].filter(([, where]) => where.length > 1);
  const list = shared.map(([name, where]) => `${name}: ${where.join(", ")}`).join("\n");
  assert.is(list, "");
});

test("tundish exports few names", () => {
  const text = readFileSync(join(root, "src/index.ts"), "utf8");
  const names = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(
    ([, list = ""]) => list.match(/\w+(?=\s*(?:,|$))/g) ?? [],
  );
  assert.ok(names.includes("launch") && names.includes("PE"));
  assert.ok(names.length <= MOST_PUBLIC_NAMES, String(names.length));
});

test.run();
