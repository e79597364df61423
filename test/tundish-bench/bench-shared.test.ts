/** The works of `bench shared` on pooled worlds: each checks its own result. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SharedAnswer, SharedJob } from "../../packages/tundish-bench/src/shared/works.ts";
import { launchPooled } from "../support/thread-pool.ts";

const test = suite("bench shared");
const module = new URL("../../packages/tundish-bench/src/shared/bench-shared.program.js", import.meta.url);

for (const work of ["lock", "get", "mixed", "insert"] as const) {
  test(`${work}: by one thread, by two PEs`, async () => {
    for (const [kind, pes] of [["alone", 1] as const, ["together", 2] as const]) {
      const args: SharedJob = { kind, work, size: 2000, runs: 2 };
      const answers = await launchPooled<SharedAnswer>(module, { pes, args, heapBytes: 2 ** 25 });
      for (const { times, entryBytes } of answers) {
        assert.ok(times.length === 2 && times.every((ns) => ns > 0));
        const hasEntries = work === "get" || work === "mixed";
        assert.is(entryBytes !== null && entryBytes >= 12 && entryBytes < 100, hasEntries, `${entryBytes}`);
      }
    }
  });
}

test.run();
