/** One command line: parsed, its command run, its error written. Only commander is loaded; each command loads what it needs. */
import { CommanderError } from "commander";
import { isFirst } from "../../machine/mpi/launcher.ts";
import { tundishProgram } from "./options/program.ts";
import { type ErrorEntry, errorDocument, errorEntry, errorText, OK, USAGE } from "./terminal/exit.ts";

/** Runs a command; afterwards `process.exitCode` is its exit code. */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  // commands that reserve stdout for their own document redirect all other output
  const writeData = process.stdout.write.bind(process.stdout);
  const fail = (entry: ErrorEntry): void => {
    process.exitCode = entry.exitCode;
    if (wantsDocument(args)) writeData(`${errorDocument(entry)}\n`);
  };
  const program = tundishProgram();
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) {
      // commander has printed the error; help and version are not errors
      if (error.exitCode === 0) process.exitCode = OK;
      else fail(usageEntry(error));
      return;
    }
    process.stderr.write(errorText(error, args.includes("--verbose")));
    fail(errorEntry(error));
  }
}

/**
 * With `--json` an error is printed as a document, too; in a job only by the first process. Whether `--json` was given
 * is determined without commander, which may have rejected the other arguments.
 */
function wantsDocument(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return isFirst(process.env) && (end < 0 ? args : args.slice(0, end)).includes("--json");
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
