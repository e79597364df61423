/** docs/cli.md and the README of tundish-bench have all commands with the options that their help prints; the exit codes. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { benchProgram } from "../../../packages/tundish-bench/src/cli/options/program-bench.ts";
import { tundishProgram } from "../../../src/interface/cli/options/program.ts";
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
  assert.match(page, "\n## tundish run\n\n`tundish run [options] <module> [args...]`\n");
  assert.match(benchPage, "\n## tundish bench tram\n\n");
});

test("each command and each option of it, but help, version and --json", () => {
  const [, shared = ""] = /\nOptions of several of them:\n(.*?)```/s.exec(page) ?? [];
  const told = (page: string, command: Command, words: readonly string[]): void => {
    const name = words.join(" ");
    const [, section] = new RegExp(`^## ${name}\n(.*?)(?=^## |(?![^]))`, "ms").exec(page) ?? [];
    const [, line] = new RegExp(`^- \`${name}[ \`](.*)`, "m").exec(page) ?? [];
    const [like = ""] = /^- .*: as of \[`.*`\]\(#.*\)$/m.exec(section ?? "") ?? [];
    assert.ok(section !== undefined || line !== undefined, name);
    for (const { flags, long } of command.options) {
      if (long === "--version" || long === "--json") continue;
      const isTold =
        section?.includes(`- \`${flags}\`: `) ||
        like.includes(`\`${long}\``) ||
        line?.includes(`\`${long}\``) ||
        (line?.includes("all of these") && shared.includes(`- \`${flags}\`: `));
      assert.ok(isTold, `${name} ${flags}`);
    }
    for (const one of command.commands)
      if (!["help", "bench"].includes(one.name())) told(page, one, [...words, one.name()]);
  };
  told(page, tundishProgram(), ["tundish"]);
  told(benchPage, benchProgram(), ["tundish", "bench"]);
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
