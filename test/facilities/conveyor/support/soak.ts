/**
 * Random conveyors of all types on 4 PEs, for so many seconds: what came, and what memory they took.
 *
 *     node dist/test/facilities/conveyor/soak.js 600 [seed]
 */
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { launch } from "../../../../src/running/launch/launch.ts";
import type { Soak } from "../programs/soak.program.ts";

const [seconds = 600, seed = Math.floor(Math.random() * 2 ** 31)] = process.argv.slice(2).map(Number);
console.log(`seed ${seed}, ${seconds} s`);
const [soak] = await launch<Soak>(sibling("../programs/soak.program.js", import.meta.url), {
  pes: 4,
  args: { seconds, seed },
});
const { conveyors, items, heap, resident } = soak;
const [early, late] = resident.map((bytes) => Math.round(bytes / 2 ** 20));
console.log(`${conveyors} conveyors, ${items} items, ${soak.seconds} s; nothing lost`);
console.log(
  `heap ${heap[0]} bytes before, ${heap[1]} after; resident ${early} MiB after a quarter, ${late} at the end`,
);
process.exitCode = heap[0] === heap[1] && late < 1.25 * early ? 0 : 1;
