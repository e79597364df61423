/** Every collective over nodes, as on one: the same programs, the same reference. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/ground/base/package-file.ts";
import { comparedBy } from "../collectives/programs/again.program.ts";
import { anyCase, type Case, everyKindAndOp } from "../collectives/support/cases.ts";
import { eachMpi, KINDS, type Kind } from "../machine/mpi/launchers.ts";
import { LONG, rounds } from "../support/long.ts";
import { drawn } from "../support/sample.ts";
import { job } from "./jobs.ts";
import { inTurn, oneOf, someOf } from "./some-of.ts";

const program = sibling("../collectives/programs/every.program.js", import.meta.url).href;

async function check(kind: Kind, pes: readonly number[], cases: readonly Case[], checks = true): Promise<void> {
  const { code, said, text } = await job(kind, {
    program,
    pes,
    args: { cases, arenaBytes: 2 ** 22 },
    checks,
  });
  assert.is(code, 0, text);
  assert.equal(
    said.map(({ results }) => results),
    pes.map((count) => Array(count).fill(cases.length)),
  );
  const firsts = said.map(({ first }) => first);
  assert.equal(
    firsts,
    pes.map((_, node) => pes.slice(0, node).reduce((sum, count) => sum + count, 0)),
  );
}

/**
 * A quarter of the cases for each MPI, which is drawn, or all in the long run; what varies by twos, threes and fives does
 * so in a quarter too.
 */
const QUARTERS = 2 * KINDS.length;
const quarterOf = (kind: Kind, cases: readonly Case[]): readonly Case[] =>
  LONG ? cases : cases.filter((_, i) => ((i >> 1) + drawn(QUARTERS, "quarter")) % QUARTERS === KINDS.indexOf(kind));

const every = suite("every collective over nodes");
const LENGTHS = [1, 7, 33, 0, 130];
eachMpi(every, "every call with every type and op, arrays that go apart among them, 2 + 2 PEs", (kind) =>
  check(
    kind,
    [2, 2],
    [...quarterOf(kind, everyKindAndOp(LENGTHS)), ...quarterOf(kind, someOf(everyKindAndOp([5000, 300])))],
  ),
);
const OTHER_SHAPES: Readonly<Record<Kind, readonly number[]>> = {
  "Open MPI": [1, 3, 2],
  MPICH: [1, 1, 1, 1],
};
/** In a plain run one of them, with the MPI that does not play any calls in groups below. */
const OF_GROUPS = drawn(2, "any calls");
for (const kind of LONG ? KINDS : [KINDS[1 - OF_GROUPS] as Kind]) {
  const pes = OTHER_SHAPES[kind];
  eachMpi(every, `every call, ${pes.join(" + ")} PEs`, () => check(kind, pes, someOf(everyKindAndOp(LENGTHS))), [kind]);
}
/**
 * A PE of the one node hears from more than there are slots for what nobody expects, one of the other sends to more than there are
 * slots for what is sent (links/transport/messages/layout.ts).
 */
const MANY = LONG ? [18, 18] : [9, 17];
eachMpi(
  every,
  `an alltoall with more PEs than messages can be under way, ${MANY.join(" + ")} PEs`,
  (kind) => {
    const one = everyKindAndOp([300]).find(({ call, kind: x }) => call === "alltoall" && x === "Float64Array") as Case;
    return check(kind, MANY, [{ ...one, length: 300, form: "blocking" }]);
  },
  ["Open MPI"],
);
const again = sibling("../collectives/programs/again.program.js", import.meta.url).href;
/** One shape in a plain run, with one MPI; all in the long run. */
const AGAIN = [
  [[1, 1], oneOf("MPICH")],
  [[2, 1, 1], oneOf("Open MPI")],
] as const;
for (const [pes, kinds] of LONG ? AGAIN : [AGAIN[drawn(AGAIN.length, "again")] as (typeof AGAIN)[number]]) {
  eachMpi(
    every,
    `the same array again and again, ${pes.join(" + ")} PEs`,
    async (kind) => {
      const { code, said, text } = await job(kind, { program: again, pes, args: null });
      assert.is(code, 0, text);
      const compared = comparedBy(pes.reduce((sum, count) => sum + count, 0));
      assert.equal(
        said.map(({ results }) => results),
        pes.map((count) => Array(count).fill(compared)),
      );
    },
    kinds,
  );
}
eachMpi(
  every,
  "without checks, 1 + 1 PEs",
  (kind) => check(kind, [1, 1], someOf(everyKindAndOp([3, 120])), false),
  oneOf("MPICH"),
);
/** Of any calls. */
const ANY = rounds(20, 120);
const IN_GROUPS = [
  [[2, 1, 3], "Open MPI"],
  [[1, 1, 1, 2], "MPICH"],
] as const;
for (const [pes, kind] of LONG ? IN_GROUPS : [IN_GROUPS[OF_GROUPS] as (typeof IN_GROUPS)[number]]) {
  eachMpi(
    every,
    `any calls, in any groups of ${pes.join(" + ")} PEs`,
    async (kind) => {
      const size = pes.reduce((sum, count) => sum + count, 0);
      const cases = fc.array(anyCase(size), { minLength: ANY, maxLength: ANY });
      await fc.assert(
        fc.asyncProperty(cases, (list) => check(kind, pes, list)),
        { numRuns: 1, endOnFailure: true, includeErrorInReport: true },
      );
    },
    oneOf(kind),
  );
}
const DIVIDED = ["split", "shared"].map(
  (name) => sibling(`../collectives/programs/${name}.program.js`, import.meta.url).href,
);
eachMpi(every, "PEs of the same colour, and one array on each node", async (kind) => {
  const isMpich = kind === "MPICH";
  const pes = isMpich ? [2, 2] : [1, 3];
  for (const [i, file] of DIVIDED.entries()) {
    if (!inTurn(i, "divided").includes(kind)) continue;
    // one form of each with the one MPI, the other with the other
    const args = { isAsync: (i === 0) === isMpich, rounds: 4 };
    const { code, said, text } = await job(kind, { program: file, pes, args });
    assert.is(code, 0, text);
    assert.equal(
      said.map(({ results }) => results),
      pes.map((count) => Array(count).fill("fine")),
    );
  }
});
every.run();
