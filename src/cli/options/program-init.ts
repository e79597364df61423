/** The command `init` and its options: the content of `--help`. */
import type { Command } from "commander";
import { act, json } from "../terminal/act.ts";
import { withExamples } from "../terminal/help.ts";

/** Adds `init`. */
export function addInit(program: Command): void {
  const command = program
    .command("init")
    .summary("write a first program into a folder")
    .description(
      "Writes k-means.ts, a program that clusters points on all cores and compares the time with that of one PE, and, where there are none, " +
        "tsconfig.json and package.json. Nothing is overwritten. If there is a package.json, it prints what is missing " +
        'there; without "type": "module" the program is k-means.mts.',
    )
    .argument("[folder]", "where to write; made if it does not exist (default: this folder)")
    .addOption(json("one document tundish/init@1"));
  withExamples(command, [
    ["tundish init", "into this folder"],
    ["tundish init first && cd first && npm install && npm start", "into a new folder, and run it"],
    ["tundish init --json", "the files and the next commands, for programs"],
  ]);
  act(command, async (_, output, [folder]) =>
    (await import("../commands/init.ts")).initCommand(folder as string | undefined, output),
  );
}
