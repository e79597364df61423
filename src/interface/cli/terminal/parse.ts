/** One command line: parsed, its command run, its error written. Loads commander alone; commands load their own. */
import { Command, CommanderError } from "commander";
import { isFirst } from "../../../machine/mpi/launcher.ts";
import { type ErrorEntry, errorDocument, errorEntry, errorText, OK, USAGE } from "./exit.ts";
import { optionDescription, title } from "./help.ts";

/** A program with the options of all commands. Usage errors and requests for help are thrown as CommanderError. */
export function newProgram(name: string, version: string): Command {
  return new Command(name)
    .version(version, "-V, --version", "print the version")
    .option("-q, --quiet", "print only errors on stderr")
    .option("--verbose", "print more detail, and stacks of errors")
    .exitOverride()
    .configureHelp({ styleTitle: title, optionDescription, showGlobalOptions: true })
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error: /, "error ERR_TUNDISH_USAGE: ")),
    });
}

/** After all commands: how to ask for their help, which an error names. */
export function withHelp(program: Command): void {
  program.helpCommand("help [command]", "print the help of a command");
  for (const command of program.commands) command.showHelpAfterError(`See: ${program.name()} ${command.name()} --help`);
  program.showHelpAfterError(`See: ${program.name()} --help`);
}

/** Runs what words ask for; afterwards `process.exitCode` is the exit code. */
export async function runWords(words: readonly string[], run: () => Promise<unknown>): Promise<void> {
  // commands that reserve stdout for their own document redirect all other output
  const writeData = process.stdout.write.bind(process.stdout);
  const fail = (entry: ErrorEntry): void => {
    process.exitCode = entry.exitCode;
    if (wantsDocument(words)) writeData(`${errorDocument(entry)}\n`);
  };
  try {
    await run();
  } catch (error) {
    if (error instanceof CommanderError) {
      // commander has printed the error; help and version are not errors
      if (error.exitCode === 0) process.exitCode = OK;
      else fail(usageEntry(error));
      return;
    }
    process.stderr.write(errorText(error, words.includes("--verbose")));
    fail(errorEntry(error));
  }
}

/**
 * With `--json` an error is printed as a document, too; in a job only by the first process. Whether `--json` was given
 * is determined without commander, which may have rejected the other words.
 */
function wantsDocument(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return isFirst(process.env) && (end < 0 ? words : words.slice(0, end)).includes("--json");
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
