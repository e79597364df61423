/** Channels between PEs of several nodes: as within one. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { eachMpi } from "../../machine/mpi/launchers.ts";
import { job } from "../../nodes/jobs.ts";
import { inTurn } from "../../nodes/some-of.ts";
import { rounds } from "../../support/long.ts";
import type { Args } from "./programs/streams.program.ts";

const program = sibling("./programs/streams.program.js", import.meta.url).href;
const test = suite("channels over nodes");
const first = Math.floor(Math.random() * 2 ** 30);

/** By MPI with MPICH, through mapped memory with Open MPI (jobs.ts): both ways, or one of them in a plain run. */
for (const [pes, forms, count, kinds] of [
  [[1, 2], "try", rounds(3, 500), inTurn(0, "streams")],
  [[1, 1], "blocking", rounds(10, 500), inTurn(1, "streams")],
  [[2, 1, 1], "async", rounds(2, 100), inTurn(0, "streams")],
] as const) {
  eachMpi(
    test,
    `nodes with ${pes.join(", ")} PEs, ${forms} forms`,
    async (kind) => {
      const args: Args = { first, count, more: { forms } };
      const { said, code, text } = await job(kind, { program, pes, args, timeout: 80_000 });
      assert.is(code, 0, `seed ${first}: ${text}`);
      const all = said.flatMap(({ results }) => results as [number, number][]);
      assert.is(
        all.length,
        pes.reduce<number>((sum, one) => sum + one, 0),
      );
      const [sent, received] = [0, 1].map((i) => all.reduce((sum, one) => sum + (one[i] as number), 0));
      assert.is(sent, received, `seed ${first}`);
      assert.ok(sent > count, `seed ${first}: ${sent} messages`);
    },
    kinds,
  );
}
test.run();
