/** Whole sessions in one call, on real PEs. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import { testInTurn } from "../../support/test-in-turn.ts";
import type { Args } from "./programs/run.program.ts";

const program = sibling("./programs/run.program.js", import.meta.url);

const runs = suite("run");

const misused = "ERR_TUNDISH_STATE ERR_TUNDISH_STATE ERR_TUNDISH_STATE ERR_TUNDISH_USAGE";

for (const pes of [1, 2, 4]) {
  testInTurn<Args>(runs, program, pes, [
    ...(["histogram", "gather", "columns"] as const).flatMap((part) =>
      ([1, 2] as const).map((hops) => [`${part}, ${hops} hops`, { part, hops }, 0] as const),
    ),
    ...(["relay", "elastic", "elasticGather"] as const).map((part) => [part, { part }, 0] as const),
    ["structs that are put back", { part: "structs" }, "2000 2000 true"],
    ["send and take", { part: "pingPong" }, 0],
    ...(pes === 2
      ? ([["a push that was kept, and calls that cannot be", { part: "keptPush" }, misused]] as const)
      : []),
  ]);
}

/** What a run ends with: code and message. */
async function failure(part: Args["part"]): Promise<string> {
  try {
    await launch(program, { pes: 2, args: { part }, timeout: 60_000 });
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code} ${message}`;
  }
  return "nothing";
}

runs("what a sink throws ends the session everywhere", async () => {
  assert.match(await failure("throwingSink"), /^ERR_TUNDISH_RANK_LOST PE 0 threw TypeError: seven/);
});

runs("what a source throws ends the session everywhere", async () => {
  assert.match(await failure("throwingSource"), /^ERR_TUNDISH_RANK_LOST PE 1 threw TypeError: no source/);
});

runs("an item that is none of the sink's table ends the session everywhere, and the error says so", async () => {
  assert.match(
    await failure("outsideTable"),
    /^ERR_TUNDISH_RANK_LOST .*IndexRangeError: run: .*the session has ended at every PE\./,
  );
});

runs("a sink that waits is told so", async () => {
  assert.match(await failure("waitingSink"), /^ERR_TUNDISH_RANK_LOST .*StateError: run: .*a sink must not wait/);
});

runs("where all send and nobody pulls, the timeout ends it", async () => {
  assert.match(await failure("allSend"), /^ERR_TUNDISH_TIMEOUT/);
});

runs.run();
