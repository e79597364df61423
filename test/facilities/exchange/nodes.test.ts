/** Exchanges over nodes, by MPI and through mapped heaps: the tests of one node. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { eachMpi } from "../../machine/mpi/launchers.ts";
import { job } from "../../nodes/jobs.ts";
import { inTurn } from "../../nodes/some-of.ts";
import { rounds } from "../../support/long.ts";
import type { Args } from "./programs/exchange.program.ts";

const program = sibling("./programs/exchange.program.js", import.meta.url).href;

/** PEs of each node, and what they do, one after the other. */
const WORLDS: readonly (readonly [pes: readonly number[], args: readonly Args[]])[] = [
  [
    [1, 1],
    [
      { part: "disciplines", phases: rounds(2, 5) },
      { part: "async", phases: rounds(1, 5) },
    ],
  ],
  [
    [2, 1],
    [{ part: "disciplines", phases: rounds(1, 5), seed: 2 }, { part: "all" }, { part: "shared" }, { part: "planned" }],
  ],
  [[1, 2], [{ part: "elsewhere" }]],
  [[2, 2], [{ part: "groups" }]],
];

const test = suite("exchanges over nodes");

for (const [i, [pes, args]] of WORLDS.entries()) {
  eachMpi(
    test,
    `${args.map(({ part }) => part).join(", ")}: nodes with ${pes.join(", ")} PEs`,
    async (kind) => {
      const { said, code, text } = await job(kind, { program, pes, args, timeout: 60_000 });
      assert.is(code, 0, text);
      assert.equal(
        said.map(({ results }) => results?.length),
        pes,
        text,
      );
    },
    // with two shapes every discipline, and so with both
    inTurn(i),
  );
}

test.run();
