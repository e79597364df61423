/** The commands that pages show, and whether `tundish` has what they ask for. */
import type { Command } from "commander";
import { benchProgram } from "../../../packages/tundish-bench/src/cli/options/program-bench.ts";
import { tundishProgram } from "../../../src/interface/cli/options/program.ts";

/** A command and what it prints, as a block `console` shows them. */
export interface Shown {
  readonly command: string;
  readonly output: string;
}

export function shownIn(text: string): Shown[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = "", ...output] = part.split("\n");
      return { command, output: output.join("\n") };
    });
}

/** What is wrong with the commands `tundish …` of a text; undefined if nothing is. */
export function wrongIn(text: string): string | undefined {
  for (const [line, given = ""] of text.matchAll(/(?:npx|\.bin\/)\s*tundish (.*)/g)) {
    // up to a comment, a pipe, a redirection, or words in the column beside the command
    const [words = ""] = given.split(/\s#|\s\||\s[12]?>|\s&|\s{2,}|\s…/);
    const [first, ...rest] = wordsOf(words);
    const unknown =
      first === "bench" ? unknownOf(benchProgram(), rest) : unknownOf(tundishProgram(), [first ?? "", ...rest]);
    if (unknown !== undefined) return `${line}: tundish has no ${unknown}`;
  }
  return undefined;
}

/** The first command or option that there is not. */
function unknownOf(program: Command, words: readonly string[]): string | undefined {
  let command = program;
  let rest = [...words];
  while (command.commands.length > 0) {
    const at = rest.findIndex((word) => !word.startsWith("-"));
    const name = rest[at];
    if (name === undefined) break;
    const next = command.commands.find((one) => one.name() === name);
    if (next === undefined) return `command ${name}`;
    rest = rest.toSpliced(at, 1);
    command = next;
  }
  if (rest.includes("--")) rest = rest.slice(0, rest.indexOf("--"));
  const isKnown = (word: string) =>
    [command, program].some(({ options }) => options.some(({ short, long }) => word === short || word === long));
  const own = rest.map((word) => word.replace(/=.*/, "")).filter((word) => /^--?[a-z]/.test(word));
  return own.find((word) => !isKnown(word) && !["-h", "--help"].includes(word));
}

/** Words of a command line; what is quoted is one. */
const wordsOf = (line: string): string[] => line.match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
