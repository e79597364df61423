/** Sessions of programs that await, on real PEs. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/base/package-file.ts";
import { launch } from "../../src/launch/launch.ts";
import type { Args, Part } from "./programs/await.program.ts";

const program = sibling("./programs/await.program.js", import.meta.url);
const play = (pes: number, args: Args) => launch(program, { pes, args, timeout: 60_000 });

const awaiting = suite("awaiting");

for (const pes of [1, 2, 4]) {
  const zeros = new Array(pes).fill(0);
  for (const hops of [1, 2] as const) {
    for (const part of ["batches", "asks"] as const) {
      awaiting(`${part}, ${pes} PEs, ${hops} hops`, async () => {
        assert.equal(await play(pes, { part, hops }), zeros);
      });
    }
  }
  for (const part of ["mixed", "early", "chain", "twice"] as const) {
    awaiting(`${part}, ${pes} PEs`, async () => {
      assert.equal(await play(pes, { part }), zeros);
    });
  }
}

awaiting("structs within structs, copied", async () => {
  const text = "5.5 1,2,3 6.25 4,5,6 1.125,2.5 1,2,3,4,5,6";
  assert.equal(await play(2, { part: "structs" }), [text, text]);
});

async function failure(part: Part): Promise<string> {
  try {
    await play(2, { part });
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

awaiting("calls that cannot be", async () => {
  const codes = "STATE STATE USAGE RANGE USAGE USAGE USAGE RANGE STATE STATE USAGE STATE";
  assert.equal(await play(2, { part: "misuse" }), [codes, codes]);
});

awaiting.run();
