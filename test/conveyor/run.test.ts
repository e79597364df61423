/** Whole sessions in one call, on real PEs. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/base/package-file.ts";
import { launch } from "../../src/launch/launch.ts";
import type { Args } from "./programs/run.program.ts";

const program = sibling("./programs/run.program.js", import.meta.url);
const play = (pes: number, args: Args) => launch(program, { pes, args, timeout: 60_000 });
const zeros = (pes: number) => new Array(pes).fill(0);

const runs = suite("run");

for (const pes of [1, 2, 4]) {
  for (const part of ["histogram", "gather", "columns"] as const) {
    for (const hops of [1, 2] as const) {
      runs(`${part}, ${pes} PEs, ${hops} hops`, async () => {
        assert.equal(await play(pes, { part, hops }), zeros(pes));
      });
    }
  }
  for (const part of ["relay", "elastic", "elasticGather"] as const) {
    runs(`${part}, ${pes} PEs`, async () => {
      assert.equal(await play(pes, { part }), zeros(pes));
    });
  }
  runs(`structs that are put back, ${pes} PEs`, async () => {
    assert.equal(await play(pes, { part: "structs" }), new Array(pes).fill("5000 5000 true"));
  });
  runs(`send and take, ${pes} PEs`, async () => {
    assert.equal(await play(pes, { part: "pingPong" }), zeros(pes));
  });
}

/** What a run ends with: code and message. */
async function failure(part: Args["part"], pes = 2): Promise<string> {
  try {
    await play(pes, { part });
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

runs("a sink that waits is told so", async () => {
  assert.match(
    await failure("waitingSink"),
    /^ERR_TUNDISH_RANK_LOST .*StateError: run: .*a sink must not wait/,
  );
});

runs("where all send and nobody pulls, the timeout ends it", async () => {
  assert.match(await failure("allSend"), /^ERR_TUNDISH_TIMEOUT/);
});

runs("a push that was kept, and calls that cannot be", async () => {
  const codes = "ERR_TUNDISH_STATE ERR_TUNDISH_STATE ERR_TUNDISH_STATE ERR_TUNDISH_USAGE";
  assert.equal(await play(2, { part: "keptPush" }), [codes, codes]);
});

runs.run();
