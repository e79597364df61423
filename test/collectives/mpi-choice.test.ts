/** Which steps between nodes are by the MPI library: what was measured, what is forced, and what cannot be. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { forcedToMpi, parseForced } from "../../src/collectives/calls/decide.ts";
import { Choice } from "../../src/collectives/calls/mpi-choice.ts";
import { UsageError } from "../../src/ground/base/errors.ts";
import type { MpiTimes } from "../../src/machine/model/internode.ts";

const costs = { alpha: 2000, overhead: 300, near: 200 };
const times: MpiTimes = {
  nodes: 4,
  barrier: { messages: 3000, mpi: 1500, faster: "mpi" },
  broadcast: { messages: 2000, mpi: 2500, faster: "messages" },
  allreduce: { messages: 3000, mpi: 2000, faster: "mpi" },
};

const choice = suite("steps between nodes by the MPI library");

choice("those that were measured to be faster, on as many nodes", () => {
  const four = new Choice(4, { ...costs, mpi: times });
  assert.ok(four.barrier);
  assert.not(four.broadcast(8));
  assert.ok(four.allreduce("sum", true, 8));
  assert.equal(four.explain(), [
    "barrier between nodes: mpi (MPI_Ibarrier) for all; measured: mpi 1500 ns, messages 3000 ns",
    "broadcast between nodes: by messages; measured: mpi 2500 ns, messages 2000 ns",
    "allreduce between nodes: mpi (MPI_Iallreduce) for sums of a number or of up to 1024 bytes of a Float64Array; measured: mpi 2000 ns, messages 3000 ns",
  ]);
  for (const other of [new Choice(3, { ...costs, mpi: times }), new Choice(4, { ...costs, mpi: null })]) {
    assert.not(other.barrier);
    assert.not(other.allreduce("sum", true, 8));
    assert.equal(other.explain(), []);
  }
});

choice("only where results are the same as by messages", () => {
  const four = new Choice(4, { ...costs, mpi: times });
  assert.ok(four.allreduce("sum", true, 1024));
  assert.not(four.allreduce("sum", true, 1032), "too long");
  assert.not(four.allreduce("sum", false, 8), "integers wrap around");
  assert.not(four.allreduce("max", true, 8), "a NaN");
  assert.not(
    four.allreduce((a: number, b: number) => a + b, true, 8),
    "a function",
  );
});

choice("as the call wishes", () => {
  const four = new Choice(4, { ...costs, mpi: times });
  assert.ok(four.broadcast(1024, "mpi"));
  assert.not(four.allreduce("sum", true, 8, "tree"));
  for (const wrong of [() => four.broadcast(1025, "mpi"), () => four.allreduce("max", true, 8, "mpi")]) {
    assert.throws(wrong, (error: unknown) => error instanceof UsageError && /mpi is .* only/.test(error.message));
  }
});

choice("forced by the setting, beside the algorithms of a node", () => {
  const text = "barrier=mpi,broadcast=mpi,broadcast=single-copy";
  assert.equal([...forcedToMpi(text)], ["barrier", "broadcast"]);
  assert.equal([...parseForced(text)], [["broadcast", "single-copy"]]);
  assert.throws(() => parseForced("reduce=mpi"), /reduce: unknown algorithm 'mpi'/);
  assert.throws(() => parseForced("barrier=tree"), /unknown call 'barrier'/);
});
choice.run();
