/** How processes of a job exit: after a node was lost, in the middle of a world, and with a worker that would launch. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/ground/base/package-file.ts";
import { eachMpi, type Kind, mpiOf, whyNoMpi } from "../machine/mpi/launchers.ts";
import { type Ended, job } from "./jobs.ts";
import { oneOf } from "./some-of.ts";

const program = sibling("./faults.program.js", import.meta.url).href;
const exits = suite("exits over nodes");

/** A node that stops, and one that handles that. Runs while the other tests do: it waits 15 s for the launcher. */
let lost: Promise<Ended>;
/** The last node ends later than one may be silent; the others have left by then. Also beside the other tests. */
let late: Promise<Ended>;
exits.before(() => {
  const slow = { program, pes: [1, 1, 1], args: "ends late" } as const;
  if (whyNoMpi("Open MPI") === null) late = job("Open MPI", slow, { TUNDISH_NODE_TIMEOUT: "6000" });
});
exits.before(() => {
  const order = { program, pes: [1, 1], args: "beats", odd: { 0: "handles it", 1: "stops" } } as const;
  if (whyNoMpi("Open MPI") === null) lost = job("Open MPI", order, { TUNDISH_NODE_TIMEOUT: "1500" });
});

eachMpi(
  exits,
  "process.exit(0) in the middle of a world: MPI is closed when no PE uses it any more",
  async (kind) => {
    const folder = mkdtempSync(join(tmpdir(), "tundish-finalize-"));
    try {
      const source = fileURLToPath(new URL("../../../test/nodes/programs/finalize.c", import.meta.url));
      const library = join(folder, "libfinalize.so");
      execFileSync(mpiOf(kind).compiler, ["-shared", "-fPIC", "-o", library, source]);
      const order = { program, pes: [1, 2], args: "never calls", odd: { 1: "exits in it" } } as const;
      const { said, text } = await job(kind, order, { TUNDISH_LIBMPI: library });
      assert.is(said[0]?.error?.code, "ERR_TUNDISH_RANK_LOST", text);
      assert.match(text, /^closed$/m);
      assert.not.match(text, /during MPI_Finalize/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  // MPICH's is left open where its launcher can be told the same
  ["Open MPI"],
);

const worker = "a worker does not launch, and the main thread does so afterwards";
const inWorker = async (kind: Kind): Promise<void> => {
  const order = { program, pes: [1, 1], args: "fine", odd: { 0: "in a worker", 1: "in a worker" } } as const;
  const { code, said, text } = await job(kind, order);
  assert.is(code, 0, text);
  assert.is(said.length, 4, text);
  for (const { error } of said.filter((one) => one.results === undefined)) {
    assert.is(error?.code, "ERR_TUNDISH_USAGE", text);
    assert.match(error?.message ?? "", /^launch: expected the main thread .* TUNDISH_MPI=off/);
  }
  for (const { results } of said.filter((one) => one.error === undefined)) assert.equal(results, [2]);
};
// what the launcher does not see
eachMpi(exits, worker, inWorker, oneOf("MPICH"));

eachMpi(
  exits,
  "a node is lost, and the program handles that: the process ends all the same, with exit code 0",
  async () => {
    const { said, ms, text } = await lost;
    assert.is(said[0]?.error?.code, "ERR_TUNDISH_RANK_LOST", text);
    assert.ok(ms < 60_000, `${ms} ms: ${text}`);
  },
  // that of MPICH waits for the process that is stopped
  ["Open MPI"],
);

eachMpi(
  exits,
  "nodes that have left hear from one that works on for longer than a node may be silent",
  async () => {
    const { code, said, text } = await late;
    assert.is(code, 0, text);
    assert.equal(
      said.map(({ error }) => error?.message),
      [undefined, undefined, undefined],
      text,
    );
  },
  ["Open MPI"],
);
exits.run();
