/** docs/cli.md has all commands with the options that their help prints, and the exit codes. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { tundishProgram } from "../../../src/interface/cli/options/program.ts";
import { exitCodes } from "../../../src/interface/cli/terminal/exit.ts";
import { root } from "../../support/paths.ts";

const test = suite("cli reference");
const page = readFileSync(join(root, "docs/cli.md"), "utf8");

test("the commands", () => {
  const { status, stderr } = spawnSync(process.execPath, [join(root, "scripts/cli-docs.mjs"), "--check"], {
    encoding: "utf8",
  });
  assert.is(status, 0, stderr);
  assert.match(page, "\n## tundish run\n\n`tundish run [options] <module> [args...]`\n");
});

test("each command and each option of it, but help, version and --json", () => {
  const shared = page.split("\nOptions of several of them:\n")[1]?.split("```")[0] ?? "";
  const told = (command: Command, words: readonly string[]): void => {
    const name = words.join(" ");
    assert.ok(page.includes(`\n## ${name}\n`) || page.includes(`\n- \`${name}\`: `), name);
    for (const { flags, long } of command.options) {
      if (long === "--version" || long === "--json") continue;
      const part = page.split(new RegExp(`^(?:## |- \`)${name}(?:\`: |$)`, "m"))[1]?.split(/^## /m)[0] ?? "";
      const [first = ""] = part.split("\n");
      const isNamed = first.includes(`\`${long}\``) || first.endsWith("; all of these");
      const isTold = part.includes(`- \`${flags}\`: `) || (isNamed && shared.includes(`- \`${flags}\`: `));
      assert.ok(isTold, `${name} ${flags}`);
    }
    for (const one of command.commands) if (one.name() !== "help") told(one, [...words, one.name()]);
  };
  told(tundishProgram(), ["tundish"]);
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
