/** The free functions on a thread that is no PE. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as tundish from "../../../src/index.ts";

const NAMES = [
  "barrier",
  "broadcast",
  "reduce",
  "allreduce",
  "reduceScatter",
  "scan",
  "exscan",
  "gather",
  "allgather",
  "scatter",
  "alltoall",
  "alltoallv",
];

const functions = suite("free functions on the main thread");
for (const name of NAMES.flatMap((name) => [name, `${name}Async`])) {
  for (const args of [[], [1], [new Float64Array(3), "sum"]]) {
    functions(`${name}() with ${args.length} arguments says where it can be called`, () => {
      const call = (tundish as unknown as Record<string, (...args: unknown[]) => unknown>)[name];
      assert.throws(
        () => call(...args),
        (error: unknown) => {
          assert.instance(error, tundish.NoPEError);
          const { code, message } = error as tundish.NoPEError;
          assert.is(code, "ERR_TUNDISH_NO_PE");
          assert.ok(message.startsWith(`${name}() acts on the calling thread's PE`), message);
          assert.match(message, /spmd\(\).*launch\(\)/);
          return true;
        },
      );
    });
  }
}
functions.run();
