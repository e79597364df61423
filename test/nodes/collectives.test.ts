/** Every collective over nodes, as on one: the same programs, the same reference. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/base/package-file.ts";
import { comparedBy } from "../collectives/programs/again.program.ts";
import { anyCase, type Case, everyKindAndOp } from "../collectives/support/cases.ts";
import { eachMpi, type Kind } from "../mpi/launchers.ts";
import { job } from "./jobs.ts";

const program = sibling("../collectives/programs/every.program.js", import.meta.url).href;

async function check(
  kind: Kind,
  pes: readonly number[],
  cases: readonly Case[],
  checks = true,
): Promise<void> {
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

const every = suite("every collective over nodes");
const everyKind = (pes: readonly number[]) => (kind: Kind) =>
  check(kind, pes, everyKindAndOp([1, 7, 33, 0, 130]));
eachMpi(every, "every call with every type and op, 2 + 2 PEs", everyKind([2, 2]));
eachMpi(every, "every call with every type and op, 1 + 3 + 2 PEs", everyKind([1, 3, 2]), ["Open MPI"]);
eachMpi(every, "every call with every type and op, 1 + 1 + 1 + 1 PEs", everyKind([1, 1, 1, 1]), ["MPICH"]);
eachMpi(every, "arrays that go apart, 1 + 2 PEs", (kind) =>
  check(
    kind,
    [1, 2],
    everyKindAndOp([5000, 300]).filter((_, i) => i % 3 === 0),
  ),
);
eachMpi(
  every,
  "an alltoall with more PEs than messages can be under way, 24 + 24 PEs",
  (kind) => {
    const one = everyKindAndOp([300]).find(
      ({ call, kind: x }) => call === "alltoall" && x === "Float64Array",
    ) as Case;
    return check(kind, [24, 24], [{ ...one, length: 300, form: "blocking" }]);
  },
  ["Open MPI"],
);
for (const pes of [
  [1, 1],
  [2, 1, 2],
]) {
  eachMpi(every, `the same array again and again, ${pes.join(" + ")} PEs`, async (kind) => {
    const again = sibling("../collectives/programs/again.program.js", import.meta.url).href;
    const { code, said, text } = await job(kind, { program: again, pes, args: null });
    assert.is(code, 0, text);
    const compared = comparedBy(pes.reduce((sum, count) => sum + count, 0));
    assert.equal(
      said.map(({ results }) => results),
      pes.map((count) => Array(count).fill(compared)),
    );
  });
}
eachMpi(every, "without checks, 1 + 1 PEs", (kind) => check(kind, [1, 1], everyKindAndOp([3, 120]), false));
for (const pes of [
  [2, 1, 3],
  [1, 1, 1, 2],
]) {
  eachMpi(every, `any calls, in any groups of ${pes.join(" + ")} PEs`, async (kind) => {
    const size = pes.reduce((sum, count) => sum + count, 0);
    const cases = fc.array(anyCase(size), { minLength: 120, maxLength: 120 });
    await fc.assert(
      fc.asyncProperty(cases, (list) => check(kind, pes, list)),
      { numRuns: 1, endOnFailure: true, includeErrorInReport: true },
    );
  });
}
every.run();
