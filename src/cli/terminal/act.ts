/** What every command of the CLI is made with. */
import { type Command, Option } from "commander";
import type { ExitCode } from "./exit.ts";
import { type CommonOptions, Output } from "./output.ts";

/** Makes a command do its work: `work` gets the parsed arguments and says how to exit. */
export function act<Options>(
  command: Command,
  work: (options: Options, output: Output, operands: readonly unknown[]) => Promise<ExitCode>,
): void {
  command.action(async () => {
    const options = command.optsWithGlobals<CommonOptions & Options>();
    process.exitCode = await work(options, new Output(options), command.processedArgs);
  });
}

/** The option that asks for a document in place of text. */
export function json(what: string): Option {
  return new Option("--json", `print ${what} and nothing else on stdout`);
}
