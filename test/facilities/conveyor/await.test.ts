/** Sessions of programs that await, on real PEs. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { testInTurn } from "../../support/test-in-turn.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import type { Args, Part } from "./programs/await.program.ts";

const program = sibling("./programs/await.program.js", import.meta.url);

const awaiting = suite("awaiting");

const replies = "5.5 1,2,3 6.25 4,5,6 1.125,2.5 1,2,3,4,5,6";
const misused = "STATE STATE USAGE RANGE USAGE USAGE USAGE RANGE STATE STATE USAGE STATE";

for (const pes of [1, 2, 4]) {
  testInTurn<Args>(awaiting, program, pes, [
    ...([1, 2] as const).flatMap((hops) =>
      (["batches", "asks"] as const).map((part) => [`${part}, ${hops} hops`, { part, hops }, 0] as const),
    ),
    ...(["mixed", "early", "chain", "twice"] as const).map((part) => [part, { part }, 0] as const),
    ...(pes === 2
      ? ([
          ["structs within structs, copied", { part: "structs" }, replies],
          ["calls that cannot be", { part: "misuse" }, misused],
        ] as const)
      : []),
  ]);
}

async function failure(part: Part): Promise<string> {
  try {
    await launchPooled(program, { pes: 2, args: { part }, waitTimeout: 60_000 });
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code} ${message}`;
  }
  return "nothing";
}

awaiting("what a source, a loop or a body throws ends it everywhere", async () => {
  assert.match(await failure("throwingSource"), /^ERR_TUNDISH_RANK_LOST PE 1 threw TypeError: no source/);
  assert.match(await failure("throwingLoop"), /^ERR_TUNDISH_RANK_LOST PE 0 threw TypeError: no loop/);
  assert.match(await failure("throwingBody"), /^ERR_TUNDISH_RANK_LOST PE 1 threw TypeError: no body/);
});

awaiting("one that never comes, and one that never ends", async () => {
  assert.match(await failure("lost"), /^ERR_TUNDISH_RANK_LOST PE 1/);
  assert.match(await failure("timeout"), /^ERR_TUNDISH_TIMEOUT/);
});

awaiting.run();
