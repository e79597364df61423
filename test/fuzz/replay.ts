/**
 * Plays random programs again, or others: node dist/test/fuzz/replay.js "threads" 5 103 104
 *
 * Where (threads, virtual, Open MPI, MPICH), the number of PEs, and seeds, one world after the other; `100-199` is a
 * hundred of them. Prints the programs that fail, how they fail, and how long each took.
 */

import { programOf, textOf } from "./support/steps.ts";
import { playIn, WORLDS, type World } from "./support/worlds.ts";

const [world, pes, ...given] = process.argv.slice(2);
const seeds = given.flatMap((text) => {
  const [first, last = first] = text.split("-").map(Number) as [number, number?];
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
});
if (!WORLDS.includes(world as World) || !(Number(pes) > 0) || seeds.length === 0 || seeds.some(Number.isNaN)) {
  console.error(`expected ${WORLDS.join(" or ")}, a number of PEs, and seeds`);
  process.exit(2);
}
if (seeds.length === 1) console.log(textOf(programOf(seeds[0] as number, Number(pes))));
for (const seed of seeds) {
  const began = performance.now();
  try {
    await playIn(world as World, Number(pes), [seed]);
    console.log(`seed ${seed}: ${Math.round(performance.now() - began)} ms`);
  } catch (error) {
    console.log(`seed ${seed} failed after ${Math.round(performance.now() - began)} ms: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
