/** apps/streamcluster.ts: the same cost and centers for any number of PEs and both barriers; wrong results and options. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { StreamclusterReport } from "../../apps/streamcluster.ts";
import { Draws, LocalSearch, Points, type Room } from "../../apps/streamcluster-search.ts";
import { root } from "../support/paths.ts";
import { launchPooled } from "../support/thread-pool.ts";

const test = suite("app streamcluster");
const app = pathToFileURL(join(root, "dist/apps/streamcluster.js"));
const SMALL = ["--points", "300", "--chunk", "120", "--dim", "3", "--k-min", "3", "--k-max", "5"];

/** What PE 0 returns. */
async function run(pes: number, ...args: string[]): Promise<StreamclusterReport> {
  const [report] = await launchPooled(app, { pes, args, waitTimeout: 60_000 });
  return report as StreamclusterReport;
}

test("any number of PEs, both barriers: the same bits as by one PE alone", async () => {
  const alone = await run(1, ...SMALL);
  const { cost, centers, checksum, gains, barriers } = alone;
  assert.ok(cost > 0 && centers >= 3 && centers <= 5 && gains > 0 && barriers > 0);
  for (const pes of [2, 3]) {
    for (const barrier of ["tundish", "stock"]) {
      const report = await run(pes, ...SMALL, "--barrier", barrier);
      const { app, seconds, errors } = report;
      assert.equal([app, report.pes, report.barrier, errors], ["streamcluster", pes, barrier, 0]);
      assert.equal(
        [report.cost, report.centers, report.checksum, report.gains, report.barriers],
        [cost, centers, checksum, gains, barriers],
      );
      assert.ok(seconds > 0);
    }
  }
});

test("fewer points than centers, a chunk that is not full, another seed", async () => {
  assert.equal((await run(2, "--points", "4", "--k-min", "3", "--k-max", "5")).cost, 0);
  assert.is((await run(2, "--points", "30", "--chunk", "13", "--dim", "2", "--k-min", "2", "--k-max", "3")).errors, 0);
  const [one, two] = [await run(2, ...SMALL), await run(2, ...SMALL, "--seed", "2")];
  assert.is.not(one.cost, two.cost);
});

test("a wrong result, and options that cannot be", async () => {
  for (const [args, message] of [
    [[...SMALL, "--spoil"], /streamcluster: errors = 1, of \d centers, at 2 PEs/],
    [[...SMALL, "--spoil", "--reference", "off"], /streamcluster: errors = 1/],
    [["--k-min", "5", "--k-max", "4"], /--k-max: expected 5 or more, as --k-min is, got 4/],
    [[...SMALL, "--center-size", "4"], /--center-size: expected room for the centers of all chunks, got 4/],
    [["--barrier", "pthread"], /--barrier: expected tundish or stock, got pthread/],
  ] as const) {
    const error = await run(2, ...args).catch((error: unknown) => error);
    assert.match((error as Error).message, message);
  }
});

test("points in clear heaps: a center in each, whose points are its own", () => {
  const room: Room = {
    floats: (length) => new Float32Array(length),
    doubles: (length) => new Float64Array(length),
    integers: (length) => new Int32Array(length),
    bytes: (length) => new Uint8Array(length),
  };
  const [heaps, each] = [4, 25];
  const points = new Points(room, heaps * each, 2);
  const draws = new Draws(3);
  points.num = heaps * each;
  for (let i = 0; i < points.num; i++) {
    points.id[i] = i;
    points.weight[i] = 1;
    points.coordinates[2 * i] = 100 * (i % heaps) + draws.next();
    points.coordinates[2 * i + 1] = draws.next();
  }
  const seat = { rank: 0, size: 1, wait() {} };
  const search = new LocalSearch(seat, room, points.num, { kMin: heaps, kMax: heaps }, draws);
  const cost = search.run(points);
  const centers = search.centers();
  assert.is(centers.length, heaps);
  assert.equal(new Set(centers.map((place) => points.id[place] % heaps)).size, heaps);
  let sum = 0;
  for (let i = 0; i < points.num; i++) {
    assert.is(points.id[points.assign[i]] % heaps, points.id[i] % heaps);
    sum += points.distance(i, points.assign[i]);
  }
  assert.ok(Math.abs(sum - cost) < 1e-6 * sum, `${sum} and ${cost}`);
});

test.run();
