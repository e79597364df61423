/** The decision: which algorithm for how many bytes, what it says of itself, and how it is overruled. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { DEFAULT_CROSSOVERS, Decisions } from "../../src/collectives/calls/decide.ts";
import { explainDecisions } from "../../src/collectives/calls/explain.ts";
import { RankLostError, UsageError } from "../../src/ground/base/errors.ts";
import { sibling } from "../../src/ground/base/package-file.ts";
import { launch } from "../../src/running/launch/launch.ts";
import type { Trees } from "../../trees/model/tree.ts";
import type { Args } from "./programs/every.program.ts";
import type { Case } from "./support/cases.ts";
import { everyKindAndOp } from "./support/cases.ts";
import { chain, disseminating, hybrid, treesOf } from "./support/plans.ts";

type Wish = Parameters<Decisions["choose"]>[2];
type Call = Parameters<Decisions["choose"]>[0];

/** Runs with TUNDISH_ALGORITHMS set. */
async function forcing<T>(text: string, body: () => T | Promise<T>): Promise<T> {
  process.env.TUNDISH_ALGORITHMS = text;
  try {
    return await body();
  } finally {
    delete process.env.TUNDISH_ALGORITHMS;
  }
}

/** A plan whose latencies are given. */
const timed = (n: number, barrier: number, broadcast: number, reduce: number): Trees => {
  const plan = disseminating(n);
  return {
    ...plan,
    barrier: { ...plan.barrier, latency: barrier },
    broadcast: { ...plan.broadcast, latency: broadcast },
    reduce: { ...plan.reduce, latency: reduce },
  };
};

const decisions = suite("decisions");

decisions("short up to the crossover, long above; by default where it was measured", () => {
  assert.equal(DEFAULT_CROSSOVERS, { broadcast: 112, reduce: 112, allreduce: 112 });
  for (const crossovers of [undefined, { broadcast: 0, reduce: 8, allreduce: 1e6 }]) {
    const decisions = new Decisions(treesOf(4, "binary"), 4, crossovers);
    const { broadcast, reduce, allreduce } = crossovers ?? DEFAULT_CROSSOVERS;
    for (const [call, at, short, long] of [
      ["broadcast", broadcast, "tree", "single-copy"],
      ["reduce", reduce, "tree", "scatter"],
      ["allreduce", allreduce, "tree", "scatter"],
    ] as const) {
      const got = [0, at - 1, at, at + 1, 2 ** 32].map((bytes) => decisions.choose(call, bytes));
      assert.equal(got, [at < 0 ? long : short, short, short, long, long], call);
    }
  }
});

decisions("a short allreduce is an exchange where the model says that it is faster", () => {
  // 4 PEs, 2 rounds: exchange takes as long as the barrier
  for (const [barrier, broadcast, reduce, expected] of [
    [10, 5, 6, "exchange"],
    [11, 5, 6, "exchange"],
    [12, 5, 6, "tree"],
  ] as const) {
    assert.is(new Decisions(timed(4, barrier, broadcast, reduce), 4).choose("allreduce", 8), expected);
  }
  // 5 PEs: 3 rounds of the barrier against 2 and 2 more for the fifth
  assert.is(new Decisions(timed(5, 30, 20, 20), 5).choose("allreduce", 8), "exchange");
  assert.is(new Decisions(timed(5, 30.1, 20, 20), 5).choose("allreduce", 8), "tree");
  assert.is(new Decisions(treesOf(4, "smelt"), 4).choose("allreduce", 8), "tree");
  // the latency of a hybrid barrier, here 0, says nothing of an exchange over all
  assert.is(new Decisions(hybrid(4), 4).choose("allreduce", 8), "tree");
  assert.ok(["exchange", "tree"].includes(new Decisions(treesOf(1, "smelt"), 1).choose("allreduce", 8)));
});

decisions("explain() says it all, a line each", () => {
  const lines = explainDecisions(new Decisions(timed(4, 12.34, 5, 6), 4)).split("\n");
  assert.equal(lines, [
    "barrier: dissemination, 12.3 by the model",
    "broadcast: tree up to 112 bytes, single-copy above",
    "reduce: tree up to 112 bytes, scatter above",
    "allreduce: tree up to 112 bytes, scatter above (by the model exchange takes 12.3, reduce and broadcast 11.0)",
    "reduceScatter, scan, exscan, gather, allgather, scatter, alltoall, alltoallv, split: direct reads, the only algorithm",
    "minloc, maxloc of reduce and allreduce: scatter, the only algorithm",
  ]);
  assert.match(
    explainDecisions(new Decisions(chain(3), 3)),
    /^barrier: tree, .*\n.*\n.*\nallreduce: tree up to .*reduce and broadcast take/,
  );
});

