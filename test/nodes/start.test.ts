/** How a world over nodes begins: with another MPI, without threads in it, bound to one core, and not at all. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/ground/base/package-file.ts";
import { readTopology } from "../../src/machine/topology/topology.ts";
import { eachMpi, type Kind, mpiOf } from "../machine/mpi/launchers.ts";
import { job } from "./jobs.ts";
import type { Order } from "./node.ts";

const program = sibling("./faults.program.js", import.meta.url).href;
const FINE: Order = { program, pes: [2, 1], args: "fine" };
const OTHER: Readonly<Record<Kind, string>> = { "Open MPI": "libmpich.so.12", MPICH: "libmpi.so.40" };

const start = suite("starts over nodes");

eachMpi(start, "an MPI that does not admit several threads is refused", async (kind) => {
  const folder = mkdtempSync(join(tmpdir(), "tundish-single-"));
  try {
    const source = fileURLToPath(new URL("../../../test/nodes/programs/single.c", import.meta.url));
    const library = join(folder, "libsingle.so");
    execFileSync(mpiOf(kind).compiler, ["-shared", "-fPIC", "-o", library, source]);
    const { code, said, text } = await job(kind, FINE, { TUNDISH_LIBMPI: library });
    assert.is(code, 3, text);
    assert.is(said.length, 2, text);
    for (const { error } of said) {
      assert.is(error?.code, "ERR_TUNDISH_NO_MPI");
      assert.match(error?.message ?? "", /MPI_THREAD_MULTIPLE/);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

eachMpi(start, "the library of another MPI than the launcher is refused", async (kind) => {
  const refused = () => job(kind, FINE, { TUNDISH_LIBMPI: OTHER[kind] });
  let { code, said, text } = await refused();
  // Open MPI begins a daemon for a process without its launcher; two at a time may fail, before they say anything
  if (text.includes("Unable to start a daemon")) ({ code, said, text } = await refused());
  assert.is.not(code, 0, text);
  for (const { error } of said) assert.is(error?.code, "ERR_TUNDISH_NO_MPI", text);
  assert.ok(said.length > 0, text);
});

eachMpi(start, "TUNDISH_MPI=off: each process is a world", async (kind) => {
  const { code, said, text } = await job(kind, FINE, { TUNDISH_MPI: "off" });
  assert.is(code, 0, text);
  assert.equal(
    said.map(({ results }) => results),
    [[2, 2], [1]],
  );
});

eachMpi(start, "one process under a launcher is a world of its own", async (kind) => {
  const { code, said, text } = await job(kind, { ...FINE, pes: [2] });
  assert.is(code, 0, text);
  assert.equal(said[0]?.results, [2, 2]);
});

const cpus = (await readTopology()).cpus.length;
eachMpi(start, "a process that is bound to one CPU of several is warned", async (kind) => {
  const options = kind === "Open MPI" ? ["--oversubscribe", "--bind-to", "core"] : ["-bind-to", "core"];
  const { code, said, text } = await job(kind, { ...FINE, pes: [1, 1] }, {}, options);
  assert.is(code, 0, text);
  const warnings = said.flatMap(({ warning }) => warning ?? []);
  assert.is(warnings.length, cpus > 1 ? 2 : 0, text);
  for (const warning of warnings) {
    assert.is(warning.code, "TUNDISH_BOUND");
    assert.match(warning.message, /--bind-to none/);
  }
});
start.run();
