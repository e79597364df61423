/** Arrays that are larger than the heap, on threads and on virtual PEs; in the long run one of 6 GiB. */
import { freemem } from "node:os";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MismatchError } from "../../src/ground/base/errors.ts";
import { sibling } from "../../src/ground/base/package-file.ts";
import { createWorld, join, launch } from "../../src/index.ts";
import { simulateAsync } from "../../src/simulate.ts";
import { LONG } from "../support/long.ts";
import { testUnless } from "../support/skip.ts";
import { launchPooled } from "../support/thread-pool.ts";
import type { Args } from "./programs/large.program.ts";
import large from "./programs/large.program.ts";
import type { Told } from "./programs/six.program.ts";

const program = sibling("./programs/large.program.js", import.meta.url);
const heapBytes = 2 ** 21;
/** Divided by 1, 2 and 3; 2.4 MB. */
const length = 300_300;

const test = suite("arrays larger than the heap");
for (const pes of [1, 2, 3]) {
  for (const isAsync of [false, true]) {
    test(`${pes} PEs, ${isAsync ? "Async" : "blocking"}`, async () => {
      const args: Args = { isAsync, length };
      const all = await launchPooled(program, { pes, args, heapBytes, waitTimeout: 30_000 });
      assert.equal(all, Array(pes).fill("fine"));
    });
  }
}

for (const nodes of [1, 2]) {
  test(`4 virtual PEs of ${nodes} nodes`, async () => {
    const args: Args = { isAsync: true, length: 300_000 };
    const { results } = await simulateAsync({ pes: 4, nodes, args, memoryBytes: heapBytes } as never, large as never);
    assert.equal(results, Array(4).fill("fine"));
  });
}

test("of different sizes at two PEs: both are told", async () => {
  using host = await createWorld({ pes: 2, heapBytes, waitTimeout: 20_000 });
  using a = await join(host.ticket(0));
  using b = await join(host.ticket(1));
  const ended = await Promise.allSettled([
    a.allocSharedAsync(Float64Array, length),
    b.allocSharedAsync(Float64Array, length + 1),
  ]);
  for (const one of ended) {
    assert.is(one.status, "rejected");
    assert.instance((one as PromiseRejectedResult).reason, MismatchError);
  }
});

// touches 6 GiB
if (LONG) {
  const why = freemem() > 8 * 2 ** 30 ? null : "less than 8 GiB are free";
  testUnless(test, why, "6 GiB, by forRange and reduceEach", async () => {
    const six = sibling("./programs/six.program.js", import.meta.url);
    const [first] = await launch<Told>(six, { pes: 2, waitTimeout: 120_000 });
    assert.is(first?.sum, (3 * 6 * 2 ** 30) / 8);
  });
}

test.run();
