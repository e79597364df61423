#!/usr/bin/env node
/**
 * The command line `tundish`. Only commander is loaded here; each command loads what it needs.
 *
 * Commands set the exit code and let the process end by itself, so that a handle left open by a run is noticed and
 * output to a pipe is complete.
 */
import { CommanderError } from "commander";
import { isFirst } from "../mpi/launcher.ts";
import { tundishProgram } from "./options/program.ts";
import { type ErrorEntry, errorDocument, errorEntry, errorText, FAILED, OK, USAGE } from "./terminal/exit.ts";

for (const stream of [process.stdout, process.stderr]) {
  // the reader has closed the pipe (`tundish tree | head -1`)
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(OK);
    if (stream !== process.stderr)
      process.stderr.write(`tundish: cannot write the output: ${error.message}\n`);
    process.exit(FAILED);
  });
}

/** Commands that reserve stdout for their own document redirect all other output. */
const writeData = process.stdout.write.bind(process.stdout);

async function main(args: readonly string[]): Promise<void> {
  const program = tundishProgram();
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) {
      // commander has printed the error; help and version are not errors
      process.exitCode = error.exitCode === 0 ? OK : USAGE;
      if (error.exitCode !== 0) writeError(args, usageEntry(error));
      return;
    }
    process.stderr.write(errorText(error, args.includes("--verbose")));
    const entry = errorEntry(error);
    process.exitCode = entry.exitCode;
    writeError(args, entry);
  }
}

/**
 * With `--json` an error is printed as a document, too; in a job only by the first process. Whether `--json` was given
 * is determined without commander, which may have rejected the other arguments.
 */
function writeError(args: readonly string[], entry: ErrorEntry): void {
  if (!isFirst(process.env)) return;
  const end = args.indexOf("--");
  if ((end < 0 ? args : args.slice(0, end)).includes("--json")) writeData(`${errorDocument(entry)}\n`);
}

function usageEntry({ code, message }: CommanderError): ErrorEntry {
  const text = code === "commander.help" ? "expected a command; its help is on stderr" : message;
  return {
    code: "ERR_TUNDISH_USAGE",
    message: text.replace(/^error: /, ""),
    exitCode: USAGE,
    causes: [],
  };
}

void main(process.argv.slice(2));