decisions("what a call asks for comes first, and only what there is", () => {
  const decisions = new Decisions(treesOf(2, "binary"), 2);
  const wishes: Readonly<Record<Call, readonly Wish[]>> = {
    broadcast: ["tree", "single-copy"],
    reduce: ["tree", "scatter"],
    allreduce: ["exchange", "tree", "scatter"],
  };
  for (const [call, has] of Object.entries(wishes) as [Call, Wish[]][]) {
    for (const wish of ["tree", "single-copy", "scatter", "exchange", "fast", "", null] as Wish[]) {
      for (const bytes of [0, 8, 1e6]) {
        if (has.includes(wish)) assert.is(decisions.choose(call, bytes, wish), wish);
        else {
          assert.throws(
            () => decisions.choose(call, bytes, wish),
            (error: unknown) =>
              error instanceof UsageError &&
              error.message.startsWith(
                `algorithm: ${call}: unknown algorithm ${wish === null ? "null" : `'${wish}'`}`,
              ) &&
              error.message.endsWith(`Known algorithms: ${has.join(", ")} [ERR_TUNDISH_USAGE]`),
          );
        }
      }
    }
  }
});

decisions("TUNDISH_ALGORITHMS comes before the sizes, after the call", async () => {
  await forcing("broadcast=single-copy,allreduce=tree", () => {
    const decisions = new Decisions(timed(4, 1, 5, 6), 4);
    for (const bytes of [0, 8, 1e6]) {
      assert.is(decisions.choose("broadcast", bytes), "single-copy");
      assert.is(decisions.choose("allreduce", bytes), "tree");
      assert.is(decisions.choose("reduce", bytes), bytes > 112 ? "scatter" : "tree");
      assert.is(decisions.choose("broadcast", bytes, "tree"), "tree");
    }
    const text = explainDecisions(decisions);
    assert.match(text, "broadcast: single-copy, forced by TUNDISH_ALGORITHMS");
    assert.match(text, "allreduce: tree, forced by TUNDISH_ALGORITHMS");
    assert.match(text, "reduce: tree up to 112 bytes");
  });
  for (const [text, told] of [
    [
      "gather=tree",
      /TUNDISH_ALGORITHMS: expected CALL=ALGORITHM, got gather=tree: unknown call 'gather'. Known calls: broadcast, reduce, allreduce/,
    ],
    ["toString=tree", /TUNDISH_ALGORITHMS: expected CALL=ALGORITHM/],
    ["tree", /TUNDISH_ALGORITHMS: expected CALL=ALGORITHM/],
    ["broadcast", /broadcast: unknown algorithm undefined. Known algorithms: tree, single-copy/],
    ["broadcast=tree,reduce=fast", /reduce: unknown algorithm 'fast'. Known algorithms: tree, scatter/],
  ] as const) {
    await forcing(text, () => {
      assert.throws(
        () => new Decisions(treesOf(2, "binary"), 2),
        (error: unknown) => error instanceof UsageError && told.test(error.message),
      );
    });
  }
});

const program = sibling("./programs/every.program.js", import.meta.url);
const play = (pes: number, cases: readonly Case[]): Promise<unknown> => {
  const args: Args = { cases, arenaBytes: 2 ** 20 };
  return launch(program, { pes, args, timeout: 30_000 });
};

decisions("forced by the environment in every PE, and right whatever is forced", async () => {
  const cases = everyKindAndOp([5, 300])
    .filter(({ call }) => ["broadcast", "reduce", "allreduce"].includes(call))
    // the documented order of what is forced is looked up in explain(), which tells no crossovers then
    .filter(({ op }) => op === "min" || op === "and" || op === "smaller")
    .map((one): Case => ({ ...one, algorithm: null }));
  for (const text of [
    "broadcast=tree,reduce=tree,allreduce=tree",
    "broadcast=single-copy,reduce=scatter,allreduce=scatter",
    "allreduce=exchange",
  ]) {
    await forcing(text, async () => assert.equal(await play(3, cases), Array(3).fill(cases.length)));
  }
});

decisions("what cannot be forced ends the run with the reason", async () => {
  const error = await forcing("barrier=fast", () => play(2, []).catch((error: unknown) => error));
  assert.instance(error, RankLostError);
  assert.instance((error as Error).cause, UsageError);
  assert.match((error as Error).message, "TUNDISH_ALGORITHMS");
});
decisions.run();
