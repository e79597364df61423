/** The benchmarks of Tundish: what `tundish bench` hands its words to. */
import { runWords } from "../../../src/interface/cli/terminal/parse.ts";
import { benchProgram } from "./cli/options/program-bench.ts";

/**
 * Runs a command line of `tundish bench`, written without these two words; afterwards `process.exitCode` is its exit
 * code. What it prints and throws are those of all commands of `tundish`: data on stdout, messages and errors on
 * stderr.
 */
export async function bench(words: readonly string[]): Promise<void> {
  await runWords(words, () => benchProgram().parseAsync(words, { from: "user" }));
}
