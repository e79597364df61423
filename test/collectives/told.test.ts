/** Messages name the group that was waited in, and never a shorter time than was given. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/ground/base/package-file.ts";
import { launchPooled } from "../support/thread-pool.ts";
import type { Part } from "./programs/told.program.ts";

const program = sibling("./programs/told.program.js", import.meta.url);

/** What the run ends with; one PE may be late for ever. */
const message = (pes: number, part: Part, stray?: number, checks = true): Promise<string> =>
  launchPooled(program, { pes, args: part, checks, ...(stray !== undefined && { stray }) }).then(
    () => "no error",
    String,
  );

const told = suite("what is told");
told("of calls that do not match: the group", async () => {
  const what =
    /^MismatchError: PE 0 called barrier; PE 2 called allreduce sum of a number .* \(call number 2 in the group of PE 0, 2\)\. All PEs/;
  assert.match(await message(3, "mismatch"), what);
});

for (const [part, checks] of [
  ["late", true],
  ["late, async", true],
  ["late, without checks", false],
] as const) {
  told(`of a wait that took too long: the group, ${part}`, async () => {
    const text = await message(4, part, 2, checks);
    assert.match(text, /^TimeoutError: PE 0 waited for PE 2 in the group of PE 0, 2 (for \d+ ms, )?longer/);
    if (checks) assert.match(text, /Not yet there: PE 2 \(barrier, call number 1\)\.( PE 2 has not joined: .*)? \[/);
  });
}

told("of a large group: its first PEs", async () => {
  assert.match(await message(20, "late, async", 18), / in the group of PE 0, 2, 4, 6, 8, 10, 12, 14 and 2 more longer/);
});

told("of a call that waited twice: the time of the call, not less than it was given", async () => {
  let text = await message(3, "twice", 2);
  // on a busy machine PE 1 may be the one that comes too late
  for (let turn = 1; turn < 10 && text.includes("waited for PE 1"); turn++) text = await message(3, "twice", 2);
  const ms = /^TimeoutError: PE 0 waited for PE 2 for (\d+) ms, longer than it was given/.exec(text)?.[1];
  assert.ok(Number(ms) >= 300, text);
});
told.run();
