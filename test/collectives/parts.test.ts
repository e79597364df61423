/** Lists with holes or of several types, and arrays that are gone: never somebody else's memory. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/ground/base/package-file.ts";
import { launchPooled } from "../support/thread-pool.ts";
import type { Part } from "./programs/parts.program.ts";

const program = sibling("./programs/parts.program.js", import.meta.url);

const play = (pes: number, part: Part): Promise<string[][]> =>
  launchPooled(program, { pes, args: part, waitTimeout: 20_000 });

const parts = suite("parts");
for (const pes of [1, 2, 3]) {
  parts(`a hole in a list is undefined, ${pes} PEs`, async () => void (await play(pes, "holes")));
}

for (const pes of [1, 2, 3]) {
  parts(`calls on an array come again with other results, ${pes} PEs`, async () => void (await play(pes, "kept")));
}

for (const pes of [2, 3]) {
  const last = pes - 1;
  parts(`alltoallv takes arrays of one type and no holes, ${pes} PEs`, async () => {
    for (const told of await play(pes, "refused")) {
      const gots = [`undefined as entry ${last}`, `i64 as entry ${last}`, `i32 as entry ${last}`, "number as"];
      assert.is(told.length, 2 * gots.length);
      for (const [i, error] of told.entries()) {
        assert.match(error, `UsageError: alltoallv: expected a list of ${pes} typed arrays of one type`);
        assert.match(error, `got ${gots[i >> 1]}`);
      }
    }
  });
}

for (const pes of [1, 3]) {
  parts(`an array without its memory is refused by every collective, ${pes} PEs`, async () => {
    for (const [rank, told] of (await play(pes, "gone")).entries()) {
      assert.is(told.length, 4 * (rank === 0 ? 14 : 12));
      for (const error of told) {
        assert.match(error, /^UsageError: Expected an array with its memory, got .* transferred/);
      }
    }
  });
}
parts.run();
