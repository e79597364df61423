/** Errors of a run say in which call each PE was, by the line of the program. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MismatchError, RankLostError, TimeoutError, type TundishError } from "../../../src/ground/base/errors.ts";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import { open } from "../../../src/running/launch/open.ts";
import type { LaunchOptions } from "../../../src/running/run/options.ts";
import { patiently } from "../../support/patiently.ts";
import type { Part } from "./programs/callers.program.ts";

const program = sibling("./programs/callers.program.js", import.meta.url);
const PES = 2;
const timeout = 60_000;

/** The error of a run, and the lines that the PEs have posted, by rank. */
async function failure(args: Part, more: LaunchOptions = {}): Promise<{ error: TundishError; lines: number[] }> {
  const lines: number[] = [];
  const run = launch(program, { pes: PES, args, timeout, ...more });
  run.on("message", (line, rank) => {
    lines[rank] = line as number;
  });
  const error = await run.then(
    () => assert.unreachable("the run ended well") as never,
    (thrown: TundishError) => thrown,
  );
  return { error, lines };
}

/** @param each by rank: what is said of it, with L for the place of its call */
function check(error: TundishError, lines: readonly number[], each: readonly (string | null)[]): void {
  const said = each.flatMap((text, rank) => {
    if (text === null) return [];
    const place = `(?:\\S*/)?callers\\.program\\.[jt]s:${lines[rank]}`;
    return `PE ${rank}: ${text.replace("L", place)}`;
  });
  assert.match(error.message, new RegExp(` Where they were: ${said.join("; ")}\\. \\[ERR`), error.message);
}

const callers = suite("callers");

for (const part of ["calls", "awaited calls", "group"] as const) {
  callers(`that make other calls: ${part}`, async () => {
    const { error, lines } = await failure(part);
    assert.instance(error, MismatchError, String(error));
    // what is awaited has a name in the stack before it waits
    const form = (call: string) => (part === "awaited calls" ? `(?:${call}Async )?at L` : `${call} at L`);
    check(error, lines, [form("barrier"), form("allreduce")]);
  });
}

callers("that make other calls, in a world that goes on without lost PEs", async () => {
  const { error, lines } = await failure("calls", { onLoss: "continue" });
  assert.instance(error, MismatchError, String(error));
  check(error, lines, ["barrier at L", "allreduce at L"]);
});

for (const [part, what] of [
  ["throws", "RangeError: no rows"],
  ["throws in a call", "RankRangeError: pushAll: dests[2]: expected a rank from 0 to 1, got 7"],
] as const) {
  callers(`a PE that ${part}: the line of the program`, async () => {
    const { error, lines } = await failure(part);
    assert.instance(error, RankLostError, String(error));
    const place = /^(.*) \((?:\S*\/)?callers\.program\.[jt]s:(\d+)\) \[/.exec(error.message);
    assert.equal([place?.[1], Number(place?.[2])], [`PE 1 threw ${what}`, lines[1]], error.message);
  });
}

callers("a result that cannot be cloned", async () => {
  const { error } = await failure("gives a function");
  assert.match(
    error.message,
    /^PE 1 threw UsageError: main: expected a result that can be cloned, got one that cannot: .* Return data/,
  );
});

callers("that wait for a PE that has returned", async () => {
  const { error, lines } = await failure("returns");
  assert.instance(error, RankLostError, String(error));
  check(error, lines, ["barrier at L", null]);
});

for (const [part, call] of [
  ["computes", "barrier"],
  ["advances", "advance"],
] as const) {
  callers(`that wait for a PE that ${part}: the timeout of the run`, () =>
    patiently(1000, async (ms) => {
      const { error, lines } = await failure(part, { timeout: ms });
      assert.instance(error, TimeoutError, String(error));
      assert.match(error.message, /not finished: PE 0, 1/);
      check(error, lines, [`${call} at L`, part === "computes" ? "in no call, after .*broadcast.*" : "in no call"]);
    }),
  );
}

callers("that wait for a PE that computes: the timeout of a wait", () =>
  // one that starts late is waited for, too
  patiently(300, async (waitTimeout) => {
    const { error, lines } = await failure("computes", { waitTimeout });
    assert.instance(error, TimeoutError, String(error));
    assert.match(error.message, /^PE 0 waited for PE 1 for/);
    check(error, lines, ["barrier at L", "in no call, after broadcast.*"]);
  }),
);

callers("in an open world", async () => {
  const world = await open({ pes: PES, timeout });
  const error = await world.run(program, { args: "calls", timeout }).then(
    () => assert.unreachable("the run ended well") as never,
    (thrown: Error) => thrown,
  );
  assert.match(
    error.message,
    /Where they were: PE 0: barrier at .*callers\.program.*; PE 1: allreduce at .*callers\.program/,
  );
  // which run of many it was
  assert.match(String(error.stack), /\n {4}at .*callers\.test\.[jt]s:\d+/);
  await world.close();
});

callers.run();
