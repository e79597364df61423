/** `--help` of every command: usage first, then options, examples, exit codes, in 80 columns. */
import type { Command } from "commander";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { benchProgram } from "../../../packages/tundish-bench/src/cli/options/program-bench.ts";
import { tundishProgram } from "../../../src/interface/cli/options/program.ts";
import { cli, cliHere } from "./support/cli.ts";

const test = suite("cli help");

/** All commands by the words that select them. */
function commandsOf(command: Command, words: readonly string[] = []): [words: readonly string[], Command][] {
  return [[words, command], ...command.commands.flatMap((one) => commandsOf(one, [...words, one.name()]))];
}
const commands = [
  ...commandsOf(tundishProgram()).filter(([[first]]) => first !== "bench"),
  ...commandsOf(benchProgram(), ["bench"]),
];

test("there are all of them", () => {
  const names = commands.map(([words]) => words.join(" "));
  for (const name of ["", "init", "run", "bench", "bench tram"]) assert.ok(names.includes(name), name);
  assert.ok(names.length > 20);
});

for (const [words, command] of commands) {
  test(`tundish ${[...words, "--help"].join(" ")}`, async () => {
    const { code, stdout, stderr } = await cliHere([...words, "--help"]);
    assert.is(code, 0);
    assert.is(stderr, "");
    for (const line of stdout.split("\n")) assert.ok(line.length <= 80, line);
    assert.ok(stdout.startsWith(`Usage: ${["tundish", ...words].join(" ")} `), stdout);
    const places = ["Usage:", "Options:", "Examples:\n  ", "Exit codes:\n    0  done\n"].map((part) =>
      stdout.indexOf(part),
    );
    assert.ok(!places.includes(-1), stdout);
    assert.equal(
      places,
      places.toSorted((a, b) => a - b),
    );
    assert.match(stdout, /\n {2}130 {2}interrupted by Ctrl-C\n$/);
    for (const option of ["--quiet", "--verbose", "--help"]) assert.ok(stdout.includes(option));
    assert.is(stdout.includes("--json"), command.commands.length === 0);
  });
}

test("-h and help are --help, and so is no argument, as users start it", async () => {
  const { stdout } = await cli([]);
  for (const args of [["-h"], ["help"]]) assert.is((await cliHere(args)).stdout, stdout);
  for (const path of ["run", "bench", "bench tram"]) {
    const words = path.split(" ");
    assert.is((await cliHere(["help", ...words])).stdout, (await cliHere([...words, "-h"])).stdout);
  }
});

test("the first group is what to begin with", async () => {
  const { stdout } = await cliHere([]);
  const [, first = ""] = /First steps:\n(.*?)\n\n/s.exec(stdout) ?? [];
  assert.equal(
    first.split("\n").map((line) => line.trim().split(" ")[0]),
    ["init", "doctor", "start", "run"],
  );
});

test.run();
