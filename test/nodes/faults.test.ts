/** A failure anywhere is one everywhere: the same error on all nodes, in time, and no process left. */
import { execFileSync } from "node:child_process";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/ground/base/package-file.ts";
import { eachMpi, KINDS, type Kind } from "../machine/mpi/launchers.ts";
import { LONG, rounds } from "../support/long.ts";
import { patiently } from "../support/patiently.ts";
import type { Part } from "./faults.program.ts";
import { type Ended, JOBS, job } from "./jobs.ts";
import type { Order } from "./node.ts";
import { inTurn, oneOf } from "./some-of.ts";

const program = sibling("./faults.program.js", import.meta.url).href;
/** Less than what a node that is not heard of is given, and than a job may take. */
const SOON = 80_000;
/** PEs of the node that fails, the last, and of two that hear of it: one has several, one a single one. */
const THREE = [2, 1, 2];
const run = (kind: Kind, part: Part, order: Partial<Order> = {}, env: NodeJS.ProcessEnv = {}) =>
  job(kind, { program, pes: [1, 2], args: part, ...order }, { TUNDISH_NODE_TIMEOUT: "120000", ...env });

/** Processes of jobs of this test that are still there. */
function left(): string[] {
  const lines = execFileSync("ps", ["-eo", "pid,args"], { encoding: "utf8" }).split("\n");
  return lines.filter((line) => line.includes(JOBS));
}

/** All nodes have told of the error, and the job has failed with it. */
function checkAll(
  { said, code, text, ms }: Ended,
  nodes: number,
  expected: { code: string; message: RegExp; rank?: number },
): void {
  assert.is(said.length, nodes, text);
  for (const { error, node } of said) {
    assert.is(error?.code, expected.code, `node ${node}: ${text}`);
    assert.match(error?.message ?? "", expected.message, `node ${node}: ${text}`);
    if (expected.rank !== undefined) assert.is(error?.rank, expected.rank, `node ${node}: ${text}`);
  }
  assert.is(code, 3, text);
  assert.ok(ms < SOON, `${ms} ms`);
}

const faults = suite("faults over nodes");
faults.after.each(() => assert.equal(left(), []));

eachMpi(
  faults,
  "worlds one after the other, one node late",
  async (kind) => {
    const { code, said, text } = await run(kind, "fine", {
      pes: [1, 2, 1],
      worlds: rounds(2, 3),
      odd: { 1: "late" },
    });
    assert.is(code, 0, text);
    assert.is(said.length, 3 * rounds(2, 3), text);
    for (const { results } of said) assert.ok(results?.every((sum) => sum === 4));
  },
  oneOf("MPICH"),
);

for (const [part, kinds] of [
  ["throw", oneOf("Open MPI")],
  ["throw while others compute", oneOf("MPICH")],
  ["group of nodes", oneOf("MPICH")],
  ["unsent", inTurn(0, "unsent")],
] as const) {
  eachMpi(
    faults,
    `a PE fails: ${part}`,
    async (kind) => {
      const ended = await run(kind, part, { pes: THREE });
      const code = "ERR_TUNDISH_RANK_LOST";
      checkAll(ended, 3, { code, message: /PE 4 threw RangeError: out of luck/, rank: 4 });
      for (const { error } of ended.said) assert.is(error?.cause, "RangeError: out of luck");
    },
    kinds,
  );
}

eachMpi(
  faults,
  "a PE calls process.exit",
  async (kind) => {
    checkAll(await run(kind, "exit"), 2, {
      code: "ERR_TUNDISH_RANK_LOST",
      message: /PE 2 ended with exit code 5/,
      rank: 2,
    });
  },
  oneOf("MPICH"),
);

eachMpi(faults, "a node is killed", async (kind) => {
  const { code, ms, text } = await run(kind, "kill", { pes: [1, 1, 1] });
  assert.is.not(code, 0, text);
  assert.ok(ms < SOON, `${ms} ms`);
});

const told = { code: "ERR_TUNDISH_TIMEOUT", message: /took longer than \d+ ms|waited.* for \d+ ms/ };
eachMpi(
  faults,
  "a PE stalls: the time of the run on one node",
  (kind) => patiently(2000, async (timeout) => checkAll(await run(kind, "stall", { timeout }), 2, told)),
  oneOf("Open MPI"),
);

eachMpi(
  faults,
  "a PE stalls: the time of a wait on all",
  (kind) => patiently(1000, async (waitTimeout) => checkAll(await run(kind, "never calls", { waitTimeout }), 2, told)),
  oneOf("MPICH"),
);

eachMpi(
  faults,
  "a PE does not end: who has not finished is told",
  async (kind) => {
    const message = /took longer than \d+ ms.*not finished: (node 2|PE 4)/;
    await patiently(2000, async (timeout) =>
      checkAll(await run(kind, "never ends", { pes: THREE, timeout }), 3, {
        code: "ERR_TUNDISH_TIMEOUT",
        message,
      }),
    );
  },
  oneOf("Open MPI"),
);

eachMpi(
  faults,
  "one node aborts",
  async (kind) => {
    const aborted = { code: "ERR_TUNDISH_ABORTED", message: /The run was aborted: "enough"/ };
    await patiently(1000, async (ms) =>
      checkAll(await run(kind, "never calls", { pes: [1, 1, 1], abort: [1, ms] }), 3, aborted),
    );
  },
  oneOf("MPICH"),
);

