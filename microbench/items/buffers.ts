/**
 * The costs of conveyors' buffers: of handling one, and of waiting until one comes back.
 *
 * Two PEs send each other items of 8 bytes, by whole columns, as items take least then, in small buffers and in large
 * ones, with four of them for each link and with one: what more buffers take, and what it takes to wait for each. First
 * on two CPUs, then on one.
 *
 * Limits: the first two CPUs only. Messages are in the costs of a buffer. A wait takes longer the more items of a
 * buffer there are; those of the small ones count here.
 */

import { quantile } from "../../src/ground/base/math.ts";
import { sibling } from "../../src/ground/base/package-file.ts";
import type { BufferTimes, MachineModel } from "../../src/machine/model/machine-model.ts";
import { selectPEs } from "../../src/machine/model/select.ts";
import { runModule } from "../../src/running/run/run.ts";
import { worldTrees } from "../../trees/generate/world-trees.ts";
import { type BufferJob, type BufferSample, SMALL_BYTES } from "./buffer-job.ts";

const ITEMS = 8192;
const BUFFERS = (8 * ITEMS) / SMALL_BYTES;
const JOB: BufferJob = { items: ITEMS, warmMs: 300, rounds: 16 };
/** Limit of the run, ms. */
const LIMIT_MS = 30_000;

/** @param model with a row for each CPU @returns undefined for a single CPU @throws as launch() */
export async function measureBuffers(
  model: MachineModel,
  signal: AbortSignal | undefined,
): Promise<BufferTimes | undefined> {
  if (model.pes.length < 2) return undefined;
  const apart = await timesOn(selectPEs(model, [0, 1]), signal);
  const together = await timesOn(selectPEs(model, [0]), signal);
  return { handle: apart.handle, wait: apart.wait, shared: together.wait / 2 };
}

async function timesOn(machine: MachineModel, signal: AbortSignal | undefined) {
  const program = sibling("./buffers.program.js", import.meta.url);
  const options = { args: JOB, machine, pes: 2, timeout: LIMIT_MS, ...(signal && { signal }) };
  const [samples] = await runModule<readonly BufferSample[]>(program, options, {
    trees: ({ model, cpus, cores }) => worldTrees(model, cpus.length > cores, null),
    isAlone: true,
  });
  const each = (more: keyof BufferSample, less: keyof BufferSample) => {
    // each by itself: the machine is slow for a while now and then
    const usual = (of: keyof BufferSample) =>
      quantile(
        (samples ?? []).map((sample) => sample[of]),
        0.25,
      );
    return Math.max(0, Math.round((usual(more) - usual(less)) / BUFFERS));
  };
  return { handle: each("small", "large"), wait: each("lone", "small") };
}
