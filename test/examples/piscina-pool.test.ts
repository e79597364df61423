/** examples/piscina-pool.ts as a process of its own: the pool, its errors, and its compute part without a pool. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { eachMpi, KINDS, mpirun, runLine } from "../machine/mpi/launchers.ts";
import { LONG } from "../support/long.ts";
import { root } from "../support/paths.ts";

const exec = promisify(execFile);
const SMALL = ["--size", "100", "--steps", "5", "--turns", "1"];
const built = join(root, "dist/examples/piscina-pool.js");

/** How it ends: exit code, and both streams. */
const end = (...command: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
  exec(process.execPath, command, { cwd: root, timeout: 60_000 }).then(
    (output) => ({ code: 0, ...output }),
    (error) => error,
  );

const pool = suite("example piscina-pool, with its pool");

pool("the threads of the pool are PEs, then take other tasks, while the main thread is free", async () => {
  const { code, stdout, stderr } = await end(built, ...SMALL, "--json");
  assert.is(code, 0, stderr);
  const report = JSON.parse(stdout);
  assert.is(report.checked, true);
  assert.ok(report.pes >= 1);
  assert.is(report["tasks afterwards"], 3);
  assert.match(report["main thread"], /^[1-9]\d* beats of a timer of 10 ms, at most \d+ ms apart$/);
});

pool("from its TypeScript, by tsx", async () => {
  const tsx = join(root, "node_modules/tsx/dist/cli.mjs");
  const { code, stdout, stderr } = await end(tsx, join(root, "examples/piscina-pool.ts"), ...SMALL);
  assert.is(code, 0, stderr);
  assert.match(stdout, /^piscina-pool on \d+ PEs: size 100: .*\n.*tasks afterwards 3\n/s);
});

pool("a task that throws ends the others' waits with an error that names its PE", async () => {
  const { code, stdout, stderr } = await end(built, ...SMALL, "--fail");
  assert.equal([code, stdout], [1, ""]);
  const errors = stderr.trim().split("\n");
  const last = errors.length - 1;
  assert.is(errors[last], `PE ${last}: PE ${last} was told to fail`);
  errors.slice(0, last).forEach((error, rank) => {
    assert.match(error, new RegExp(`^PE ${rank}: PE ${last} has left .*\\[ERR_TUNDISH_RANK_LOST\\]$`));
  });
});

pool("wrong options: exit code 2 and one line", async () => {
  const { code, stderr } = await end(built, "--size", "many");
  assert.is(code, 2);
  assert.match(stderr, /^--size: expected a whole number from \d+ to \d+, got many.*\n$/);
});

// its own main would make a pool in each process
const kinds = LONG ? KINDS : KINDS.slice(0, 1);
eachMpi(
  pool,
  "its compute part over two nodes, by tundish run",
  async (kind) => {
    const line = [process.execPath, "dist/lib/main.js", "run", built, "-n", "1", "--", ...SMALL];
    const { code, text } = await runLine([...mpirun(kind, 2), ...line]);
    assert.is(code, 0, text);
    assert.match(text, /name: 'piscina-pool',\s*pes: 2/);
    assert.match(text, /checked: true/);
  },
  kinds,
);
pool.run();
