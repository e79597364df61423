/** Loops over nodes, of MPI jobs: what holds on one node holds there, and nodes that are done take from others. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { eachMpi } from "../../machine/mpi/launchers.ts";
import { job } from "../../nodes/jobs.ts";
import { inTurn } from "../../nodes/some-of.ts";
import { rounds } from "../../support/long.ts";
import { SEED } from "../../support/sample.ts";
import type { Args } from "./programs/nodes.program.ts";
import { playOf } from "./support/plays.ts";

const program = sibling("./programs/nodes.program.js", import.meta.url).href;
const test = suite("loops over nodes");
/** Of each of two jobs: on threads and on virtual PEs many more are played. */
const LOOPS = rounds(25, 20_000);
/** How many of them end with an error. */
const ERRORS = Array.from({ length: LOOPS }, (_, k) => playOf(SEED, k, 1)).filter(
  ({ throwsAt }) => throwsAt >= 0,
).length;

/** Of every job: reproducible results have the same bits whatever the nodes. */
const texts = new Set<unknown>();

for (const [pes, number] of [
  [[2, 1], 0],
  [[1, 2, 1], 1],
] as const) {
  eachMpi(
    test,
    `nodes with ${pes.join(", ")} PEs`,
    async (kind) => {
      const args: Args = { part: "all", seed: SEED, loops: LOOPS };
      const { said, code, text } = await job(kind, { program, pes, args, timeout: 120_000 });
      assert.is(code, 0, `seed ${SEED}: ${text}`);
      const all = said.flatMap(({ results }) => results as unknown[][]);
      const size = pes.reduce<number>((sum, count) => sum + count, 0);
      assert.is(all.length, size);
      assert.is(new Set(all.map((one) => one[6])).size, 1, text);
      for (const [errors, results, uneven, late, signalled, ran, located] of all) {
        assert.is(errors, ERRORS, `seed ${SEED}`);
        texts.add(results);
        assert.equal(uneven, [true, true]);
        assert.match(
          (late as string[])[0] as string,
          /^TimeoutError: forEach: expected the loop to end within 50 ms; n of \d iterations are over/,
        );
        assert.is((late as unknown[])[1], size);
        assert.is(signalled, "AbortedError");
        assert.is(ran, 64 * LOOPS);
        assert.match(located as string, /^at 40: true, \d \d+ \d+$/);
      }
      assert.is(texts.size, 1, [...texts].join("\n"));
      assert.match([...texts][0] as string, /,true,2999,2999,.*,true,"0,1,8,27,64",/);
    },
    inTurn(number),
  );
}

eachMpi(
  test,
  "a PE that is lost in its body ends the loop at all nodes",
  async (kind) => {
    const args: Args = { part: "lost", seed: SEED, loops: 0 };
    const { said, code, text } = await job(kind, { program, pes: [1, 2], args, timeout: 60_000 }, {}, undefined, 1);
    assert.is.not(code, 0, text);
    const errors = said.filter(({ error }) => error !== undefined);
    assert.ok(errors.length > 0, text);
    for (const { error } of errors) assert.is(error?.code, "ERR_TUNDISH_RANK_LOST", text);
  },
  inTurn(0, "lost"),
);

eachMpi(
  test,
  "another loop at another node is a mismatch",
  async (kind) => {
    const args: Args = { part: "mismatch", seed: SEED, loops: 0 };
    const { said, code, text } = await job(kind, { program, pes: [1, 1], args, timeout: 60_000 });
    assert.is.not(code, 0, text);
    for (const { error } of said) {
      assert.is(error?.code, "ERR_TUNDISH_MISMATCH", text);
      assert.match(error?.message as string, /forEach of 1[01] iterations/);
    }
  },
  inTurn(1, "mismatch"),
);

test.run();
