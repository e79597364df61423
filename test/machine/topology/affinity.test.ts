import { readFileSync } from "node:fs";
import { parseCpuList } from "node-hwloc";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UsageError } from "../../../src/ground/base/errors.ts";
import { pinThread, readBinding, readProcessBinding } from "../../../src/machine/topology/affinity.ts";
import { bindThread } from "../../../src/machine/topology/bound-thread.ts";
import { currentCpu } from "../../support/current-cpu.ts";
import { testUnless } from "../../support/skip.ts";
import { inChild, moduleUrl, noPinning } from "../surroundings.ts";

const test = suite("affinity");
const noProc = process.platform === "linux" ? null : "there is no /proc";

/** The mask of the calling thread, as the kernel prints it. */
function ofProc(): number[] {
  const status = readFileSync("/proc/thread-self/status", "utf8");
  return parseCpuList(/^Cpus_allowed_list:\s*(.*)$/m.exec(status)?.[1] ?? "");
}

testUnless(test, noProc, "the binding is the one /proc shows", () => {
  assert.equal(readBinding(), ofProc());
  assert.equal(readProcessBinding(), ofProc());
  assert.ok(ofProc().includes(currentCpu() as number));
});

testUnless(test, noPinning, "a pinned thread runs where it was put", () => {
  const before = readBinding() as number[];
  try {
    for (const cpu of before) {
      assert.is(pinThread(cpu), true);
      assert.equal(readBinding(), [cpu]);
      assert.equal(ofProc(), [cpu]);
      assert.is(currentCpu(), cpu);
    }
  } finally {
    assert.is(pinThread(before), true);
  }
  assert.equal(readBinding(), before);
});

testUnless(test, noPinning, "bindings are given up in any order", () => {
  const before = readBinding() as number[];
  const [first, last] = [before[0] as number, before.at(-1) as number];
  for (const [order, between] of [
    [[0, 1], last],
    [[1, 0], first],
  ] as const) {
    const unbind = [bindThread(first), bindThread(last)];
    assert.equal(readBinding(), [last]);
    unbind[order[0]]?.();
    assert.equal(readBinding(), [between]);
    unbind[order[1]]?.();
    assert.equal(readBinding(), before);
  }
  assert.is(bindThread(4095), null);
  assert.equal(readBinding(), before);
});

testUnless(test, noPinning, "masks beyond 64 and 1024 CPUs", () => {
  const before = readBinding() as number[];
  const first = before[0] as number;
  try {
    // the kernel ignores the CPUs it does not have, as long as one is left
    for (const far of [100, 1023, 1024, 5000, 100_000]) {
      assert.is(pinThread([first, far]), true, `with ${far}`);
      assert.equal(readBinding(), [first]);
      pinThread(before);
    }
    for (const far of [4095, 524_287, 524_288, 1e9]) {
      assert.is(pinThread(far), false, `only ${far}`);
      assert.equal(readBinding(), before);
    }
  } finally {
    pinThread(before);
  }
});

test("what is no CPU number is a usage error", () => {
  for (const cpus of [[], -1, 0.5, Number.NaN, [0, -2]]) {
    assert.throws(
      () => pinThread(cpus),
      (error: Error) => error instanceof UsageError,
    );
  }
});

testUnless(test, noProc, "without koffi a thread is not pinned, but its CPUs are known", () => {
  const code = `
    import { pinThread, readBinding } from ${JSON.stringify(moduleUrl("topology/affinity"))};
    console.log(JSON.stringify([pinThread(0), readBinding()]));`;
  assert.equal(JSON.parse(inChild(code, { TUNDISH_NATIVE: "off" })), [false, ofProc()]);
});

test.run();
