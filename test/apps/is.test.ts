/**
 * IS of the NAS Parallel Benchmarks (apps/is.ts): all of its checks pass with each exchange of keys, on any number of PEs, and a wrong
 * result is noticed. Over nodes: test/nodes/apps.test.ts.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { AppReport } from "../../apps/runner.ts";
import type { Spmd } from "../../src/index.ts";
import type { SimulationOptions } from "../../src/running/simulate/options.ts";
import { simulateAsync } from "../../src/running/virtual/simulate-async.ts";
import { LONG } from "../support/long.ts";
import { root } from "../support/paths.ts";
import { launchPooled } from "../support/thread-pool.ts";
import { CHECKSUM_S, EXCHANGES } from "./support/is.ts";

const module = pathToFileURL(join(root, "dist/apps/is.js"));
const test = suite("app is");

/** Runs it on threads, and gives what PE 0 returned. */
async function run(pes: number, ...args: string[]): Promise<AppReport> {
  const [report] = await launchPooled(module, { pes, args, heapBytes: 2 ** 28, waitTimeout: 60_000 });
  return report as AppReport;
}

async function virtual(options: SimulationOptions, ...args: string[]) {
  const { default: program } = (await import(module.href)) as { default: Spmd };
  const { results, time } = await simulateAsync({ memoryBytes: 2 ** 28, ...options, args }, program);
  return { time, report: results[0] as AppReport };
}

async function refused(what: Promise<unknown>): Promise<string> {
  const error = await what.catch((error: unknown) => error);
  assert.instance(error, Error);
  return (error as Error).message;
}

for (const exchange of EXCHANGES) {
  for (const pes of LONG ? [1, 2, 3, 4] : [1, 2, 3]) {
    test(`class S, ${exchange}, ${pes} PEs: 51 checks pass`, async () => {
      const { keys, messages, payloadBytes, passes, errors, checksum, ...more } = await run(
        pes,
        "--exchange",
        exchange,
      );
      assert.equal([more.app, more.class, more.exchange, more.pes], ["is", "S", exchange, pes]);
      assert.equal([keys, messages, payloadBytes], [65536, 655360, 4 * 655360]);
      assert.equal([passes, errors, checksum], [51, 0, CHECKSUM_S]);
      assert.ok(more.seconds > 0 && (more.millionKeysPerSecond as number) > 0);
      // to itself a PE sends nothing by an exchange or a conveyor
      if (pes > 1) assert.ok(more.buffers >= 10 * pes * (pes - 1), `${more.buffers} buffers`);
    });
  }

  test(`class S, ${exchange}, virtual PEs: the same result`, async () => {
    for (const [pes, nodes] of LONG
      ? ([
          [8, 2],
          [6, 2],
          [5, 1],
        ] as const)
      : ([[8, 2]] as const)) {
      const { report } = await virtual({ pes, nodes }, "--exchange", exchange);
      assert.equal([report.passes, report.errors, report.checksum], [51, 0, CHECKSUM_S], `${pes} PEs`);
    }
  });

  // the other classes: their tables of expected ranks
  if (LONG) {
    for (const of of exchange === "append" ? ["W", "A"] : ["W"]) {
      test(`class ${of}, ${exchange}, 3 PEs: 51 checks pass`, async () => {
        assert.is((await run(3, "--class", of, "--exchange", exchange)).passes, 51);
      });
    }
  }
}

test("a wrong result is noticed", async () => {
  assert.match(await refused(run(2, "--spoil")), /is: errors = 1, of 655360 messages, at 2 PEs/);
});

test("virtual PEs: the same run for a seed, another for another", async () => {
  const options = { pes: 3, nodes: 1, jitter: 2, seed: 3 };
  const first = await virtual(options);
  assert.equal(await virtual(options), first);
  assert.is.not((await virtual({ ...options, seed: 4 })).time, first.time);
});

if (LONG) {
  test("ranges without a bucket", async () => {
    // the fullest of the 512 buckets have more than the share of a PE
    const { report } = await virtual({ pes: 400, nodes: 1 });
    assert.equal([report.passes, report.checksum], [51, CHECKSUM_S]);
  });
}

test("options of conveyors: with a conveyor only", async () => {
  const { passes, buffers } = await run(2, ...["--exchange", "conveyor", "--buffer-bytes", "1024", "--type", "simple"]);
  assert.is(passes, 51);
  assert.ok(buffers > 600_000 / 2 / 256, `${buffers} buffers`);
  for (const words of [
    ["--hops", "2"],
    ["--aggregate", "off"],
    ["--exchange", "alltoallv", "--adapt"],
  ]) {
    assert.match(await refused(run(1, ...words)), /--exchange \w+: has no conveyor, .*--exchange conveyor/);
  }
  assert.match(await refused(run(1, "--class", "C")), /--class: expected S or W or A or B, got C/);
});

test.run();
