/** Groups by colour, and one array for all PEs of a node. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MismatchError } from "../../src/ground/base/errors.ts";
import { sibling } from "../../src/ground/base/package-file.ts";
import { createWorld, join, type PE } from "../../src/index.ts";
import { launchPooled } from "../support/thread-pool.ts";
import type { Args as SharedArgs } from "./programs/shared.program.ts";
import type { Args as SplitArgs } from "./programs/split.program.ts";

const shared = sibling("./programs/shared.program.js", import.meta.url);
const split = sibling("./programs/split.program.js", import.meta.url);
const LIMITS = { waitTimeout: 20_000 };

const divided = suite("groups by colour, arrays of a node");
for (const pes of [1, 2, 5]) {
  for (const isAsync of [false, true]) {
    const form = isAsync ? "Async" : "blocking";
    divided(`PEs of the same colour, in the order of their keys, ${pes} PEs, ${form}`, async () => {
      const args: SplitArgs = { isAsync, rounds: 12 };
      assert.equal(await launchPooled(split, { pes, args, ...LIMITS }), Array(pes).fill("fine"));
    });
    divided(`an array that all PEs see, ${pes} PEs, ${form}`, async () => {
      const args: SharedArgs = { isAsync };
      assert.equal(await launchPooled(shared, { pes, args, ...LIMITS }), Array(pes).fill("fine"));
    });
  }
}

/** A call of one PE. */
type Make = (pe: PE) => Promise<unknown>;

/** What two PEs of one world, in this thread, are told of calls that do not match. */
async function told(calls: readonly [Make, Make]): Promise<string> {
  using host = await createWorld({ pes: 2, heapBytes: 2 ** 24, waitTimeout: 20_000 });
  using a = await join(host.ticket(0));
  using b = await join(host.ticket(1));
  const ended = await Promise.allSettled([calls[0](a), calls[1](b)]);
  const errors = ended.flatMap((one) => (one.status === "rejected" ? (one.reason as Error) : []));
  // a root that waits for nobody may have ended its call before
  assert.ok(errors.length > 0);
  for (const error of errors) assert.instance(error, MismatchError, String(error));
  return (errors[0] as Error).message;
}

divided("calls that do not match are told by their names", async () => {
  assert.match(
    await told([(pe) => pe.splitAsync(0), (pe) => pe.allgatherAsync(Float64Array.of(1, 0, 0))]),
    /PE 0 called split; PE 1 called allgather of f64\[\]/,
  );
  assert.match(
    await told([(pe) => pe.allocSharedAsync(Uint8Array, 100), (pe) => pe.allocAsync(Uint8Array, 100)]),
    /PE 0 called allocShared of 100 bytes; PE 1 called alloc of 100 bytes/,
  );
  assert.match(
    await told([(pe) => pe.allocSharedAsync(Uint8Array, 100), (pe) => pe.allocSharedAsync(Uint8Array, 200)]),
    /PE 0 called allocShared of 100 bytes; PE 1 called allocShared of 200 bytes/,
  );
  assert.match(
    await told([
      (pe) => pe.reduceScatterAsync(new Float64Array(4), "sum"),
      (pe) => pe.reduceScatterAsync(new Float64Array(6), "sum"),
    ]),
    /PE 0 called reduceScatter sum of f64\[4\]; PE 1 called reduceScatter sum of f64\[6\]/,
  );
  assert.match(
    await told([
      (pe) => pe.allreduceAsync({ value: 1, index: 2 }, "minloc"),
      (pe) => pe.allreduceAsync({ value: 1, index: 2 }, "maxloc"),
    ]),
    /PE 0 called allreduce minloc of a pair \(scatter\); PE 1 called allreduce maxloc of a pair \(scatter\)/,
  );
});
divided.run();
