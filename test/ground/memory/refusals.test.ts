/**
 * What does not fit into the heap: the error says for what, which option to lower and to what, and which heap has room.
 * All is true.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import { root } from "../../support/paths.ts";
import type { Args, What } from "./refusals.program.ts";

const test = suite("the heap is full");
const program = sibling("./refusals.program.js", import.meta.url);
const MIB = 2 ** 20;
const HEAP = 16 * MIB;
/** Heaps are multiples of it. */
const PAGE = 65_536;

/** What PE 0 tells; all are refused, or none. */
async function told(heapBytes: number, what: What, options: Args["options"]): Promise<string> {
  const all = await launch<string>(program, { pes: 2, trees: "binary", heapBytes, args: { what, options } });
  assert.is(new Set(all.map((one) => one.startsWith("HeapError: "))).size, 1, all.join("\n"));
  return all[0] as string;
}

const cases: readonly [what: What, options: Args["options"], lower: RegExp, lowered: string][] = [
  [
    "conveyor",
    { bufferBytes: 2 * MIB },
    /Lower bufferBytes: (\d+) has room; or buffersPerLink, now 2\./,
    "bufferBytes",
  ],
  ["elasticConveyor", { bufferBytes: 2 * MIB }, /Lower bufferBytes: (\d+) has room/, "bufferBytes"],
  ["exchange", { packetBytes: 8 * MIB }, /Lower packetBytes: (\d+) has room/, "packetBytes"],
  ["channel", { slots: 1024 }, /Lower slots: (\d+) have room; or partBytes\./, "slots"],
  ["appendBuffer", { bytes: 9 * MIB }, /Lower the bytes, .*: (\d+) bytes at each PE have room\./, "bytes"],
  ["alloc", { length: 2 * MIB }, /Lower the length: (\d+) elements at each PE have room\./, "length"],
  // a longer one lies beside the heap
  ["allocShared", { length: HEAP / 8 }, /Lower the length: (\d+) elements have room\./, "length"],
];
for (const [what, options, lower, lowered] of cases) {
  test(`${what}: the error says what would have room`, async () => {
    const message = await told(HEAP, what, options);
    assert.match(message, /^HeapError: /);
    assert.match(message, new RegExp(what === "elasticConveyor" ? "conveyor" : what, "i"));
    const less = Number(lower.exec(message)?.[1]);
    assert.ok(less > 0, message);
    assert.is(await told(HEAP, what, { ...options, [lowered]: less }), "made", message);
    // not much less than what has room
    if (lowered !== "slots") {
      const more = { ...options, [lowered]: what === "allocShared" ? HEAP / 8 - 1 : Math.ceil(less * 1.1) };
      assert.match(await told(HEAP, what, more), /^HeapError/);
    }
    const enough = Number(/heapBytes.*: (\d+) bytes have room for this/.exec(message)?.[1]);
    assert.ok(enough > HEAP, message);
    // an exchange takes some more for control messages, about which it then says the same
    if (what !== "exchange") assert.is(await told(enough, what, options), "made", message);
    assert.match(await told(enough - (what === "allocShared" ? PAGE : MIB), what, options), /^HeapError/);
  });
}

test("a conveyor takes what the table of docs/conveyors.md says", async () => {
  const page = readFileSync(join(root, "docs/conveyors.md"), "utf8");
  const rows = [...page.matchAll(/^\| (\d+) +\| (\w+) +\| (\d+) +\| (\d) +\| (\d+) +\| (\d+) +\|$/gm)];
  assert.ok(rows.length >= 4);
  for (const [row, ...cells] of rows) {
    const [pes, type, bufferBytes, buffersPerLink, each, all] = cells.map((x) => Number(x) || x);
    const options = { type, bufferBytes, buffersPerLink } as never;
    // what it could not get
    const [message] = await launch<string>(program, {
      ...{ pes: pes as number, trees: "binary", heapBytes: 2 * MIB, args: { what: "conveyor", options } },
    });
    assert.is(Number(/Cannot allocate (\d+) bytes for /.exec(message as string)?.[1]), all, `${row}: ${message}`);
    assert.is(all, 128 + (pes as number) * (each as number), row);
  }
});

test.run();
