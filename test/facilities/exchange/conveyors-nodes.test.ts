/** Conveyors under disciplines over nodes, by MPI and through mapped heaps: the tests of one node. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { eachMpi, type Kind } from "../../machine/mpi/launchers.ts";
import { job } from "../../nodes/jobs.ts";
import { inTurn } from "../../nodes/some-of.ts";
import { rounds } from "../../support/long.ts";
import type { Args as MatrixArgs } from "../conveyor/programs/matrix.program.ts";
import type { Args } from "./programs/conveyors.program.ts";
import { disciplinedCases } from "./support/conveyors.ts";

const matrix = sibling("../conveyor/programs/matrix.program.js", import.meta.url).href;
const program = sibling("./programs/conveyors.program.js", import.meta.url).href;

/** Half of the cases in a plain run, those that are this MPI's: the other half under the other, in another run. */
const contract =
  (pes: number, ...names: string[]) =>
  (kind: Kind): MatrixArgs => ({
    cases: names
      .flatMap(disciplinedCases)
      .filter(({ options }) => pes % (options.groupSize ?? 1) === 0)
      .filter((_, i) => inTurn(i, names[0]).includes(kind)),
    volume: { count: rounds(16, 100), sessions: 2 },
  });
const part = (one: Args["part"], discipline: Args["discipline"], sessions: number): Args => ({
  ...{ part: one, discipline, sessions },
});

/** PEs of each node, and what they do, in a plain run with one MPI: a function where its cases depend on which. */
const WORLDS: readonly (readonly [
  pes: readonly number[],
  what: string,
  args: readonly Args[] | ((kind: Kind) => MatrixArgs),
])[] = [
  [[1, 1], "the contract, tokens and bookings", contract(2, "token", "dynamic")],
  [[2, 2], "the contract, tokens and barriers", contract(4, "token", "barrier")],
  [[2, 1], "the contract, the others", contract(3, "cyclic-shift", "request-token", "iterative-matching")],
  [[1, 1, 1], "sessions, token", [part("sessions", "token", rounds(20, 1000))]],
  [
    [2, 1],
    "sessions, dynamic; steady; awaited",
    [part("sessions", "dynamic", rounds(20, 1000)), part("steady", "token", 3), part("awaited", "dynamic", 2)],
  ],
  [[1, 2], "elsewhere", [part("elsewhere", "token", 3)]],
];

const test = suite("conveyors under disciplines over nodes");

for (const [i, [pes, what, args]] of WORLDS.entries()) {
  eachMpi(
    test,
    `${what}, nodes with ${pes.join(", ")} PEs`,
    async (kind) => {
      const order = typeof args === "function" ? { program: matrix, args: args(kind) } : { program, args };
      const { said, code, text } = await job(kind, { ...order, pes, timeout: 120_000 });
      assert.is(code, 0, text);
      assert.equal(
        said.map(({ results }) => results?.length),
        pes,
        text,
      );
    },
    inTurn(i),
  );
}

test.run();
