import fc from "fast-check";
import { formatCpuList, HwlocError, parseCpuList } from "node-hwloc";
import { test } from "uvu";
import * as assert from "uvu/assert";

const isRefusal = (error: Error) => error instanceof HwlocError && error.code === "ERR_HWLOC_CPU_LIST";

test("lists of the kernel and of hwloc", () => {
  assert.equal(parseCpuList(""), []);
  assert.equal(parseCpuList("\n"), []);
  assert.equal(parseCpuList("7"), [7]);
  assert.equal(parseCpuList("0-3,8\n"), [0, 1, 2, 3, 8]);
  assert.equal(parseCpuList("8,0-2,1"), [0, 1, 2, 8]);
  assert.is(parseCpuList("0-8191").length, 8192);
  assert.is(formatCpuList([8, 1, 0, 2]), "0-2,8");
  assert.is(formatCpuList([]), "");
});

test("an infinite set ends at the limit, and is refused without one", () => {
  assert.equal(parseCpuList("0,2-", 5), [0, 2, 3, 4]);
  assert.equal(parseCpuList("8-", 5), []);
  assert.throws(
    () => parseCpuList("2-"),
    (error: Error) => isRefusal(error) && error.message.includes("no end"),
  );
});

test("what is no list is refused with the part that is wrong", () => {
  for (const [list, part] of [
    ["0-3,x", '"x"'],
    ["-1", '"-1"'],
    ["1.5", '"1.5"'],
    ["0x3", '"0x3"'],
    ["3-1", '"3-1" runs backwards'],
    ["0,8-7", '"8-7" runs backwards'],
    ["0-99999999", "more than"],
  ] as const) {
    assert.throws(
      () => parseCpuList(list),
      (error: Error) => isRefusal(error) && error.message.includes(part),
    );
  }
});

test("formatting and parsing are inverse", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(5000)), (cpus) => {
      const list = formatCpuList(cpus);
      assert.equal(
        parseCpuList(list),
        [...cpus].sort((a, b) => a - b),
      );
      assert.not.match(list, /(\d+),(?=\d)(?!\1)\b(?:\1)\b/);
    }),
  );
});

test.run();
