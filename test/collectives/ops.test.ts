/** Functions as ops: a collective inside one is refused, and so is what is no element. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RankLostError, UsageError } from "../../src/ground/base/errors.ts";
import { sibling } from "../../src/ground/base/package-file.ts";
import { launchPooled } from "../support/thread-pool.ts";
import { type Args, KINDS, RESULTS } from "./programs/ops.program.ts";

const program = sibling("./programs/ops.program.js", import.meta.url);
const USUAL: Args = { part: "caught", call: "allreduce", later: false, kind: "number", result: 0 };
const CALLS = ["reduce", "allreduce", "scan", "exscan"] as const;

/** 3 PEs, as an exscan of fewer combines nothing. */
const play = (args: Partial<Args>): Promise<unknown[]> => {
  // what `limited` does at PE 0 takes hours
  const stray = args.part === "limited" ? { stray: 0 } : {};
  return launchPooled(program, { pes: 3, args: { ...USUAL, ...args }, waitTimeout: 5000, ...stray });
};

async function failure(args: Partial<Args>, told: RegExp): Promise<void> {
  const error = await play(args).then(
    () => assert.unreachable(`no error: ${JSON.stringify(args)}`),
    (error: unknown) => error,
  );
  assert.instance(error, RankLostError);
  const { cause } = error as RankLostError;
  assert.instance(cause, UsageError, `${JSON.stringify(args)}: ${String(cause)}`);
  assert.match((cause as Error).message, told);
}

const ops = suite("functions as ops");
for (const call of CALLS) {
  ops(`a collective inside one is refused, in ${call}`, async () => {
    for (const [i, kind] of KINDS.filter((kind) => !kind.startsWith("bigint")).entries()) {
      const told = (await play({ call, kind, later: i % 2 === 1 })).flat();
      assert.ok(told.length > 0);
      for (const error of told) assert.match(String(error), /^UsageError: A collective inside an op, /);
    }
  });
}

ops("a call of another group inside one leaves the limit of the outer call as it was", async () => {
  const error = await play({ part: "limited" }).then(() => "no error", String);
  assert.match(error, /^TimeoutError: PE [12] waited/);
});

ops("a collective inside one ends the world, as whatever it throws", async () => {
  for (const [i, kind] of KINDS.entries()) {
    await failure({ part: "nested", call: CALLS[i % 4], kind, later: i % 3 === 1 }, /^A collective inside an op, /);
  }
});

ops("what is no element is refused", async () => {
  for (const [i, value] of RESULTS.entries()) {
    for (const kind of [KINDS[(2 * i) % 6], KINDS[(2 * i + 1) % 6]]) {
      const wanted = kind.startsWith("bigint") ? "bigint" : "number";
      if (typeof value === wanted) continue;
      const told = new RegExp(`^op: expected the function to return a ${wanted} for two of them, got `);
      await failure({ part: "result", call: CALLS[i % 4], kind, later: i % 3 === 1, result: i }, told);
    }
  }
});

ops("undefined in place of a number or a bigint, in every call", async () => {
  for (const call of CALLS) {
    for (const kind of ["number", "bigint"] as const) {
      await failure({ part: "result", call, kind }, /got undefined \[/);
    }
  }
});
ops.run();
