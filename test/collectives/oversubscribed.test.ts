/** More PEs than cores: everything works; and a PE that waits for long burns no core. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/ground/base/package-file.ts";
import { launch } from "../../src/running/launch/launch.ts";
import { rounds } from "../support/long.ts";
import { launchPooled } from "../support/thread-pool.ts";
import type { Args as Every } from "./programs/every.program.ts";
import type { Args } from "./programs/oversubscribed.program.ts";
import { everyKindAndOp } from "./support/cases.ts";

const every = sibling("./programs/every.program.js", import.meta.url);
const program = sibling("./programs/oversubscribed.program.js", import.meta.url);

const oversubscribed = suite("more PEs than cores");
for (const [pes, share] of [
  [8, rounds(8, 4)],
  [16, rounds(16, 8)],
]) {
  oversubscribed(`every collective, ${pes} PEs`, async () => {
    const cases = everyKindAndOp([1, 20, 200]).filter((_, i) => i % share === 0);
    const arenaBytes = 2 ** 18;
    const args: Every = { cases, arenaBytes };
    const counts = await launchPooled(every, { pes, args, heapBytes: 2 ** 23 + pes * arenaBytes, waitTimeout: 30_000 });
    assert.equal(counts, Array(pes).fill(cases.length));
  });
}
oversubscribed.run();

const idle = suite("waiting");
/** Share of a core. */
const LIMIT = 0.1;
const MANY = ["barrier", "allreduce of a number", "broadcast of an array", "scan"];
for (const [pes, native, later, waits] of [
  [2, "on", false, MANY],
  [2, "on", true, MANY],
  [2, "off", false, ["barrier", "gather"]],
  [4, "on", false, ["barrier"]],
  [4, "off", true, ["allgather"]],
] as [number, string, boolean, string[]][]) {
  const form = later ? "Async" : "blocking";
  idle(`for 500 ms takes less than a tenth of a core, ${pes} PEs, ${form}, native ${native}`, async () => {
    const args: Args = { waits, later, ms: 500, enough: LIMIT };
    process.env.TUNDISH_NATIVE = native;
    const all = (await launch(program, { pes, args, timeout: 60_000 }).finally(() => {
      delete process.env.TUNDISH_NATIVE;
    })) as number[][];
    for (const [i, share] of all[0].entries()) assert.ok(share < LIMIT, `${waits[i]}: ${share} cores`);
  });
}
idle.run();
