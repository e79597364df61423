/** Worlds over nodes of one machine: they map each other's heaps, or send by MPI where they cannot. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/ground/base/package-file.ts";
import { eachMpi, type Kind } from "../machine/mpi/launchers.ts";
import { LONG } from "../support/long.ts";
import { job } from "./jobs.ts";
import { oneOf } from "./some-of.ts";

const program = sibling("./programs/mapped.program.js", import.meta.url).href;
const fastClock = sibling("./programs/fast-clock.program.js", import.meta.url).href;
const MIB = 2 ** 20;

// how heaps are mapped has nothing to do with the MPI: most is tried under one, in the long run under both

/** How many heaps each PE has found mapped in its process, by node. */
async function found(kind: Kind, order: object, env: NodeJS.ProcessEnv = {}): Promise<unknown> {
  const { code, said, text } = await job(kind, { program, pes: [2, 1], args: "", byMpi: false, ...order }, env);
  assert.is(code, 0, text);
  return said.map(({ results }) => results);
}

const mapped = suite("nodes that map each other's heaps");

eachMpi(mapped, "all heaps of a machine are mapped in each process, also those of later worlds", async (kind) => {
  if (LONG || kind === "MPICH") assert.equal(await found(kind, {}), [[2, 2], [2]]);
  if (LONG || kind !== "MPICH") assert.equal(await found(kind, { pes: [1, 1, 1, 1] }), [[4], [4], [4], [4]]);
});

eachMpi(
  mapped,
  "a block of the heap is given back when the last PE of any node has left it",
  async (kind) => {
    assert.equal(await found(kind, { pes: [1, 1], args: "tight", heapBytes: 24 * MIB }), [[2], [2]]);
  },
  oneOf("MPICH"),
);

eachMpi(
  mapped,
  "heaps that have no room in one memory are not mapped, and none if it is switched off",
  async (kind) => {
    if (LONG || kind === "MPICH") assert.equal(await found(kind, { heapBytes: 3 * 2 ** 30 }), [[0, 0], [0]]);
    if (LONG || kind !== "MPICH") assert.equal(await found(kind, { byMpi: true }), [[0, 0], [0]]);
  },
);

eachMpi(
  mapped,
  "an oversized item without room ends in an error, also after others to a PE that has no link back",
  async (kind) => {
    const order = { pes: [2, 2, 2], args: "oversized", heapBytes: 32 * MIB };
    assert.equal(await found(kind, order, { NODE_OPTIONS: `--import ${fastClock}` }), [
      ["ERR_TUNDISH_OFLO", ""],
      ["", ""],
      ["", ""],
    ]);
  },
  ["Open MPI"],
);

mapped.run();
