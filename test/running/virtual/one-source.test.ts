/** One program by threads, under mpirun and on virtual PEs: the same results. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";
import { eachMpi } from "../../machine/mpi/launchers.ts";
import { job } from "../../nodes/jobs.ts";
import { inTurn } from "../../nodes/some-of.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import program from "./programs/one-source.program.ts";

const file = sibling("./programs/one-source.program.js", import.meta.url);

const virtually = async (pes: number, nodes = 1): Promise<readonly unknown[]> =>
  (await simulateAsync({ pes, nodes, jitter: 2, memoryBytes: 2 ** 26 }, program)).results;

const one = suite("one source");
for (const pes of [1, 2, 4]) {
  one(`${pes} PEs: threads and virtual PEs`, async () => {
    assert.equal(await launchPooled(file, { pes, waitTimeout: 60_000 }), await virtually(pes));
  });
}
eachMpi(
  one,
  "2 + 2 PEs: nodes of a job and virtual ones",
  async (kind) => {
    const { code, said, text } = await job(kind, { program: file.href, pes: [2, 2], args: undefined });
    assert.is(code, 0, text);
    // what a node has said went through JSON
    const told = said.flatMap(({ results }) => results as unknown[]);
    assert.equal(told, JSON.parse(JSON.stringify(await virtually(4, 2))));
  },
  inTurn(0, "one source"),
);
one.run();
