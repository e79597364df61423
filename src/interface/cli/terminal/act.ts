/** Common parts of all commands. */
import { type Command, Option } from "commander";
import type { ExitCode } from "./exit.ts";
import { CommandOutput, type CommonOptions } from "./output.ts";

/** Sets the action of a command: `work` takes the parsed arguments and returns the exit code. */
export function act<Options>(
  command: Command,
  work: (options: Options, output: CommandOutput, operands: readonly unknown[]) => Promise<ExitCode>,
): void {
  command.action(async () => {
    const options = command.optsWithGlobals<CommonOptions & Options>();
    process.exitCode = await work(options, new CommandOutput(options), command.processedArgs);
  });
}

/** The option that requests a document instead of text. */
export function json(what: string): Option {
  return new Option("--json", `print ${what} and nothing else on stdout`);
}
