/** One process of an open world, of one node or more, that runs kept.program.ts in all its parts. */
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { open } from "../../../../src/running/launch/open.ts";
import { type KeptArgs, LEFT_AT_ONCE, PARTS } from "./kept.program.ts";

const program = sibling("./kept.program.js", import.meta.url);
const pes = Number(process.argv[2]);
const failed: string[] = [];
let runs = 0;
const world = await open({ pes, timeout: 60_000 });
for (const part of PARTS) {
  // kept from one run to the next, where that may be, and freed in the last one
  for (const keeps of [false, LEFT_AT_ONCE.includes(part), false]) {
    const args: KeptArgs = { part, keeps, late: runs++ % 3 };
    try {
      const all = await world.run(program, { args, timeout: 60_000 });
      if (all.length !== pes || all.includes(false)) failed.push(`${part}, keeps ${keeps}: got ${all}`);
    } catch (error) {
      failed.push(`${part}, run ${runs}: ${(error as Error).message}`);
    }
  }
}
await world.close();
process.stdout.write(`${JSON.stringify({ runs, failed })}\n`);
