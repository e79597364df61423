/** A fresh process that starts PEs: `node launch-node.js ORDER`, a LaunchOrder in JSON. Prints a LaunchAnswer. */
import { readFileSync } from "node:fs";
import type * as Library from "../../src/index.ts";
import type * as Affinity from "../../src/machine/topology/affinity.ts";
import type { LaunchAnswer, LaunchOrder } from "./order.ts";

// biome-ignore lint/plugin: timers.ts is a part of the library, whose loading is measured
const monotonic = (): number => Number(process.hrtime.bigint()) / 1e6;

/** The measured quantity. */
interface Measured {
  /** Of the opening of a world, ns; null where none was opened. */
  readonly opened: number | null;
  /** Runs once. */
  readonly once: () => Promise<number[]>;
  readonly close: () => Promise<void>;
}
const nothing = async (): Promise<void> => {};

async function alone({ module, work, machine, library }: LaunchOrder): Promise<Measured> {
  const { pinThread }: typeof Affinity = await import(library.affinity);
  pinThread(machine.pes[0].cpu);
  const { alone } = (await import(module)) as { readonly alone: (work: unknown) => number[] };
  return { opened: null, once: async () => alone(work), close: nothing };
}

async function launched({ module, work, machine, pes, library }: LaunchOrder): Promise<Measured> {
  const { launch }: typeof Library = await import(library.index);
  const once = async () => (await launch<number[]>(module, { args: work, pes, machine }))[0];
  return { opened: null, once, close: nothing };
}

async function opened({ module, work, machine, pes, library }: LaunchOrder): Promise<Measured> {
  const { open }: typeof Library = await import(library.index);
  const begun = monotonic();
  const world = await open({ pes, machine });
  return {
    opened: (monotonic() - begun) * 1e6,
    once: async () => (await world.run<number[]>(module, { args: work }))[0],
    close: () => world.close(),
  };
}

const order = JSON.parse(readFileSync(process.argv[2], "utf8")) as LaunchOrder;
let begun = monotonic();
const ways = { alone, launch: launched, open: opened };
const measured = await ways[order.way](order);
const imported = (monotonic() - begun) * 1e6 - (measured.opened ?? 0);
let settled = 0;
const times: number[] = [];
const results: number[][] = [];
for (let i = 0; i < order.runs; i++) {
  begun = monotonic();
  results.push(await measured.once());
  times.push((monotonic() - begun) * 1e6);
  if (i === order.settledAfter) settled = process.memoryUsage.rss();
}
const memory = [settled, process.memoryUsage.rss()] as const;
await measured.close();
const answer: LaunchAnswer = { imported, opened: measured.opened, times, results, memory };
console.log(JSON.stringify(answer));
