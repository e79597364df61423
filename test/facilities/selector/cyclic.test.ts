/** Selectors that end by quiescence: the same program on threads, in jobs of MPI and on virtual PEs. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";
import { eachMpi, type Kind } from "../../machine/mpi/launchers.ts";
import { job } from "../../nodes/jobs.ts";
import { inTurn } from "../../nodes/some-of.ts";
import { LONG, rounds } from "../../support/long.ts";
import { drawn } from "../../support/sample.ts";
import { testInTurn } from "../../support/test-in-turn.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import program, { type Args } from "./cyclic.program.ts";

const file = sibling("./cyclic.program.js", import.meta.url);
const cyclic = suite("cyclic selectors");

const ROUNDS = rounds(2, 400);
const ARGS: readonly Args[] = [
  { part: "search", seed: 1 },
  { part: "search", seed: 2, options: { hops: 2 } },
  { part: "search", seed: 3, options: { buffersPerLink: 1 } },
  { part: "search", seed: 4, options: { discipline: "token" } },
  { part: "search", seed: 5, options: { type: "trivial" } },
  ...Array.from({ length: ROUNDS }, (_, i): Args => ({ part: "search", seed: 6 + i })),
];

/** In jobs, where PEs that look for messages take the CPUs from each other: one of three in a plain run. */
const FEW = LONG ? ARGS.slice(0, 3) : [ARGS[drawn(3, "search")] as Args];

for (const pes of [1, 2, 4]) {
  testInTurn<Args>(cyclic, file, pes, [
    ...ARGS.map((args) => [JSON.stringify(args), args, 0] as const),
    ["blocking", { part: "blocking", seed: 1 }, 0],
    ["no room", { part: "blocking", seed: 2, options: { bufferBytes: 64, buffersPerLink: 1 } }, 0],
  ]);
}

cyclic("on virtual PEs", async () => {
  for (const [pes, nodes] of [
    [3, 1],
    [8, 4],
  ] as const) {
    const { results } = await simulateAsync({ pes, nodes, jitter: 2, memoryBytes: 2 ** 26, args: ARGS }, program);
    assert.equal(results, new Array(pes).fill(new Array(ARGS.length).fill(0)));
  }
});

/** With one MPI in a plain run. */
const overNodes = async (kind: Kind): Promise<void> => {
  const { code, said, text } = await job(kind, { program: file.href, pes: [2, 2], args: FEW });
  assert.is(code, 0, text);
  const told = said.flatMap(({ results }) => results as unknown[]);
  assert.equal(told, new Array(4).fill(new Array(FEW.length).fill(0)));
};
// the other one than that of calls (calls.test.ts)
eachMpi(cyclic, "2 + 2 PEs over nodes", overNodes, inTurn(1, "calls"));

for (const [part, ending] of [
  ["throwing", /^ERR_TUNDISH_RANK_LOST PE 0 threw TypeError: twenty/],
  ["exiting", /^ERR_TUNDISH_RANK_LOST PE 1's thread ended with exit code 7/],
  ["endless", /^ERR_TUNDISH_TIMEOUT .* 300 ms/],
] as const) {
  cyclic(`ends everywhere: ${part}`, async () => {
    let text = "nothing";
    try {
      await launchPooled(file, { pes: 2, args: { part, seed: 1 }, waitTimeout: 30_000 });
    } catch (error) {
      const { code, message } = error as { code: string; message: string };
      text = `${code} ${message}`;
    }
    assert.match(text, ending, text);
  });
}

cyclic.run();
