/** The binding to MPI, under the launchers that there are: Open MPI's and MPICH's. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { testUnless } from "../../support/skip.ts";
import { EACH } from "./exchange-sizes.ts";
import { type Ended, KINDS, type Kind, mpiOf, mpirun, runLine, WORDS, whyNoMpi } from "./launchers.ts";

const PROGRAM = fileURLToPath(new URL("./exchange.program.js", import.meta.url));
const STAYS = fileURLToPath(new URL("../../../../test/machine/mpi/stays.c", import.meta.url));
const COMMAND = [process.execPath, PROGRAM];

/** Starts `ranks` processes by a launcher. */
const job = (kind: Kind, ranks: number, what: string, env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
  runLine([...mpirun(kind, ranks), ...COMMAND, what], env);

const LIBRARY: Readonly<Record<Kind, string>> = { "Open MPI": "libmpi.so.40", MPICH: "libmpich.so.12" };

for (const kind of KINDS) {
  const test = suite(`mpi, ${kind}`);
  const each = (name: string, body: () => Promise<void>) =>
    testUnless(test, whyNoMpi(kind), `${name} (${WORDS[kind]})`, body);

  each("bytes there and back, of all sizes, from any rank or a certain one, and in pieces", async () => {
    const { code, said, text } = await job(kind, 3, "exchange");
    assert.is(code, 0, text);
    assert.equal(said.map(({ rank }) => rank).sort(), [0, 1, 2]);
    for (const one of said) {
      assert.is(one.size, 3);
      assert.is(one.isMultiple, true);
      assert.equal(one.all, [0, 0, 1, 10, 2, 20]);
      assert.is(one.checked, 3 * EACH);
      assert.is(one.pieces, 3 * (999 + 1000 + 1001 + 3000 + 70_123 + 5 * 5));
      assert.is(one.yields, kind === "Open MPI" ? "1" : undefined);
      assert.match(String(one.version), kind === "Open MPI" ? /Open MPI v\d/ : /MPICH/);
    }
  });

  each("two workers of each process at the same time", async () => {
    const { code, said, text } = await job(kind, 2, "threads", { OMPI_MCA_mpi_yield_when_idle: "0" });
    assert.is(code, 0, text);
    assert.is(said.length, 2);
    for (const one of said) {
      assert.is(one.checked, 2 * 2 * EACH);
      // as the user says
      assert.is(one.yields, "0");
    }
  });

  each("a rank that there is not, and a second opening, are errors with a text", async () => {
    // how the job ends is not looked at: after an error MPI promises nothing (MPI 3.1, section 8.3), and MPICH crashes now and then
    const { said, text } = await job(kind, 2, "wrong");
    assert.is(said.length, 2, text);
    for (const one of said) {
      const [rank, again] = one.codes as string[];
      assert.match(rank, /^ERR_TUNDISH_MPI: MPI_Isend: .*rank/i);
      assert.match(again, /^ERR_TUNDISH_NO_MPI: MPI is open/);
      assert.is(one.active, 0);
    }
  });

  each("abort ends all ranks with its code", async () => {
    const { code, text } = await job(kind, 3, "abort");
    assert.is(code, 17, text);
  });

  each("without a launcher it is one rank; the library is open until the process has ended", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tundish-stays-"));
    try {
      const library = join(folder, "libstays.so");
      execFileSync(mpiOf(kind).compiler, ["-shared", "-fPIC", "-Wl,--no-as-needed", "-o", library, STAYS]);
      const { code, said, text } = await runLine([...COMMAND, "exchange"], { TUNDISH_LIBMPI: library });
      assert.is(code, 0, text);
      assert.is(said[0]?.size, 1);
      assert.match(text, /^still open$/m);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  const other = KINDS.find((one) => one !== kind) as Kind;
  testUnless(
    test,
    whyNoMpi(kind, other),
    `the launcher of ${kind} and the library of another are told (${WORDS[kind]})`,
    async () => {
      const { code, said } = await job(kind, 2, "exchange", { TUNDISH_LIBMPI: LIBRARY[other] });
      assert.is.not(code, 0);
      for (const one of said) {
        assert.is(one.code, "ERR_TUNDISH_NO_MPI");
        assert.match(String(one.message), /belong to different MPI installations/);
      }
      assert.ok(said.length > 0);
    },
  );
  test.run();
}

const none = suite("no mpi");

none("no library: what was looked for, and what to do", async () => {
  const { code, said } = await runLine([...COMMAND, "exchange"], {
    TUNDISH_LIBMPI: "/nowhere/libmpi.so",
  });
  assert.is(code, 3);
  assert.is(said[0]?.code, "ERR_TUNDISH_NO_MPI");
  assert.match(String(said[0]?.message), /\/nowhere\/libmpi\.so.*TUNDISH_LIBMPI/);
});

none("no native code", async () => {
  const { code, said } = await runLine([...COMMAND, "exchange"], { TUNDISH_NATIVE: "off" });
  assert.is(code, 3);
  assert.is(said[0]?.code, "ERR_TUNDISH_NO_MPI");
});

none.run();
