/** One process of an open world over nodes: runs, what it posts, a PE that returns early, and what comes after a failure. */
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { functionsOf, reduceEach } from "../../../../src/loop.ts";
import { open } from "../../../../src/running/launch/open.ts";
import type { OpenArgs } from "./open.program.ts";

const program = sibling("./open.program.js", import.meta.url);
const args = (value: OpenArgs) => ({ args: value, timeout: 30_000 });

interface Failure {
  readonly code?: string;
  readonly message?: string;
}

async function failure(promise: Promise<unknown>): Promise<string> {
  try {
    return `results: ${JSON.stringify(await promise)}`;
  } catch (error) {
    return `${(error as Failure).code}: ${(error as Failure).message}`;
  }
}

const before = await open({ pes: 1, timeout: 30_000 });
const one = await before.run(program, args({ part: "sum" }));
await before.close();
const world = await open({ pes: 2, timeout: 30_000 });
const { first, size } = world;
const sums: unknown[] = [];
for (let i = 0; i < 20; i++) {
  sums.push(await world.run(program, args({ part: "sum" })));
  sums.push(await world.run(program, args({ part: "stream", count: 100 })));
}
// a loop from outside comes between the runs
const { square } = functionsOf<typeof import("../../../running/loops/bodies.program.ts")>(
  sibling("../../../running/loops/bodies.program.js", import.meta.url),
);
const loop = await failure(reduceEach(world, 100, square, "sum"));
let posts = 0;
await world.run(program, args({ part: "post", count: 3 })).on("message", () => posts++);
// the PEs of this node wait for one of another: it returns without the barrier that they are in
const early = await failure(world.run(program, args({ part: "return early", rank: 3 })));
const after = await failure(world.run(program, args({ part: "sum" })));
await world.close();
process.stdout.write(`${JSON.stringify({ first, size, sums, loop, posts, early, after, one })}\n`);
