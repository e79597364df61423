/**
 * Libraries with the standard binary interface of MPI 5. None is in Debian, so a library of our own (abi.c) puts that
 * interface over each MPI that there is; whole worlds send, sum and use windows through it.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { everyKindAndOp } from "../../collectives/support/cases.ts";
import type { Args } from "../../facilities/append/programs/nodes.program.ts";
import { job } from "../../nodes/jobs.ts";
import { inTurn, someOf } from "../../nodes/some-of.ts";
import { EACH } from "./exchange-sizes.ts";
import { eachMpi, type Kind, mpiOf, mpirun, runLine } from "./launchers.ts";

const SOURCE = fileURLToPath(new URL("../../../../test/machine/mpi/abi.c", import.meta.url));
const EXCHANGE = sibling("./exchange.program.js", import.meta.url).pathname;
const collectives = sibling("../../collectives/programs/every.program.js", import.meta.url).href;
const windows = sibling("../../facilities/append/programs/nodes.program.js", import.meta.url).href;
const CALLS = ["barrier", "broadcast", "allreduce"];

const test = suite("the standard interface of MPI");
const folder = mkdtempSync(join(tmpdir(), "tundish-abi-"));
test.after(() => rmSync(folder, { recursive: true }));

/** Settings for a library over an MPI, made once. */
const made = new Map<Kind, NodeJS.ProcessEnv>();
function over(kind: Kind): NodeJS.ProcessEnv {
  const known = made.get(kind);
  if (known !== undefined) return known;
  // it is known by its name
  const library = join(mkdtempSync(join(folder, "lib-")), "libmpi_abi.so.1");
  execFileSync(mpiOf(kind).compiler, ["-shared", "-fPIC", "-Wl,--no-as-needed", "-o", library, SOURCE]);
  const settings = { TUNDISH_LIBMPI: library };
  made.set(kind, settings);
  return settings;
}

eachMpi(test, "bytes there and back, from any rank or a certain one, in pieces; whose library it is", async (kind) => {
  const line = [...mpirun(kind, 2), process.execPath, EXCHANGE, "exchange"];
  const { code, said, text } = await runLine(line, over(kind));
  assert.is(code, 0, text);
  assert.is(said.length, 2);
  for (const one of said) {
    assert.is(one.checked, 2 * EACH);
    assert.is(one.pieces, 2 * (999 + 1000 + 1001 + 3000 + 70_123 + 5 * 5));
    assert.is(one.isMultiple, true);
    assert.is(one.yields, kind === "Open MPI" ? "1" : undefined);
  }
});

eachMpi(
  test,
  "its own collectives, by communicators",
  async (kind) => {
    const cases = someOf(everyKindAndOp([1, 33, 128])).filter(({ call }) => CALLS.includes(call));
    const pes = [2, 1];
    const settings = { ...over(kind), TUNDISH_ALGORITHMS: CALLS.map((call) => `${call}=mpi`).join() };
    const args = { cases, arenaBytes: 2 ** 22 };
    const { code, said, text } = await job(kind, { program: collectives, pes, args, byMpi: true }, settings);
    assert.is(code, 0, text);
    assert.ok(cases.length > 10);
    assert.equal(
      said.map(({ results }) => results),
      pes.map((count) => Array(count).fill(cases.length)),
    );
  },
  inTurn(0, "standard"),
);

eachMpi(
  test,
  "windows",
  async (kind) => {
    const args: Args = { part: "in groups at once", transport: "sender" };
    const order = { program: windows, pes: [1, 1, 2], args, byMpi: true, timeout: 60_000 };
    const { code, said, text } = await job(kind, order, over(kind));
    assert.is(code, 0, text);
    assert.equal(
      said.flatMap(({ results }) => results),
      Array(4).fill(true),
    );
  },
  inTurn(1, "standard"),
);

test.run();
