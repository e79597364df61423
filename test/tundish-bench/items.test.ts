/** The C program that conveyors are compared with: all works and forms, what it refuses, that it checks its results. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { runChild } from "../../microbench/launch/child.ts";
import { Direct, FORMS, type Form } from "../../packages/tundish-bench/src/conveyors/direct.ts";
import { groupsOf, QUICK } from "../../packages/tundish-bench/src/conveyors/variants.ts";
import { COMPILE, sourceOf } from "../../packages/tundish-bench/src/peers/build.ts";
import { parseSamples } from "../../packages/tundish-bench/src/peers/peers.ts";
import { NativeError } from "../../src/ground/base/errors.ts";
import { testUnless } from "../support/skip.ts";
import { clean, cpus, failure, gcc, LIMIT_MS } from "./peers-here.ts";

const WHATS = ["8 B", "16 B", "32 B", "128 B", "histogram", "index-gather"];
const WORKS = "8,16,32,128,histogram,index-gather";
const list = cpus.join();

const folder = mkdtempSync(join(tmpdir(), "tundish-items-test-"));
const program = join(folder, "items");
const run = (...args: (string | number)[]) => runChild(program, args.map(String), { env: clean, deadlineMs: LIMIT_MS });
const compile = (source: string, out: string) =>
  runChild("gcc", [...COMPILE, "-Werror", source, "-pthread", "-o", out], { env: clean, deadlineMs: LIMIT_MS });

const test = suite("items in C");
test.before(async () => {
  if (gcc === null) await compile(sourceOf("items.c"), program);
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

testUnless(test, gcc, "gcc: every form does every work, also with more PEs than CPUs and small buffers", async () => {
  for (const [pes, form, bytes] of [
    [2, "direct", 16_384],
    [2, "staged", 1024],
    [3, "direct", 300],
    [5, "nontemporal", 256],
  ]) {
    const { stdout } = await run(2, 0.05, list, pes, form, bytes, WORKS);
    const samples = parseSamples(stdout, "items");
    assert.equal(
      samples.map(({ what }) => what),
      WHATS,
    );
    for (const { what, batch, samples: all } of samples) {
      assert.ok(batch > 0 && all.length === 2 && all.every((ns) => ns > 0), `${what}: ${all}`);
    }
  }
});

testUnless(test, gcc, "gcc: wrong arguments are refused", async () => {
  for (const wrong of [
    ["", ""],
    [1, 1, list, 2, "direct", 16_384],
    [0, 1, list, 2, "direct", 16_384, "8"],
    [1, 0, list, 2, "direct", 16_384, "8"],
    [1, 1, cpus[0], 2, "direct", 16_384, "8"],
    [1, 1, `${cpus[0]},${cpus[0]}`, 2, "direct", 16_384, "8"],
    [1, 1, list, 1, "direct", 16_384, "8"],
    [1, 1, list, 65, "direct", 16_384, "8"],
    [1, 1, list, 2, "fast", 16_384, "8"],
    [1, 1, list, 2, "direct", 255, "8"],
    [1, 1, list, 2, "direct", 16_384, "9"],
    [1, 1, list, 2, "direct", 16_384, "8,"],
  ]) {
    const error = await failure(run(...wrong));
    assert.instance(error, NativeError);
    assert.match(error.message, /ended with 2: items: expected BATCHES/, wrong.join(" "));
  }
  const unusable = await failure(run(1, 1, `${cpus[0]},1023`, 2, "direct", 16_384, "8"));
  assert.match(unusable.message, "a CPU of the list cannot be used");
});

testUnless(test, gcc, "gcc: lost items are noticed in every work", async () => {
  for (const file of ["items.c", "items.h", "items-works.h", "threads.h"]) {
    const text = readFileSync(sourceOf(file), "utf8");
    // of every buffer that has any the last item is not read
    const lossy = text.replaceAll("in->end = in->at + (flag >> SHIFT)", "in->end = in->at + lossy(flag >> SHIFT)");
    const helper = "static long lossy(long bytes) { return bytes > 512 ? bytes - 128 : bytes; }\n";
    writeFileSync(
      join(folder, file),
      lossy === text ? text : lossy.replace("/* Whether there is", `${helper}/* Whether there is`),
    );
  }
  const spoilt = join(folder, "lossy");
  await compile(join(folder, "items.c"), spoilt);
  for (const what of WORKS.split(",").slice(0, -1)) {
    const args = ["1", "0.5", list, "2", "direct", "4096", what];
    const error = await failure(runChild(spoilt, args, { env: clean, deadlineMs: LIMIT_MS }));
    assert.match(error.message, /ended with 1: items: wrong: items are missing, or too many, in /);
  }
});

testUnless(
  test,
  gcc,
  "gcc: as contenders; removed at the end; without a compiler it says what to install",
  async () => {
    const direct = await Direct.make(clean);
    assert.is(direct.missing, null);
    const [group] = groupsOf(2, QUICK);
    for (const form of Object.keys(FORMS) as Form[]) {
      const entries = await direct.contender(form, group, cpus, { batches: 2, batchMs: 0.05 }).run();
      assert.equal(
        entries.map(({ name, what, samples }) => [name, what, samples.length]),
        [[FORMS[form], "8 B, 2 PEs", 2]],
      );
    }
    await direct[Symbol.asyncDispose]();
    const gone = direct.contender("direct", group, cpus, { batches: 1, batchMs: 1 }).run();
    assert.match((await failure(gone)).message, "cannot be started");
    await using none = await Direct.make({ PATH: dirname(program) });
    assert.match(none.missing ?? "", "apt-get install gcc libc6-dev");
  },
);

test.run();
