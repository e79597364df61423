/** Whole sessions in one call, on real PEs. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { testInTurn } from "../../support/test-in-turn.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import type { Args } from "./programs/run.program.ts";

const program = sibling("./programs/run.program.js", import.meta.url);

const runs = suite("run");

const misused = "ERR_TUNDISH_STATE ERR_TUNDISH_STATE ERR_TUNDISH_STATE ERR_TUNDISH_USAGE";

for (const pes of [1, 2, 4]) {
  testInTurn<Args>(runs, program, pes, [
    ...(["histogram", "gather", "columns", "bulk", "bulkTable"] as const).flatMap((part) =>
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
    await launchPooled(program, { pes: 2, args: { part }, waitTimeout: 60_000 });
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code} ${message}`;
  }
  return "nothing";
}

runs("columns and batches that do not fit are refused before the session begins", async () => {
  const [told] = (await launchPooled(program, { pes: 2, args: { part: "bulkRefused" } })) as [string];
  const expected = [
    /^run: dests: expected a Uint32Array of ranks, got Array of length 2/,
    /^run: columns\.x: expected a Float64Array of at least 5 elements, got Uint32Array of length 5/,
    /^run: columns\.x: expected a Float64Array of at least 5 elements, got Float64Array of length 4/,
    /^run: expected indices with 0 <= first <= end <= 5, got 0 and 6/,
    /^run: source: unknown field 'length'/,
    /^run: expected two functions.* got \[\]/,
    /^run: takeAll: expected a function \(batch\) => \{ … \}, got 5/,
    /^run: expected functions that are not async/,
    /^run: expected functions that are no generators/,
    /^run: sink: expected a function .* or \{ table, op, … \}, got both takeAll and table in/,
    /^run: sink: expected a function .* or \{ table, op, … \}, got \{ takeall/,
    /^run: expected two functions.* or \{ dests, columns \} and \{ takeAll \} or a table, got \{ dests: .* \} and null/,
    /^run: expected an array with its memory, got one that was given back/,
    /^run: ends: "quiescence" is for a function that sends/,
    /^5$/,
  ];
  const lines = told.split("\n");
  for (const [k, pattern] of expected.entries()) assert.match(lines[k] ?? "", pattern);
  assert.is(lines.length, expected.length);
});

runs(
  "an item of columns without a destination ends the session everywhere, and so does what takeAll returns",
  async () => {
    assert.match(
      await failure("bulkNoRank"),
      /^ERR_TUNDISH_RANK_LOST .*RankRangeError: run: dests\[2\]: expected a rank/,
    );
    assert.match(
      await failure("bulkReturned"),
      /^ERR_TUNDISH_RANK_LOST .*UsageError: run: takeAll returned PUT_BACK: .* call unpull/,
    );
  },
);

runs("what is thrown may be anything", async () => {
  assert.match(await failure("throwingNull"), /^ERR_TUNDISH_RANK_LOST PE [01] threw null/);
});

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
