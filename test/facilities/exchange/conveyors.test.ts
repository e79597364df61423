/** Conveyors under disciplines on threads: the contract, and what waits elsewhere. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { TimeoutError } from "../../../src/ground/base/errors.ts";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { CONVEYOR_DISCIPLINES } from "../../../src/route/geometry/options.ts";
import { LONG, rounds } from "../../support/long.ts";
import { drawn } from "../../support/sample.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import type { Args as MatrixArgs } from "../conveyor/programs/matrix.program.ts";
import type { Args } from "./programs/conveyors.program.ts";
import { disciplinedCases } from "./support/conveyors.ts";

const matrix = sibling("../conveyor/programs/matrix.program.js", import.meta.url);
const program = sibling("./programs/conveyors.program.js", import.meta.url);
const run = (pes: number, args: Args) => launchPooled<number>(program, { pes, args, waitTimeout: 60_000 });

const test = suite("conveyors under disciplines on threads");

const NAMES = CONVEYOR_DISCIPLINES.filter((name) => name !== "eager");
for (const [world, pes] of [2, 4, 6].entries()) {
  test(`the contract, ${pes} PEs`, async () => {
    const all = NAMES.flatMap(disciplinedCases);
    const isThere = ({ options }: (typeof all)[number]) => pes % (options.groupSize ?? 1) === 0;
    // a plain run has each discipline, and each case of one or another, in three of four runs
    const cases = all.filter((one, i) => isThere(one) && (LONG || (i + drawn(4, "contract")) % 4 === world));
    const args: MatrixArgs = { cases, volume: { count: rounds(20, 100), sessions: 2 } };
    assert.is((await launchPooled(matrix, { pes, args, heapBytes: 2 ** 24, waitTimeout: 60_000 })).length, pes);
  });
}

for (const discipline of ["token", "dynamic"] as const) {
  test(`many sessions, ${discipline}`, async () => {
    const sessions = rounds(20, 5000);
    assert.equal(await run(3, { part: "sessions", discipline, sessions }), [sessions, sessions, sessions]);
  });
}

for (const discipline of ["token", "dynamic", "barrier", "request-token"] as const) {
  test(`PEs that wait elsewhere pass on what others wait for, ${discipline}`, async () => {
    assert.equal(await run(3, { part: "elsewhere", discipline, sessions: 3 }), [9, 9, 9]);
  });
  test(`steady, ${discipline}`, async () => {
    assert.equal(await run(3, { part: "steady", discipline, sessions: 3 }), [6, 6, 6]);
  });
}

for (const discipline of ["token", "dynamic", "barrier"] as const) {
  for (const [what, limits, world] of [
    ["its timeout", { timeout: 300 }, {}],
    ["the limit of waits", {}, { waitTimeout: 300 }],
  ] as const) {
    test(`a PE that is never done ends at ${what}, ${discipline}`, async () => {
      const args: Args = { part: "never", discipline, sessions: 1, ...limits };
      const error = await launchPooled(program, { pes: 2, args, waitTimeout: 60_000, ...world }).then(
        () => null,
        (reason: unknown) => reason,
      );
      assert.instance(error, TimeoutError);
    });
  }
}

test("awaited", async () => {
  assert.equal(await run(3, { part: "awaited", discipline: "token", sessions: 3 }), [30, 30, 30]);
});

test("groups, and what is freed", async () => {
  assert.equal(await run(4, { part: "groups", discipline: "token", sessions: 3 }), [6, 6, 6, 6]);
});

test.run();
