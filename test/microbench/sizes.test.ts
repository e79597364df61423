/** Collectives by size and by number of PEs: which ones; test/interface/cli/report.test.ts measures them. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sizesGroups } from "../../microbench/collectives/sizes.ts";

const test = suite("collectives by size");

test("all sizes with as many PEs as CPUs and with twice as many, a number with others", () => {
  const all = [8, 64];
  assert.equal(sizesGroups(2, all), [
    { pes: 2, sizes: all },
    { pes: 4, sizes: all },
    { pes: 8, sizes: [8] },
  ]);
  assert.equal(
    sizesGroups(12, all).map(({ pes, sizes }) => [pes, sizes.length]),
    [
      [2, 1],
      [4, 1],
      [8, 1],
      [12, 2],
      [24, 2],
      [48, 1],
    ],
  );
});

test.run();
