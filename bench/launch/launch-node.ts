/** A fresh process of `bench launch`: `node launch-node.js ORDER`, a file with a LaunchOrder as JSON. Prints a LaunchAnswer as JSON. */
import { readFileSync } from "node:fs";
import { sibling } from "../../src/base/package-file.ts";
import type * as Library from "../../src/index.ts";
import type * as Affinity from "../../src/machine/affinity.ts";
import type { LaunchAnswer, LaunchOrder } from "./launch-jobs.ts";
import { WORKS } from "./works.ts";

/** Runs once. */
type Once = () => Promise<number[]>;

async function alone({ work, machine }: LaunchOrder): Promise<Once> {
  const { pinThread }: typeof Affinity = await import(
    sibling("../../src/machine/affinity.js", import.meta.url).href
  );
  pinThread(machine.pes[0].cpu);
  return async () =>
    work === null ? [] : WORKS[work.name]({ size: work.size, first: 0, end: work.size }, () => {});
}

async function launched({ work, machine, pes }: LaunchOrder): Promise<Once> {
  const { launch }: typeof Library = await import(sibling("../../src/index.js", import.meta.url).href);
  const program = sibling("./bench-launch.program.js", import.meta.url);
  return async () => (await launch<number[]>(program, { args: work, pes, machine }))[0];
}

const order = JSON.parse(readFileSync(process.argv[2], "utf8")) as LaunchOrder;
let begun = performance.now();
const once = await (order.way === "alone" ? alone : launched)(order);
const imported = (performance.now() - begun) * 1e6;
const times: number[] = [];
const results: number[][] = [];
for (let i = 0; i < order.runs; i++) {
  begun = performance.now();
  results.push(await once());
  times.push((performance.now() - begun) * 1e6);
}
const answer: LaunchAnswer = { imported, times, results };
console.log(JSON.stringify(answer));
