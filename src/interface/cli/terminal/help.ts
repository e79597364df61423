/** The layout of help, the same for every command: usage first, then options, examples, exit codes. */
import { styleText } from "node:util";
import type { Command, Option } from "commander";
import { exitCodes } from "./exit.ts";

/** Columns of a terminal that is not wider than usual. */
const COLUMNS = 80;
const INDENT = "  ";

/** Adds examples and the exit codes after a command's options. */
export function withExamples(command: Command, examples: readonly (readonly [string, string])[]): Command {
  return command
    .helpOption("-h, --help", "print this help")
    .addHelpText("after", `\n${title("Examples:")}\n${exampleLines(examples).join("\n")}`)
    .addHelpText("after", `\n${title("Exit codes:")}\n${exitCodeLines().join("\n")}`);
}

/** The description of an example stands beside it, or below it if one of them has no room beside it. */
function exampleLines(examples: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...examples.map(([line]) => line.length));
  const beside = examples.map(([line, meaning]) => `${INDENT}${line.padEnd(width)}${INDENT}${meaning}`);
  if (beside.every((line) => line.length <= COLUMNS)) return beside;
  return examples.flatMap(([line, meaning]) => [`${INDENT}${line}`, `${INDENT.repeat(3)}${meaning}`]);
}

/** The description of an option, and its choices if it has any. */
export function optionDescription({ description, argChoices = [] }: Option): string {
  if (argChoices.length === 0) return description;
  return `${description}; ${argChoices.length === 1 ? "only" : "one of"} ${argChoices.join(", ")}`;
}

/** A heading of a help text; commander removes the style for streams without colours. */
export function title(text: string): string {
  return styleText("bold", text, { validateStream: false });
}

function exitCodeLines(): string[] {
  return Object.entries(exitCodes).map(([code, meaning]) => `${INDENT}${code.padStart(3)}${INDENT}${meaning}`);
}
