/** The command line `tundish`. That of `bench` is handed over to a package of its own. */
import { tundishProgram } from "./options/program.ts";
import { runWords } from "./terminal/parse.ts";

/** Runs a command; afterwards `process.exitCode` is its exit code. */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  await runWords(args, async () => {
    const words = wordsOfBench(args);
    if (words !== undefined) return (await import("./commands/bench.ts")).benchCommand(words);
    const program = tundishProgram();
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(args, { from: "user" });
  });
}

/** Arguments for the benchmarks, of `tundish … bench …` and `tundish help bench …`; undefined for other commands. */
function wordsOfBench(args: readonly string[]): readonly string[] | undefined {
  // options before the command have no values
  const first = args.findIndex((word) => !word.startsWith("-"));
  const at = args[first] === "help" ? first + 1 : first;
  return args[at] === "bench" ? args.toSpliced(at, 1) : undefined;
}
