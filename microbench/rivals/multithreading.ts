/**
 * The barrier of npm `multithreading`, used as its documentation shows, in a process of its own because
 * the library changes globals. Prints the ns per barrier of each batch as JSON.
 *
 * The library needs two features of Node 21 and 22; SHIM (measure.ts) adds them on Node 20, also in its workers, so
 * that it can be measured at all.
 *
 * Usage: node --import SHIM multithreading.js CPUS BATCH BATCHES
 */

import { namedCode } from "../../src/ground/base/call-site/named-code.ts";
import { sibling } from "../../src/ground/base/package-file.ts";

interface Library {
  spawn(moved: unknown, job: unknown): { join(): Promise<{ ok: boolean; value: unknown }> };
  move(...args: unknown[]): unknown;
  initRuntime(config: { maxWorkers: number }): void;
  shutdown(): void;
  Barrier: new (pes: number) => { wait(): Promise<unknown> };
}

/**
 * The function that each of its threads runs. The library converts the function to text, so it can use only its
 * arguments, and no helpers that a compiler adds; hence it is written as text.
 */
const TEXT = `return async (barrier, cpu, affinity, batch, batches) => {
  const { pinThread } = await import(affinity);
  pinThread(cpu);
  const samples = [];
  for (let k = 0; k <= batches; k++) {
    const start = performance.now();
    for (let i = 0; i < batch; i++) await barrier.wait();
    samples.push(((performance.now() - start) * 1e6) / batch);
  }
  return samples.slice(1);
}`;
const job = new Function(namedCode(TEXT, "tundish://bench/multithreading"))() as unknown;

async function main(): Promise<void> {
  const [cpus, batch, batches] = process.argv.slice(2);
  const list = cpus.split(",").map(Number);
  const name: string = "multithreading"; // a variable: it is not a dependency of this package
  const { spawn, move, initRuntime, shutdown, Barrier } = (await import(name)) as Library;
  initRuntime({ maxWorkers: list.length });
  const barrier = new Barrier(list.length);
  const affinity = sibling("../../src/machine/topology/affinity.js", import.meta.url).href;
  const handles = list.map((cpu) => spawn(move(barrier, cpu, affinity, Number(batch), Number(batches)), job));
  const results = await Promise.all(handles.map((handle) => handle.join()));
  shutdown();
  const failed = results.find(({ ok }) => !ok);
  if (failed) throw new Error(`multithreading: ${String(failed.value)}`);
  process.stdout.write(JSON.stringify(results[0].value));
}

await main();
