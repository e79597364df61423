/** Very many mixed collectives leave nothing behind: a million in the long run. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/ground/base/package-file.ts";
import { rounds } from "../support/long.ts";
import { launchPooled } from "../support/thread-pool.ts";
import type { Args, Usage } from "./programs/endless.program.ts";

const program = sibling("./programs/endless.program.js", import.meta.url);

async function check(pes: number, args: Args): Promise<void> {
  const all = await launchPooled<Usage[]>(program, { pes, args, waitTimeout: 60_000 });
  for (const [before, after] of all) {
    const what = JSON.stringify(all);
    assert.is(after.heap, before.heap, what);
    assert.ok(after.own - before.own < 2 ** 20, what);
  }
}

const endless = suite("mixed collectives at random");
const CALLS = rounds(40_000, 1_000_000);
endless(`${CALLS} blocking ones`, () => check(2, { calls: CALLS, form: "blocking" }));
const CROWDED = rounds(4000, 20_000);
endless(`${CROWDED} blocking ones, 3 PEs`, () => check(3, { calls: CROWDED, form: "blocking" }));
endless("10 000 Async ones", () => check(2, { calls: 10_000, form: "async" }));
endless.run();
