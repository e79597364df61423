/** Random programs in worlds of all kinds: where they run, and what is told when one fails. */
import { sibling } from "../../../src/ground/base/package-file.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";
import { type Kind, whyNoMpi } from "../../machine/mpi/launchers.ts";
import { job } from "../../nodes/jobs.ts";
import program, { type Args, PROGRESS_WORDS } from "../programs/fuzz.program.ts";
import { programOf, textOf } from "./steps.ts";

/** Where a program runs. */
export const WORLDS = ["threads", "virtual", "Open MPI", "MPICH"] as const;
export type World = (typeof WORLDS)[number];

const file = sibling("../programs/fuzz.program.js", import.meta.url);

/** Limits, ms: of a run for each of its programs, and of a wait. */
const RUN_MS = 120_000;
const WAIT_MS = 60_000;

/**
 * Plays the programs of seeds, one after the other, in one world. @throws Error with the seed, the program and what is
 * known
 */
export async function playIn(world: World, pes: number, seeds: readonly number[]): Promise<void> {
  if (world === "threads") await onThreads(pes, seeds);
  else if (world === "virtual") await onVirtualPEs(pes, seeds);
  else await overNodes(world, pes, seeds);
}

/** Why there is no such world; null if there is. */
export const whyNot = (world: World): string | null =>
  world === "threads" || world === "virtual" ? null : whyNoMpi(world);

async function onThreads(pes: number, seeds: readonly number[]): Promise<void> {
  const progress = new SharedArrayBuffer(4 * PROGRESS_WORDS * pes);
  const args: Args = { seeds, progress };
  const timeout = RUN_MS * seeds.length;
  try {
    await launch(file, { pes, args, timeout, waitTimeout: WAIT_MS, stallAfter: WAIT_MS });
  } catch (error) {
    const words = new Int32Array(progress);
    const [seed = 0] = words;
    const where = Array.from({ length: pes }, (_, rank) => {
      const [of, begun, over] = words.subarray(PROGRESS_WORDS * rank);
      return `PE ${rank} has begun step ${begun} of seed ${of}, and completed step ${over} last`;
    });
    throw failure("threads", pes, [seed], error, where.join("\n"));
  }
}

async function onVirtualPEs(pes: number, seeds: readonly number[]): Promise<void> {
  for (const seed of seeds) {
    const nodes = pes % 2 === 0 && seed % 2 === 0 ? 2 : 1;
    const args: Args = { seeds: [seed], forced: "awaits" };
    try {
      await simulateAsync({ pes, nodes, seed, jitter: seed % 5, args }, program);
    } catch (error) {
      throw failure("virtual", pes, [seed], error, `${nodes} nodes`);
    }
  }
}

async function overNodes(kind: Kind, pes: number, seeds: readonly number[]): Promise<void> {
  const first = Math.ceil(pes / 2);
  const args: Args = { seeds };
  const { code, text } = await job(kind, { program: file.href, pes: [first, pes - first], args });
  if (code !== 0) throw failure(kind, pes, seeds, null, text);
}

function failure(world: World, pes: number, seeds: readonly number[], error: unknown, more: string): Error {
  const programs = seeds.map((seed) => textOf(programOf(seed, pes))).join("\n");
  const { message = "", cause } = (error ?? {}) as { message?: string; cause?: unknown };
  const again = `again: node dist/test/fuzz/replay.js ${JSON.stringify(world)} ${pes} ${seeds.join(" ")}`;
  return new Error([message, String(cause ?? ""), more, programs, again].filter(Boolean).join("\n"), {
    cause: error,
  });
}
