/** The contenders of `bench loops`: PEs of ours, and programs in C, each in a process of its own. */
import { runChild } from "../../../../microbench/launch/child.ts";
import type { FreshProcesses } from "../../../../microbench/launch/processes.ts";
import { LIMIT_MS, type OurPart } from "../../../../microbench/turns/part.ts";
import type { Contender } from "../../../../microbench/turns/turns.ts";
import { runFresh } from "../conveyors/fresh.ts";
import { parseSamples } from "../peers/peers.ts";
import { cleanEnvironment } from "../peers/tools.ts";
import type { LoopAnswer, LoopJob, UnevenJob } from "./job.ts";
import { OURS, withPes } from "./names.ts";

/** @param title of the job, for messages */
export function ours(
  part: OurPart,
  processes: FreshProcesses,
  program: URL,
  pes: number,
  title: string,
  job: LoopJob | UnevenJob,
): Contender {
  const name = withPes(OURS, pes);
  return {
    name: `${name}, ${title}`,
    required: true,
    run: async () => {
      const { answers } = await runFresh<LoopAnswer>(processes, part, program, pes, job);
      part.sawBound(pes > part.cpus.length || answers.every(({ bound }) => bound));
      return (answers[0] as LoopAnswer).entries.map((entry) => ({ name, ...entry }));
    },
  };
}

/** @param args of the program, but for the CPUs, of which it gets one for each thread, or all */
export function theirs(
  { cpus, signal }: OurPart,
  name: string,
  program: string,
  threads: number,
  args: readonly (string | number)[],
): Contender {
  return {
    name,
    run: async () => {
      const options = { env: cleanEnvironment(process.env), deadlineMs: LIMIT_MS, signal };
      const { stdout } = await runChild(program, [...args, cpus.slice(0, threads).join()].map(String), options);
      return parseSamples(stdout, name).map((sample) => ({ name, ...sample }));
    },
  };
}
