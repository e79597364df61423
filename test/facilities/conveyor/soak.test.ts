/** Random conveyors of all types on threads, for a few seconds; soak.ts does it for as long as one likes. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import { rounds } from "../../support/long.ts";
import type { Soak } from "./programs/soak.program.ts";

const program = sibling("./programs/soak.program.js", import.meta.url);
/** For each world. */
const SECONDS = rounds(1, 600);
const soaks = suite("soak");

for (const pes of [2, 4]) {
  soaks(`${pes} PEs: nothing lost, and the heap is as it was`, async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const [soak] = await launch<Soak>(program, {
      pes,
      args: { seconds: SECONDS, seed },
      timeout: 10_000 * SECONDS,
    });
    const { conveyors, items, heap } = soak;
    assert.ok(conveyors >= 4 && items > 0, `${conveyors} conveyors, ${items} items`);
    assert.is(heap[1], heap[0], `heap, seed ${seed}`);
  });
}

soaks.run();
