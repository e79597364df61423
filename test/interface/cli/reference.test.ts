/** docs/cli.md and the README of tundish-bench have all commands as their help prints them, and the exit codes. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { exitCodes } from "../../../src/interface/cli/terminal/exit.ts";
import { root } from "../../support/paths.ts";

const test = suite("cli reference");
const page = readFileSync(join(root, "docs/cli.md"), "utf8");
const benchPage = readFileSync(join(root, "packages/tundish-bench/README.md"), "utf8");

test("the commands", () => {
  const { status, stderr } = spawnSync(process.execPath, [join(root, "scripts/cli-docs.mjs"), "--check"], {
    encoding: "utf8",
  });
  assert.is(status, 0, stderr);
  assert.match(page, "\n## tundish run\n\n```\nUsage: tundish run [options] <module> [args...]\n");
  assert.match(benchPage, "\n## tundish bench tram\n\n```\nUsage: tundish bench tram [options]\n");
});

test("the exit codes", () => {
  for (const [code, meaning] of Object.entries(exitCodes))
    assert.match(page, new RegExp(`^\\| ${code} +\\| ${meaning} +\\|`, "m"));
});

test("links to its sections are right", () => {
  for (const [, anchor = ""] of page.matchAll(/\]\(#([a-z-]+)\)/g))
    assert.match(page, new RegExp(`^## ${anchor.replaceAll("-", " ")}$`, "m"));
});

test.run();
