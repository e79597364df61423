/** The command `init` and its options: the content of `--help`. */
import { type Command, Option } from "commander";
import type { InitCommandOptions } from "../commands/init.ts";
import { act, json } from "../terminal/act.ts";
import { withExamples } from "../terminal/help.ts";

/** Adds `init`. */
export function addInit(program: Command): void {
  const command = program
    .command("init")
    .summary("write a first program into a folder")
    .description(
      "Writes a program in one file, k-means on all cores or another example, and tsconfig.json and package.json where there are none. " +
        "Nothing is overwritten. If there is a package.json, it prints what is missing there; without " +
        '"type": "module" the program ends in .mts.',
    )
    .argument("[folder]", "where to write; made if it does not exist (default: this folder)")
    .addOption(new Option("--example <name>", "another example (default: k-means)"))
    .addOption(new Option("--list", "print the names of all examples, with a line for each"))
    .addOption(json("one document tundish/init@1, with --list tundish/examples@1,"));
  withExamples(command, [
    ["tundish init", "into this folder"],
    ["tundish init first && cd first && npm install && npm start", "into a new folder, and run it"],
    ["tundish init --example jacobi plate", "an example"],
    ["tundish init --list", "which there are"],
    ["tundish init --json", "the files and the next commands, for programs"],
  ]);
  act<InitCommandOptions>(command, async (options, output, [folder]) =>
    (await import("../commands/init.ts")).initCommand(folder as string | undefined, options, output),
  );
}
