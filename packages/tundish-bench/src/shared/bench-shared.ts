/**
 * Compares shared data with what else there is: locks beside those of C, a shared map beside one thread's Map; alone,
 * and by two PEs at once. Each in a process of its own, in turns, in one run, on the same CPUs (see turns.ts).
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runChild } from "../../../../microbench/launch/child.ts";
import { type FreshProcesses, freshProcesses } from "../../../../microbench/launch/processes.ts";
import type { BenchOptions } from "../../../../microbench/turns/options.ts";
import type { OurPart } from "../../../../microbench/turns/part.ts";
import type { Contender, Entry } from "../../../../microbench/turns/turns.ts";
import { EnvironmentError } from "../../../../src/ground/base/errors.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { runFresh } from "../conveyors/fresh.ts";
import { buildPlain } from "../peers/build.ts";
import { parseSamples } from "../peers/peers.ts";
import { cleanEnvironment } from "../peers/tools.ts";
import { measurePart, type PartBench } from "../turns/part.ts";
import { FULL, firstOf, QUICK, type SharedAnswer, type SharedJob, type SharedWork, textOf } from "./works.ts";

/** Limit for the C program, ms. */
const LIMIT_MS = 120_000;

export const MAP = "one thread, Map";

/** Memory for each entry of a map, bytes. */
export interface SharedBytes {
  readonly name: string;
  readonly bytes: number;
}

export interface SharedBench extends PartBench {
  readonly memory: readonly SharedBytes[];
}

/** Measures all of it. @throws as `benchConveyors`; NativeError if a process fails, as it does for a wrong result */
export async function benchShared(options: BenchOptions = {}): Promise<SharedBench> {
  const volume = options.quick ? QUICK : FULL;
  const folder = await mkdtemp(join(tmpdir(), "tundish-locks-"));
  await using processes = await freshProcesses();
  const memory = new Map<string, number>();
  const remember = (name: string, bytes: number) => memory.set(name, bytes);
  try {
    const locks = await buildPlain("locks.c", "-pthread", "gcc libc6-dev", folder, process.env);
    const bench = await measurePart(options, [], (part) => [
      inC(part, locks),
      ...(["lock", "get", "mixed", "insert"] as const).flatMap((work) => [
        contender(part, processes, { kind: work === "lock" ? "together" : "alone", work, ...volume }, 1, remember),
        contender(part, processes, { kind: "together", work, ...volume }, 2, remember),
      ]),
    ]);
    return { ...bench, memory: [...memory].map(([name, bytes]) => ({ name, bytes })) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function inC(
  { cpus, quick, signal }: OurPart,
  { program, missing }: { readonly program: string; readonly missing: string | null },
): Contender {
  return {
    name: "locks in C",
    run: async () => {
      if (missing !== null) throw new EnvironmentError(missing);
      const args = [quick ? "3" : "15", quick ? "0.4" : "4", cpus.slice(0, 2).join(",")];
      const { stdout } = await runChild(program, args, {
        ...{ env: cleanEnvironment(process.env), deadlineMs: LIMIT_MS },
        ...(signal === undefined ? {} : { signal }),
      });
      return parseSamples(stdout, "locks in C").map(({ what, batch, samples }) => {
        const [work = "", name = ""] = what.split(": ");
        return { name, what: work, batch, samples };
      });
    },
  };
}

/** `lock and unlock, alone` */
export const whatOf = (work: SharedWork, pes: number): string =>
  work === "lock" ? `${textOf(work)}, ${pes === 1 ? "alone" : "2 at once"}` : textOf(work);

function contender(
  part: OurPart,
  processes: FreshProcesses,
  job: SharedJob,
  pes: number,
  remember: (name: string, bytes: number) => void,
): Contender {
  const name = job.kind === "alone" ? MAP : `tundish, ${pes} PE${pes === 1 ? "" : "s"}`;
  const what = whatOf(job.work, pes);
  return {
    name: `${name}, ${what}`,
    required: true,
    run: async () => {
      const program = sibling("./bench-shared.program.js", import.meta.url);
      const { answers } = await runFresh<SharedAnswer>(processes, part, program, pes, job);
      part.sawBound(pes > part.cpus.length || answers.every(({ bound }) => bound));
      const [answer] = answers as [SharedAnswer];
      if (answer.entryBytes !== null) remember(name, answer.entryBytes);
      const [first = 0, ...later] = answer.times.map((ns) => ns / job.size);
      const entry = (text: string, samples: readonly number[]): Entry => ({
        name,
        what: text,
        batch: job.size,
        samples,
      });
      return [entry(firstOf(what), [first]), entry(what, later)];
    },
  };
}
