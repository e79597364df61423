/** Resilient groups over nodes: PEs throw, exit or return, delegates of their nodes and others, one or two at once, until two are left. */
import { deserialize } from "node:v8";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { eachMpi, KINDS } from "../../machine/mpi/launchers.ts";
import { job } from "../../nodes/jobs.ts";
import type { Said } from "../../nodes/said.ts";
import { rounds } from "../../support/long.ts";
import { SEED } from "../../support/sample.ts";
import { check, type Entry, type Fate, type Point, pick, type Run } from "./programs/calls.ts";
import type { Args } from "./programs/threads.program.ts";

const program = sibling("./programs/threads.program.js", import.meta.url).href;
const test = suite("resilient groups over nodes");
/** "inside" takes a call with an op: else that PE stays. */
const POINTS: readonly Point[] = ["before", "inside", "inside", "after"];
const HOWS: readonly Args["how"][] = ["throw", "exit", "return"];

const PES = [3, 2, 2];
/** Who is lost together: the delegate of a node, another PE, the delegates of two nodes, and the rest of one. */
const TOGETHER: readonly (readonly number[])[] = [[0], [6], [1, 3], [4]];
const BETWEEN = 6;
const OPTIONS = { onLoss: "continue", timeout: 60_000, heapBytes: 2 ** 24 } as const;

/** By rank; nothing of who is lost. */
const logsIn = (said: readonly Said[]): Entry[][] =>
  said
    .flatMap(({ results = [] }) => results)
    .map((one) => (typeof one === "string" ? deserialize(Buffer.from(one, "base64")) : []));

for (const [at, kind] of KINDS.entries()) {
  eachMpi(
    test,
    "PEs are lost on each node",
    async () => {
      for (let round = 0; round < rounds(2, 50); round++) {
        const seed = (SEED + at * 1000 + round) % 2 ** 31;
        const how = HOWS[pick(HOWS.length, seed, 50)] as Args["how"];
        const order = TOGETHER.toSorted((a, b) => pick(1000, seed, 51, a[0]) - pick(1000, seed, 51, b[0]));
        const fates = order.flatMap((ranks, i) => {
          const k = i * BETWEEN + pick(BETWEEN - 1, seed, 52, i);
          return ranks.map((rank): Fate => ({ rank, k, point: POINTS[i && pick(4, seed, 53, rank)] as Point }));
        });
        const run = { seed, count: BETWEEN * (TOGETHER.length + 1), fates };
        const args: Args = { ...run, how, backwards: pick(2, seed, 54) === 0, asText: true };
        const byMpi = round % 2 === 0;
        const { said, code, text } = await job(kind, { program, pes: PES, args, byMpi, ...OPTIONS });
        const what = `${JSON.stringify({ args, byMpi })}: ${text.slice(0, 3000)}`;
        assert.is(code, 0, what);
        const logs = logsIn(said);
        try {
          const doomed = new Set(TOGETHER.flat());
          const repaired = check(args.backwards ? logs.toReversed() : logs, run, doomed);
          assert.ok(repaired > 0);
        } catch (error) {
          throw new Error(`${(error as Error).stack}\n${what}`);
        }
      }
    },
    [kind],
  );
}

/** What Open MPI wants so that it does not end the other processes; MPICH ends them. */
const RECOVERY = ["--oversubscribe", "--bind-to", "none", "--mca", "pml", "ob1", "--enable-recovery"];
eachMpi(
  test,
  "a process is killed",
  async (kind) => {
    const run: Run = { seed: SEED, count: 12, fates: [{ rank: 1, k: 1 + (SEED % 8), point: "before" }] };
    const args: Args = { ...run, how: "kill", backwards: false, asText: true };
    const order = { program, pes: [1, 1, 2], args, byMpi: SEED % 2 === 0, ...OPTIONS };
    const { said, text } = await job(kind, order, { TUNDISH_NODE_TIMEOUT: "5000" }, RECOVERY, 2);
    assert.equal(
      said.map(({ node }) => node),
      [0, 2],
      text,
    );
    const [zero, two, three] = logsIn(said);
    assert.is(check([zero, [], two, three] as Entry[][], run, new Set([1])), 1, text);
  },
  ["Open MPI"],
);
test.run();
