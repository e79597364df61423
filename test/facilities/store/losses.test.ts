/** On threads: a replica is lost, whatever its role, and its clients go on; each write takes effect once. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { launch, RankLostError } from "../../../src/index.ts";
import { EACH } from "./losses.program.ts";

const test = suite("store, losses");
const program = new URL("./losses.program.js", import.meta.url);

for (const [role, lost] of [
  ["the leader", 0],
  ["the acceptor", 1],
  ["another one", 2],
] as const) {
  test(`${role} is lost`, async () => {
    const limits = { timeout: 90_000, waitTimeout: 80_000 };
    const results = await launch(program, { pes: 6, args: { lost }, onLoss: "continue", ...limits });
    for (const [rank, result] of results.entries()) {
      if (rank === lost) assert.instance(result, RankLostError);
      else assert.is(result, rank < 3 ? String(3 * EACH) : "counted");
    }
  });
}

test.run();
