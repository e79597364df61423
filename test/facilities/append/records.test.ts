/** Append buffers of records (programs/records.program.ts). */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";
import { eachMpi } from "../../machine/mpi/launchers.ts";
import { job } from "../../nodes/jobs.ts";
import { oneOf } from "../../nodes/some-of.ts";
import program from "./programs/records.program.ts";

const file = sibling("./programs/records.program.js", import.meta.url);
const test = suite("append, records");

interface Said {
  readonly wrong: readonly string[];
  readonly said: readonly string[];
}

const MISUSE = [
  /^push: expected a rank and \{ from: u32, to: u32 \}, got \(1\) .*_USAGE/,
  /^push: expected a rank and \{ from: u32, to: u32 \}, got \(1, "2"\)/,
  /^push: expected a rank and \{ from: u32, to: u32 \}, got \(1, 2, 3\)/,
  /^pushAll: columns\.to: expected a Uint32Array of at least 1? elements, got undefined|^pushAll: columns\.to: expected a Uint32Array/,
  /^pushAll: columns\.from: expected a Uint32Array of at least 6 elements, got Uint32Array of length 5/,
  /^pushAll: expected whole numbers 0 <= first <= end, got 3, 2/,
  /^pushAll: the append buffer of PE \d has no room for 5 records: 3 of 3 are left.*_OFLO/,
  /^at: expected a record, and none is complete, got 0/,
  /^3$/,
  /^0$/,
  /^3,3,8$/,
  /^appendRecords: expected an item type .*got "u32"/,
  /^appendRecords: expected a whole number of records from 0 to \d+, got -1/,
  /^waitUntil: unknown option 'bytes'/,
  /^waitUntil: records: expected at most the 3 of this PE's buffer, got 4/,
  /^appendBuffer: PE \d has made it with records (f64|i64), overflow error.*_MISMATCH/,
];

function check(all: readonly Said[], isMisuse: boolean): void {
  for (const { wrong, said } of all) {
    assert.equal(wrong, []);
    if (!isMisuse) continue;
    assert.is(said.length, MISUSE.length);
    for (const [i, text] of said.entries()) assert.match(text, MISUSE[i] as RegExp);
  }
}

for (const isAsync of [false, true]) {
  test(`threads${isAsync ? ", Async forms" : ""}: what is pushed comes, by values and in columns`, async () => {
    check(await launch<Said>(file, { pes: 3, args: { isAsync }, timeout: 30_000 }), !isAsync);
  });
}

test("virtual PEs of two nodes", async () => {
  const { results } = await simulateAsync({ pes: 4, nodes: 2, args: { isAsync: true } }, program);
  check(results as Said[], false);
});

test("a buffer of bytes at one PE and of records at another: the run is rejected with that", async () => {
  const code = await launch(file, { pes: 2, args: { isMixed: true }, timeout: 30_000 }).catch(
    (error: { readonly code: string }) => error.code,
  );
  assert.is(code, "ERR_TUNDISH_MISMATCH");
});

eachMpi(
  test,
  "two nodes",
  async (kind) => {
    const { said, code, text } = await job(kind, {
      program: file.href,
      pes: [1, 1],
      args: { isAsync: false },
    });
    assert.is(code, 0, text);
    check(
      said.flatMap(({ results }) => results as Said[]),
      true,
    );
  },
  oneOf("MPICH"),
);
test.run();
