#!/usr/bin/env node
/**
 * The command line `tundish`. Only commander is loaded here; each command loads what it needs.
 *
 * Commands set the exit code and let the process end by itself, so that a handle left behind by a
 * run would be seen, and what was written to a pipe arrives.
 */
import { CommanderError } from "commander";
import { tundishProgram } from "./options/program.ts";
import { errorText, exitCodeOf, FAILED, OK, USAGE } from "./terminal/exit.ts";

for (const stream of [process.stdout, process.stderr]) {
  // the reader has gone (`tundish tree | head -1`): nobody is left to talk to
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(OK);
    if (stream !== process.stderr)
      process.stderr.write(`tundish: cannot write the output: ${error.message}\n`);
    process.exit(FAILED);
  });
}

async function main(args: readonly string[]): Promise<void> {
  const program = tundishProgram();
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) {
      // commander has said what is wrong; help and version are no errors
      process.exitCode = error.exitCode === 0 ? OK : USAGE;
      return;
    }
    process.stderr.write(errorText(error, args.includes("--verbose")));
    process.exitCode = exitCodeOf(error);
  }
}

void main(process.argv.slice(2));
