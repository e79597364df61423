/** Events of the chunks that PEs send, and by them: no receiver has two senders where that is promised. On threads and over nodes. */
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import { eachMpi } from "../../machine/mpi/launchers.ts";
import { job } from "../../nodes/jobs.ts";
import { inTurn } from "../../nodes/some-of.ts";
import { rounds } from "../../support/long.ts";
import { launchPooled } from "../../support/thread-pool.ts";

const program = sibling("./programs/observed.program.js", import.meta.url);

const test = suite("observed exchanges");

for (const pes of [3, 4]) {
  test(`one sender at each receiver, ${pes} PEs on threads`, async () => {
    for (let round = 0; round < rounds(1, 200); round++) {
      assert.equal(await launchPooled<number>(program, { pes, waitTimeout: 60_000 }), Array(pes).fill(10));
    }
  });
}

for (const [i, pes] of [
  [1, 1, 1],
  [2, 1],
].entries()) {
  eachMpi(
    test,
    `one sender at each receiver, nodes with ${pes.join(", ")} PEs`,
    async (kind) => {
      const order = { program: program.href, pes, args: {}, timeout: 60_000 };
      const { said, code, text } = await job(kind, order);
      assert.is(code, 0, text);
      assert.equal(
        said.map(({ results }) => results?.length),
        pes,
        text,
      );
    },
    inTurn(i),
  );
}

test("a trace has the chunks of exchanges", async () => {
  const trace = join(tmpdir(), `tundish-trace-${process.pid}.json`);
  try {
    await launch(program, { pes: 3, trace, timeout: 60_000 });
    const { traceEvents } = JSON.parse(readFileSync(trace, "utf8")) as {
      traceEvents: { cat?: string; name: string; tid: number; dur: number; args: { bytes: number } }[];
    };
    const chunks = traceEvents.filter(({ cat }) => cat === "exchange");
    // of each discipline: PE 0 sends 4, the others 4 and 2
    assert.is(chunks.length, 10 * (4 + 6 + 6));
    for (const { name, tid, dur, args } of chunks) {
      assert.match(name, /^to [012]$/);
      assert.not(name.endsWith(`${tid}`));
      assert.ok(dur >= 0 && args.bytes > 60_000);
    }
  } finally {
    rmSync(trace, { force: true });
  }
});

test.run();
