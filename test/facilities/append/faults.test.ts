/** Writers that are lost or stall in the middle of a push: whoever waits is told who, and in time. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { TundishError } from "../../../src/ground/base/errors.ts";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import { eachMpi } from "../../machine/mpi/launchers.ts";
import { job } from "../../nodes/jobs.ts";
import { oneOf } from "../../nodes/some-of.ts";
import { patiently } from "../../support/patiently.ts";
import type { Args, Fault } from "./programs/faults.program.ts";

const program = sibling("./programs/faults.program.js", import.meta.url);
const SOON_MS = 20_000;

const test = suite("append: faults");

async function fails(args: Args): Promise<TundishError> {
  const since = performance.now();
  try {
    await launch(program, { pes: 2, args, timeout: SOON_MS });
  } catch (error) {
    assert.ok(performance.now() - since < SOON_MS, "not before the limit of the run");
    return error as TundishError;
  }
  return assert.unreachable("nothing was thrown") as never;
}

const told: readonly (readonly [fault: Fault, message: RegExp])[] = [
  ["exits", /^PE 1 ended with exit code 3/],
  ["throws", /^PE 1 threw RangeError: out of ink/],
  ["leaves before", /^PE 1 has (returned from its main, or )?left/],
];
for (const [fault, message] of told) {
  for (const isAsync of [false, true]) {
    test(`a writer ${fault}${isAsync ? ", Async" : ""}: the owner is told who`, async () => {
      const error = await fails({ fault, isAsync });
      assert.is(error.code, "ERR_TUNDISH_RANK_LOST", error.stack);
      assert.match(error.message, message);
      assert.is((error as TundishError & { rank: number }).rank, 1);
    });
  }
}

for (const isAsync of [false, true]) {
  test(`a writer stalls in a push${isAsync ? ", Async" : ""}: the owner's wait ends, and names it`, async () => {
    await patiently(200, async (timeout) => {
      const [said] = await launch<unknown[]>(program, {
        pes: 2,
        args: { fault: "stalls", isAsync, timeout },
      });
      const [code, message, , offset, completed, length] = said ?? [];
      assert.is(code, "ERR_TUNDISH_TIMEOUT");
      assert.match(String(message), /150 of 150 bytes came .* PE 1 is in a push of 100 bytes/);
      // nothing that is not complete is shown
      assert.equal([offset, completed, length], [150, 50, 50]);
    });
  });

  test(`nobody pushes${isAsync ? ", Async" : ""}: the owner's wait ends`, async () => {
    await patiently(200, async (timeout) => {
      const args = { fault: "never pushes", isAsync, timeout } as const;
      const [said] = await launch<unknown[]>(program, { pes: 2, args });
      assert.is(said?.[0], "ERR_TUNDISH_TIMEOUT");
      assert.match(String(said?.[1]), /50 of 150 bytes came into the append buffer\. /);
      assert.not.match(String(said?.[1]), /is in a push/);
    });
  });
}

test("a reset in the middle of a push is refused, and nothing has changed", async () => {
  const args = { fault: "is reset", isAsync: false } as const;
  const [said] = await launch<unknown[]>(program, { pes: 2, args, timeout: SOON_MS });
  assert.match(String(said?.[0]), /^reset: PE 1 is in a push of 100 bytes into this buffer\. .*_STATE/);
  assert.equal(said?.slice(1), [150, 50]);
});

eachMpi(
  test,
  "a node is killed in the middle of a push into the heap of another one: the job ends",
  async (kind) => {
    const args = { fault: "is killed", isAsync: false } as const;
    const { code, ms, text } = await job(kind, { program: program.href, pes: [1, 1], args, hasNotes: true });
    assert.is.not(code, 0, text);
    assert.ok(ms < 60_000, `${ms} ms`);
  },
  oneOf("Open MPI"),
);

test.run();
