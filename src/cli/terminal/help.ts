/** The layout of help: examples first, exit codes last, the same for every command. */
import { styleText } from "node:util";
import type { Command } from "commander";
import { exitCodes } from "./exit.ts";

/** Adds examples before a command's help and the exit codes after it. */
export function withExamples(command: Command, examples: readonly (readonly [string, string])[]): Command {
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, meaning]) => `  ${line.padEnd(width)}  ${meaning}`);
  return command
    .addHelpText("before", `${title("Examples:")}\n${lines.join("\n")}\n`)
    .addHelpText("after", `\n${title("Exit codes:")}\n${exitCodeLines().join("\n")}`);
}

/** A heading of a help text; commander removes the style for streams without colours. */
export function title(text: string): string {
  return styleText("bold", text, { validateStream: false });
}

function exitCodeLines(): string[] {
  return Object.entries(exitCodes).map(([code, meaning]) => `  ${code.padStart(3)}  ${meaning}`);
}
