/** Calls and runs that end by quiescence: on threads, in jobs of MPI and on virtual PEs. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";
import { eachMpi, type Kind } from "../../machine/mpi/launchers.ts";
import { job } from "../../nodes/jobs.ts";
import { inTurn } from "../../nodes/some-of.ts";
import { rounds } from "../../support/long.ts";
import { covering } from "../../support/sample.ts";
import { testInTurn } from "../../support/test-in-turn.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import program, { type Args, type Part } from "./calls.program.ts";

const file = sibling("./calls.program.js", import.meta.url);
const play = (pes: number, args: Args) => launchPooled(file, { pes, args, waitTimeout: 30_000 });

const calls = suite("calls");

/** What all PEs give, on every kind of PE. */
const AWAITED: readonly (readonly [Args, unknown])[] = [
  [{ part: "tree" }, "true true"],
  [{ part: "tree", options: { hops: 2 } }, "true true"],
  [{ part: "tree", options: { bufferBytes: 64, buffersPerLink: 1 } }, "true true"],
  [{ part: "grouped", levels: 6 }, "true true"],
  [{ part: "typed" }, 0],
  [{ part: "serialized" }, 0],
  [{ part: "order" }, 0],
  [{ part: "sessions" }, "4 0 4 4"],
];

for (const pes of [1, 2, 4]) {
  testInTurn<Args>(calls, file, pes, [
    ...AWAITED.filter(([{ part }]) => part !== "grouped" || pes > 1).map(
      ([args, expected]) => [JSON.stringify(args), args, expected] as const,
    ),
    ...Array.from(
      { length: rounds(3, 300) },
      (_, i) => [`again, ${i}`, { part: "tree", levels: 5 + (i % 3) }, "true true"] as const,
    ),
    ["nobody calls", { part: "silent" }, 1],
    ["blocking", { part: "blocking" }, "true true true"],
    ["no room", { part: "pressure" }, "true true"],
  ]);
}

calls("on virtual PEs", async () => {
  for (const [pes, nodes] of [
    [2, 1],
    [6, 3],
  ] as const) {
    const args = AWAITED.map(([args]) => args);
    const { results } = await simulateAsync({ pes, nodes, jitter: 2, memoryBytes: 2 ** 26, args }, program);
    const expected = AWAITED.map(([, expected]) => expected);
    assert.equal(results, new Array(pes).fill(expected));
  }
});

/** With one MPI in a plain run, as what goes over it is a conveyor; of the trees one. */
const overNodes = async (kind: Kind): Promise<void> => {
  const cases = covering(
    AWAITED.filter(([{ part }]) => part !== "grouped"),
    ([{ part }]) => [part],
    "calls over nodes",
  );
  const args = cases.map(([args]) => args);
  const { code, said, text } = await job(kind, { program: file.href, pes: [2, 2], args });
  assert.is(code, 0, text);
  const told = said.flatMap(({ results }) => results as unknown[]);
  assert.equal(told, new Array(4).fill(cases.map(([, expected]) => expected)));
};
eachMpi(calls, "2 + 2 PEs over nodes", overNodes, inTurn(0, "calls"));

calls("what cannot be is refused, and the session goes on", async () => {
  const [errors, others] = (await play(2, { part: "refused" })) as string[][];
  assert.equal(errors, others);
  const expected = [
    /^ERR_TUNDISH_USAGE calls: expected handlers, .* got \{\}/,
    /^ERR_TUNDISH_USAGE calls: expected handlers, .* got undefined/,
    /^ERR_TUNDISH_USAGE calls: a: expected a function that does not await, .* got 5/,
    /^ERR_TUNDISH_USAGE calls: a: expected a function that does not await/,
    /^ERR_TUNDISH_USAGE calls: a: args: expected an item type .* got 5/,
    /^ERR_TUNDISH_USAGE calls: a: expected a function .* got undefined/,
    /^ERR_TUNDISH_USAGE calls: expected at most 256 handlers, got 257/,
    /^ERR_TUNDISH_USAGE calls: ends: "quiescence" needs the votes .* type: "tensor"/,
    /^ERR_TUNDISH_USAGE steady: expected true/,
    /^ERR_TUNDISH_USAGE calls: unknown option 'hop'; did you mean 'hops'\?/,
    /^ERR_TUNDISH_STATE async: there is no session; call it inside run/,
    /^ERR_TUNDISH_USAGE run: expected two functions/,
    /^ERR_TUNDISH_USAGE run: expected functions that are not async/,
    /^ERR_TUNDISH_RANGE /,
    /^ERR_TUNDISH_USAGE async: unknown handler 'c'. Known handlers: a, b/,
    /^ERR_TUNDISH_USAGE async: a: expected arguments that node:v8 serializes/,
    /^ERR_TUNDISH_USAGE async: a: serialization of { x: .* } threw TypeError: own\. /,
    /^ERR_TUNDISH_USAGE async: b: expected a rank and u32, got 0, "x"/,
    /^ERR_TUNDISH_USAGE async: b: expected a rank and u32, got 0(?!,)/,
    /^ERR_TUNDISH_STATE free: /,
    /^ERR_TUNDISH_STATE begin: /,
    /^ERR_TUNDISH_USAGE selector: after: with ends: "quiescence" the mailboxes have no order/,
    /^ERR_TUNDISH_USAGE selector: ends: "quiescence" needs the votes/,
    /^ERR_TUNDISH_USAGE ends: expected one of "order", "quiescence", got "never"/,
    /^ERR_TUNDISH_USAGE done: this selector ends by quiescence/,
    /^ERR_TUNDISH_STATE send.m: this selector is not in a session/,
    /^ERR_TUNDISH_USAGE run: ends: "quiescence" needs a steady conveyor.* \{ steady: true \}/,
    /^ERR_TUNDISH_USAGE run: ends: "quiescence" is for a function that sends/,
    /^ERR_TUNDISH_USAGE ends: expected one of "done", "quiescence", got "late"/,
    /^ERR_TUNDISH_USAGE run: ends: "quiescence" needs the votes/,
  ];
  for (const [i, pattern] of expected.entries()) assert.match(errors?.[i] ?? "", pattern);
  assert.is(errors?.length, expected.length);
});

const endings: readonly [part: Part, ending: RegExp][] = [
  ["throwing", /^ERR_TUNDISH_RANK_LOST PE 0 threw TypeError: fifty/],
  ["throwingSource", /^ERR_TUNDISH_RANK_LOST PE 1 threw TypeError: no source/],
  ["promised", /^ERR_TUNDISH_RANK_LOST PE \d threw UsageError: the handler go returned a promise/],
  ["differ", /^ERR_TUNDISH_MISMATCH .*calls of (go|stop)\(u32\)/],
  ["endless", /^ERR_TUNDISH_TIMEOUT .* 300 ms/],
  ["aborted", /^ERR_TUNDISH_ABORTED PE 0 aborted .*enough/],
  ["leaving", /^ERR_TUNDISH_RANK_LOST PE 1's thread ended with exit code 7/],
];

for (const [part, ending] of endings) {
  calls(`ends everywhere: ${part}`, async () => {
    let text = "nothing";
    try {
      await play(2, { part });
    } catch (error) {
      const { code, message } = error as { code: string; message: string };
      text = `${code} ${message}`;
    }
    assert.match(text, ending, text);
  });
}

calls("a call after the source has returned, by no handler, is refused", async () => {
  assert.equal(await play(2, { part: "late" }), ["STATE", "STATE"]);
});

calls.run();
