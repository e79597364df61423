/** A clock of the day that steps makes no stall of an hour, and hides none. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import type { Args } from "./stepped-clock.program.ts";

const program = sibling("./stepped-clock.program.js", import.meta.url);
const HOUR = 3_600_000;

const test = suite("a clock that steps");

for (const [whose, here, there] of [
  ["this thread", HOUR, 0],
  ["this thread, back", -HOUR, 0],
  ["a PE", 0, HOUR],
  ["a PE, back", 0, -HOUR],
] as const) {
  test(`that of ${whose}: a PE is in its state for as long as it is`, async () => {
    const word = new Int32Array(new SharedArrayBuffer(4));
    const args: Args = { word, step: there };
    const run = launch(program, { pes: 2, args, timeout: 120_000 });
    await new Promise((resolve) => run.on("message", resolve));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const { now } = Date;
    Date.now = () => now() + here;
    const { problems, pes } = run.diagnose(HOUR / 2);
    Date.now = now;
    Atomics.store(word, 0, 1); // pairs with the wait of PE 1
    Atomics.notify(word, 0);
    await run;
    assert.equal(problems, []);
    const [conveyor] = pes[1]?.conveyors ?? [];
    const { advanced } = conveyor as { advanced: number };
    assert.ok(advanced >= 30 && advanced < HOUR / 2, `${advanced} ms`);
  });
}

test.run();
