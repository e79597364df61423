/** Steps between nodes by the MPI library's own collectives: results as by messages, and every failure told while one is pending. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/ground/base/package-file.ts";
import { anyCase, type Case, everyKindAndOp } from "../collectives/support/cases.ts";
import { eachMpi, type Kind } from "../machine/mpi/launchers.ts";
import { LONG, rounds } from "../support/long.ts";
import { patiently } from "../support/patiently.ts";
import type { Part } from "./faults.program.ts";
import { type Ended, job } from "./jobs.ts";
import type { Order } from "./node.ts";
import { inTurn, oneOf, someOf } from "./some-of.ts";

const every = sibling("../collectives/programs/every.program.js", import.meta.url).href;
const explained = sibling("./programs/explain.program.js", import.meta.url).href;
const faulty = sibling("./faults.program.js", import.meta.url).href;

const CALLS = ["barrier", "broadcast", "allreduce"] as const;
const FORCED = { TUNDISH_ALGORITHMS: CALLS.map((call) => `${call}=mpi`).join() };
const SHAPES: Readonly<Record<Kind, readonly number[]>> = { "Open MPI": [2, 1, 2], MPICH: [1, 1, 1] };

const own = suite("collectives of the MPI library");

async function check(kind: Kind, cases: readonly Case[]): Promise<void> {
  const pes = SHAPES[kind];
  const args = { cases, arenaBytes: 2 ** 22 };
  const { code, said, text } = await job(kind, { program: every, pes, args }, FORCED);
  assert.is(code, 0, text);
  assert.equal(
    said.map(({ results }) => results),
    pes.map((count) => Array(count).fill(cases.length)),
  );
}

const isOurs = ({ call }: Case): boolean => (CALLS as readonly string[]).includes(call);

/** Any calls in any groups, and each that has such a step, of every type and op: forced by the environment, and by the call. */
eachMpi(own, "results are those of messages", (kind) => {
  const all = everyKindAndOp([1, 7, 33, 0, 130, 128]).filter(isOurs);
  const forced = all.map((one): Case => ({ ...one, algorithm: null }));
  const asked = all.filter(hasStep).map((one): Case => ({ ...one, algorithm: "mpi" }));
  const size = SHAPES[kind].reduce((sum, count) => sum + count, 0);
  const many = rounds(20, 120);
  return fc.assert(
    fc.asyncProperty(fc.array(anyCase(size), { minLength: many, maxLength: many }), (any) =>
      check(kind, [...someOf(forced), ...asked, ...any]),
    ),
    { numRuns: 1, endOnFailure: true, includeErrorInReport: true },
  );
});

/** Whether `mpi` can be asked for. */
function hasStep({ call, kind, op, length }: Case): boolean {
  if (call === "broadcast") return kind !== "value" && (kind === "number" || kind === "bigint" || length <= 128);
  return call === "allreduce" && op === "sum" && (kind === "number" || (kind === "Float64Array" && length <= 128));
}

async function isPrinted(kind: Kind): Promise<void> {
  const { code, said, text } = await job(kind, { program: explained, pes: [1, 1], args: null }, FORCED);
  assert.is(code, 0, text);
  const [lines, refused] = (said[0]?.results?.[0] ?? []) as [string, string];
  assert.match(lines, /barrier between nodes: mpi \(MPI_Ibarrier\) for all; forced by TUNDISH_ALGORITHMS/);
  assert.match(lines, /allreduce between nodes: mpi \(MPI_Iallreduce\) for sums/);
  assert.match(refused, /^algorithm: mpi is an allreduce's for sums of a number or of up to 1024 bytes/);
}

const LOST = "ERR_TUNDISH_RANK_LOST";
const MISMATCH = "ERR_TUNDISH_MISMATCH";
const OTHERS = /PE \d called (allreduce|broadcast|leave|barrier)[^;]*; PE \d called /;

/** What goes wrong, on so many nodes, and what each is told. */
const FAULTS: readonly (readonly [Part, readonly number[], string, RegExp, NodeJS.ProcessEnv?])[] = [
  ["throw", [2, 1, 2], LOST, /PE 4 threw RangeError: out of luck/],
  ["group of nodes", [1, 1], LOST, /PE 1 threw RangeError: out of luck/],
  ["exit", [1, 2], LOST, /PE 2 ended with exit code 5/],
  ["returns early", [2, 1, 2], LOST, /PE 4 has returned/],
  ["other call", [1, 1, 1], MISMATCH, OTHERS],
  ...(LONG ? ([["other call", [1, 1], MISMATCH, OTHERS]] as const) : []),
  ["other op", [2, 2], MISMATCH, OTHERS],
  // only the tags show these
  ["none waits", [1, 1], MISMATCH, OTHERS],
  ["each is the root", [1, 1], MISMATCH, OTHERS],
  ["each waits", [1, 1], MISMATCH, /called leave; PE 0 called barrier \(mpi\)/, { TUNDISH_TEST_WAY: "4" }],
];

const run = (kind: Kind, part: Part, order: Partial<Order>, env: NodeJS.ProcessEnv = {}) =>
  job(
    kind,
    { program: faulty, pes: [1, 1], args: part, ...order },
    { TUNDISH_NODE_TIMEOUT: "120000", ...FORCED, ...env },
  );

function checkAll({ said, code, text }: Ended, nodes: number, expected: string, message: RegExp): void {
  assert.is(said.length, nodes, text);
  for (const { error } of said) {
    assert.is(error?.code, expected, text);
    assert.match(error?.message ?? "", message, text);
  }
  assert.is(code, 3, text);
}

async function isNotMissed(kind: Kind): Promise<void> {
  const { code, text } = await run(kind, "kill", { pes: [1, 1] });
  assert.is.not(code, 0, text);
}

// all at the same time, as most of a job is waiting; each under one of the MPIs, in the long run under both
eachMpi(own, "what is forced is printed, and what fails while one is pending is told on all nodes", async (kind) => {
  const checks = FAULTS.map(
    ([part, pes, code, message, env]) =>
      async () =>
        checkAll(await run(kind, part, { pes }, env), pes.length, code, message),
  );
  const all = [...checks, () => isPrinted(kind), () => isNotMissed(kind)];
  const each = all.filter((_, i) => inTurn(i, "faults").includes(kind)).map((one) => one());
  // none is left when one has failed
  for (const end of await Promise.allSettled(each)) if (end.status === "rejected") throw end.reason;
});

eachMpi(
  own,
  "the time of a wait for one",
  (kind) =>
    patiently(1000, async (waitTimeout) =>
      checkAll(await run(kind, "never calls", { waitTimeout }), 2, "ERR_TUNDISH_TIMEOUT", /waited.* for \d+ ms/),
    ),
  oneOf("Open MPI"),
);

eachMpi(
  own,
  "one node aborts while one is pending",
  (kind) =>
    patiently(1000, async (ms) =>
      checkAll(
        await run(kind, "never calls", { pes: [1, 1, 1], abort: [1, ms] }),
        3,
        "ERR_TUNDISH_ABORTED",
        /The run was aborted: "enough"/,
      ),
    ),
  oneOf("MPICH"),
);
own.run();