for (const [pes, kind] of [
  [THREE, "Open MPI"],
  [[1, 1], "MPICH"],
] as const) {
  const rank = pes === THREE ? 4 : 1;
  eachMpi(
    faults,
    `PE ${rank} returns without the call that the others make`,
    async (kind) => {
      checkAll(await run(kind, "returns early", { pes }), pes.length, {
        code: "ERR_TUNDISH_RANK_LOST",
        message: new RegExp(`PE ${rank} has returned`),
        rank,
      });
    },
    oneOf(kind),
  );
}

eachMpi(
  faults,
  "PEs of two nodes have made other calls when all have returned",
  async (kind) => {
    const ended = await run(kind, "each is the last root", { pes: [1, 1] });
    const message = /At the end of the run: the PEs of node [01] have made other calls/;
    checkAll(ended, 2, { code: "ERR_TUNDISH_MISMATCH", message });
  },
  oneOf("MPICH"),
);

const OTHERS = ["other call", "other op"] as const;
eachMpi(faults, "PEs of two nodes make other calls", async (kind) => {
  const [all, one] = [
    /PE 0 called allreduce sum of a number/,
    /PE 1 called (broadcast of a number at root 0|allreduce max)/,
  ];
  // what PEs compare has nothing to do with the MPI
  for (const part of LONG ? OTHERS : OTHERS.slice(KINDS.indexOf(kind)).slice(0, 1)) {
    const ended = await run(kind, part, { pes: [1, 1] });
    checkAll(ended, 2, { code: "ERR_TUNDISH_MISMATCH", message: /called/ });
    const message = ended.said[0]?.error?.message ?? "";
    assert.match(message, all);
    assert.match(message, one);
  }
});

eachMpi(
  faults,
  "a group whose ranks have another order on another node",
  async (kind) => {
    const ended = await run(kind, "other order", { pes: [2, 2] });
    checkAll(ended, 2, { code: "ERR_TUNDISH_MISMATCH", message: /another order/ });
  },
  oneOf("Open MPI"),
);

eachMpi(faults, "nodes that wait for each other in other calls", async (kind) => {
  // each way under one MPI or the other, in the long run under both; all at the same time, as most of a job is waiting
  const ways = [0, 1, 2, 3, 4].filter((way) => LONG || way % KINDS.length === KINDS.indexOf(kind));
  const each = ways.map(async (way) => {
    const pes = way % 2 === 0 ? [1, 1] : [2, 2];
    const ended = await run(kind, "each waits", { pes }, { TUNDISH_TEST_WAY: `${way}` });
    checkAll(ended, 2, { code: "ERR_TUNDISH_MISMATCH", message: /PE \d called .*; PE \d called / });
  });
  // none is left when one has failed
  for (const end of await Promise.allSettled(each)) if (end.status === "rejected") throw end.reason;
});

for (const [part, odd, worlds, kinds] of [
  ["fine", "leaves", 2, oneOf("Open MPI")],
  ["never calls", "exits in it", 1, oneOf("MPICH")],
] as const) {
  eachMpi(
    faults,
    `a process that ${odd}, without a failure, is missed at once, not when its time is up`,
    async (kind) => {
      const { said, ms, text } = await run(kind, part, { pes: [1, 1, 1], odd: { 1: odd }, worlds });
      const errors = said.flatMap(({ error }) => error ?? []);
      assert.is(errors.length, 2, text);
      for (const error of errors) {
        assert.is(error.code, "ERR_TUNDISH_RANK_LOST");
        assert.match(error.message, /The process of node 1 has exited/);
      }
      assert.ok(ms < SOON, `${ms} ms`);
    },
    kinds,
  );
}

for (const [odd, name, kind] of [
  ["unchecked", "checks", "Open MPI"],
  ["other channel", "channel", "MPICH"],
] as const) {
  eachMpi(
    faults,
    `${name} on one node and not on another`,
    async (kind) => {
      const { said, code, text } = await run(kind, "fine", { pes: [1, 1, 1], odd: { 1: odd } });
      assert.is(code, 3, text);
      assert.is(said.length, 3, text);
      for (const { error } of said) {
        assert.match(error?.message ?? "", `${name}: expected the same on all nodes`, text);
      }
    },
    oneOf(kind),
  );
}

eachMpi(
  faults,
  "a node that does not launch",
  async (kind) => {
    const each = (["exit", "throw"] as const).map((odd) => run(kind, "fine", { pes: [1, 1], odd: { 1: odd } }));
    const [exited, thrown] = (await Promise.all(each)) as [Ended, Ended];
    assert.is(exited.code, 7, exited.text);
    assert.is(thrown.code, 1, thrown.text);
  },
  // MPICH's launcher does not miss a process that has not called MPI_Init, and the others wait in theirs
  ["Open MPI"],
);

eachMpi(
  faults,
  "a node that launches with bad options",
  async (kind) => {
    const message = /Node 1 could not start the world: UsageError: pes: expected|^pes: expected/;
    const { said, code, text } = await run(kind, "fine", { pes: [1, 1, 1], odd: { 1: "bad options" } });
    assert.is(code, 3, text);
    assert.equal(
      said.map(({ error }) => error?.code),
      ["ERR_TUNDISH_RANK_LOST", "ERR_TUNDISH_USAGE", "ERR_TUNDISH_RANK_LOST"],
    );
    for (const { error } of said) assert.match(error?.message ?? "", message);
  },
  oneOf("MPICH"),
);
faults.run();
