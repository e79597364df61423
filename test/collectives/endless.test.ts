/** A million mixed collectives leave nothing behind. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/base/package-file.ts";
import { launch } from "../../src/launch/launch.ts";
import type { Args, Usage } from "./programs/endless.program.ts";

const program = sibling("./programs/endless.program.js", import.meta.url);

async function check(pes: number, args: Args): Promise<void> {
  const all = (await launch(program, { pes, args, timeout: 200_000, waitTimeout: 60_000 })) as Usage[][];
  for (const [before, after] of all) {
    const what = JSON.stringify(all);
    assert.is(after.heap, before.heap, what);
    assert.ok(after.own - before.own < 2 ** 20, what);
  }
}

const endless = suite("mixed collectives at random");
endless("1 000 000 blocking ones", () => check(2, { calls: 1_000_000, form: "blocking" }));
endless("50 000 blocking ones, 3 PEs", () => check(3, { calls: 50_000, form: "blocking" }));
endless("10 000 Async ones", () => check(2, { calls: 10_000, form: "async" }));
endless.run();
