#!/usr/bin/env node
/**
 * The command line `tundish`.
 *
 * Commands set the exit code and let the process end by itself, so that a handle left open by a run is noticed and
 * output to a pipe is complete.
 */
import { runCommandLine } from "./command-line.ts";
import { FAILED, OK } from "./terminal/exit.ts";

for (const stream of [process.stdout, process.stderr]) {
  // the reader has closed the pipe (`tundish tree | head -1`)
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(OK);
    if (stream !== process.stderr) process.stderr.write(`tundish: cannot write the output: ${error.message}\n`);
    process.exit(FAILED);
  });
}

void runCommandLine(process.argv.slice(2));
