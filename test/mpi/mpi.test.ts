/** The binding to MPI, under the launchers that there are: Open MPI's and MPICH's. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findMpi } from "../../microbench/peers/tools.ts";

const PROGRAM = fileURLToPath(new URL("./exchange.program.js", import.meta.url));
const KINDS = ["Open MPI", "MPICH"] as const;
type Kind = (typeof KINDS)[number];

/** What Open MPI wants of root, of more ranks than cores, and of rank that is bound to one core. */
const ALLOW = { OMPI_ALLOW_RUN_AS_ROOT: "1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1" };
const OPTIONS: Readonly<Record<Kind, readonly string[]>> = {
  "Open MPI": ["--oversubscribe", "--bind-to", "none"],
  MPICH: [],
};
const DEADLINE_MS = 60_000;

interface Ended {
  readonly code: number;
  /** Lines of JSON. */
  readonly said: readonly Record<string, unknown>[];
  readonly text: string;
}

function run(file: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...ALLOW, ...env }, timeout: DEADLINE_MS };
    const child = execFile(file, [...args], options, (_error, stdout, stderr) => {
      const said = stdout
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      resolve({ code: child.exitCode ?? -1, said, text: stdout + stderr });
    });
  });
}

const mpis = new Map<Kind, string>();
for (const kind of KINDS) {
  const found = await findMpi(kind, process.env);
  if (found !== null) mpis.set(kind, found.launcher);
}

/** Starts `ranks` processes by a launcher. */
const job = (kind: Kind, ranks: number, what: string, env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
  run(
    mpis.get(kind) as string,
    [...OPTIONS[kind], "-n", String(ranks), process.execPath, PROGRAM, what],
    env,
  );

const LIBRARY: Readonly<Record<Kind, string>> = { "Open MPI": "libmpi.so.40", MPICH: "libmpich.so.12" };

for (const kind of KINDS) {
  const test = suite(`mpi, ${kind}`);
  const label = kind === "Open MPI" ? "openmpi" : "mpich";
  const each = mpis.has(kind) ? test : test.skip;
  const name = (text: string) => `${text} (${label})`;

  each(name("bytes there and back, of all sizes, from any rank or a certain one"), async () => {
    const { code, said, text } = await job(kind, 3, "exchange");
    assert.is(code, 0, text);
    assert.equal(said.map(({ rank }) => rank).sort(), [0, 1, 2]);
    for (const one of said) {
      assert.is(one.size, 3);
      assert.is(one.isMultiple, true);
      assert.equal(one.all, [0, 0, 1, 10, 2, 20]);
      assert.ok((one.checked as number) > 3 * 5 * 1_048_576);
      assert.match(String(one.version), kind === "Open MPI" ? /Open MPI v\d/ : /MPICH/);
    }
  });

  each(name("two workers of each process at the same time"), async () => {
    const { code, said, text } = await job(kind, 2, "threads");
    assert.is(code, 0, text);
    assert.is(said.length, 2);
    for (const one of said) assert.ok((one.checked as number) > 2 * 2 * 5 * 1_048_576);
  });

  each(name("a rank that there is not, and a second opening, are errors with a text"), async () => {
    const { code, said, text } = await job(kind, 2, "wrong");
    assert.is(code, 0, text);
    assert.is(said.length, 2);
    for (const one of said) {
      const [rank, again] = one.codes as string[];
      assert.match(rank, /^ERR_TUNDISH_MPI: MPI_Isend: .*rank/i);
      assert.match(again, /^ERR_TUNDISH_NO_MPI: MPI is open/);
      assert.is(one.active, 0);
    }
  });

  each(name("abort ends all ranks with its code"), async () => {
    const { code, text } = await job(kind, 3, "abort");
    assert.is(code, 17, text);
  });

  each(name("without a launcher it is one rank"), async () => {
    const { code, said, text } = await run(process.execPath, [PROGRAM, "exchange"], {
      TUNDISH_LIBMPI: LIBRARY[kind],
    });
    assert.is(code, 0, text);
    assert.is(said[0]?.size, 1);
  });

  const other = KINDS.find((one) => one !== kind) as Kind;
  (mpis.has(kind) && mpis.has(other) ? test : test.skip)(
    name(`the launcher of ${kind} and the library of another are told (openmpi, mpich)`),
    async () => {
      const { code, said } = await job(kind, 2, "exchange", { TUNDISH_LIBMPI: LIBRARY[other] });
      assert.is.not(code, 0);
      for (const one of said) {
        assert.is(one.code, "ERR_TUNDISH_NO_MPI");
        assert.match(String(one.message), /not of the same MPI/);
      }
      assert.ok(said.length > 0);
    },
  );
  test.run();
}

const none = suite("no mpi");

none("no library: what was looked for, and what to do", async () => {
  const { code, said } = await run(process.execPath, [PROGRAM, "exchange"], {
    TUNDISH_LIBMPI: "/nowhere/libmpi.so",
  });
  assert.is(code, 3);
  assert.is(said[0]?.code, "ERR_TUNDISH_NO_MPI");
  assert.match(String(said[0]?.message), /\/nowhere\/libmpi\.so.*TUNDISH_LIBMPI/);
});

none("no native code", async () => {
  const { code, said } = await run(process.execPath, [PROGRAM, "exchange"], { TUNDISH_NATIVE: "off" });
  assert.is(code, 3);
  assert.is(said[0]?.code, "ERR_TUNDISH_NO_MPI");
});

none.run();
