/** Groups by colour, and one array for all PEs of a node, on virtual PEs: the programs that run on threads. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";
import shared from "../../collectives/programs/shared.program.ts";
import split from "../../collectives/programs/split.program.ts";

const divided = suite("groups by colour, arrays of a node, on virtual PEs");
for (const [pes, nodes] of [
  [1, 1],
  [4, 1],
  [6, 2],
  [6, 3],
] as const) {
  for (const [name, program] of [
    ["groups by colour", split],
    ["arrays of a node", shared],
  ] as const) {
    divided(`${name}, ${pes} PEs on ${nodes} nodes`, async () => {
      const args = { isAsync: true, rounds: 6 };
      const { results } = await simulateAsync({ pes, nodes, jitter: 5, memoryBytes: 2 ** 27, args }, program);
      assert.equal(results, Array(pes).fill("fine"));
    });
  }
}
divided.run();
