/** PEs that make different calls are told who called what; see failing.test.ts for every collective. */

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MismatchError, TimeoutError } from "../../src/ground/base/errors.ts";
import { sibling } from "../../src/ground/base/package-file.ts";
import type { WorldOptions } from "../../src/running/run/options.ts";
import { launchPooled } from "../support/thread-pool.ts";
import type { Args, Call } from "./programs/mismatch.program.ts";
import { chain } from "./support/plans.ts";

const program = sibling("./programs/mismatch.program.js", import.meta.url);

async function failure(calls: readonly Call[], more: WorldOptions = {}, leaves?: number): Promise<Error> {
  const pes = calls.length;
  const args: Args = leaves === undefined ? { calls } : { calls, leaves };
  const options = { pes, trees: chain(pes), args, waitTimeout: 10_000, ...more };
  return (await launchPooled(program, options).then(
    () => assert.unreachable("the run ended well"),
    (error: unknown) => error,
  )) as Error;
}

const f64 = (length: number): Call => ({ call: "broadcast", x: ["Float64Array", length] });
const number: Call = { call: "broadcast", x: 1 };
const MIB = 1 << 20;
const cases: readonly [name: string, calls: readonly Call[], told: RegExp][] = [
  [
    "a number and an array",
    [number, f64(3)],
    /^PE 0 called broadcast of a number at root 0 \(tree\); PE 1 called broadcast of f64\[3\] at root 0 \(tree\) \(call number 1\)/,
  ],
  ["two types", [{ call: "broadcast", x: ["Int32Array", 3] }, f64(3)], /of i32\[3\].*PE 1 called .*of f64\[3\]/],
  ["two lengths in a cache line", [f64(3), f64(4)], /PE 0 called .*f64\[3\].*PE 1 called .*f64\[4\]/],
  [
    "a short array and a long one",
    [
      { call: "reduce", x: ["Int8Array", 1000] },
      { call: "reduce", x: ["Int8Array", 5] },
    ],
    /PE 0 called reduce sum of i8\[1000\] at root 0 \(scatter\); PE 1 called reduce sum of i8\[5\] at root 0 \(tree\)/,
  ],
  [
    "two long lengths, broadcast",
    [
      { call: "broadcast", x: ["Uint8Array", MIB] },
      { call: "broadcast", x: ["Uint8Array", 2 * MIB] },
    ],
    /PE 0 called broadcast of u8\[1048576\].*PE 1 called broadcast of u8\[2097152\]/,
  ],
  [
    "two long lengths, reduce",
    [
      { call: "reduce", op: "max", x: ["Uint8Array", 100_000] },
      { call: "reduce", op: "max", x: ["Uint8Array", 2 * MIB] },
    ],
    /PE 0 called reduce max of u8\[100000\].*PE 1 called reduce max of u8\[2097152\]/,
  ],
  [
    "an operator and a function",
    [
      { call: "reduce", op: "sum", x: ["Float64Array", 2] },
      { call: "reduce", op: "function", x: ["Float64Array", 2] },
    ],
    /PE 0 called reduce sum of f64\[2\].*PE 1 called reduce function of f64\[2\]/,
  ],
  [
    "two calls",
    [
      { call: "reduce", x: 1 },
      { call: "broadcast", x: 1, root: 1 },
    ],
    /PE 0 called reduce sum of a number at root 0.*PE 1 called broadcast of a number at root 1/,
  ],
  [
    "one root and two others",
    [number, number, { ...number, root: 1 }],
    /PE [01, ]+ called .* at root 0 .*PE 2 called .* at root 1/,
  ],
  ["nothing more than that", [number, { ...number, root: 1 }, number], /PE 1 called broadcast of a number at root 1/],
];

const mismatch = suite("calls that do not belong together");
for (const [name, calls, told] of cases) {
  mismatch(`${name}: the error names both`, async () => {
    const error = await failure(calls);
    assert.instance(error, MismatchError);
    assert.is((error as MismatchError).code, "ERR_TUNDISH_MISMATCH");
    assert.match(error.message, told);
    assert.match(error.message, /All PEs must make the same collective calls/);
  });
}

mismatch("a PE that has left meanwhile", async () => {
  // waits for something else than the number that PE 0 has sent
  const calls: readonly Call[] = [number, { ...f64(3), algorithm: "single-copy" }];
  assert.match(
    (await failure(calls, {}, 0)).message,
    /PE 0 called broadcast of a number .*; PE 1 called broadcast of f64/,
  );
});

mismatch("two algorithms are two calls as well", async () => {
  const calls: readonly Call[] = [f64(3), { ...f64(3), algorithm: "single-copy" }];
  assert.match((await failure(calls)).message, /PE 0 called .* \(tree\); PE 1 called .* \(single-copy\)/);
});

mismatch("without checks such calls end by their limit", async () => {
  const calls: readonly Call[] = [
    { call: "reduce", x: 1 },
    { call: "reduce", x: 1, root: 1 },
  ];
  assert.instance(await failure(calls, { checks: false, waitTimeout: 200 }), TimeoutError);
});
mismatch.run();
