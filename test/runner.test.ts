/** test/run.mjs itself: what it is told is checked before any test runs. */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { root } from "./support/paths.ts";

/** Runs no test: no file has such a name. */
const run = (words: string): ReturnType<typeof spawnSync> =>
  spawnSync(process.execPath, [join(root, "test/run.mjs"), "no such test"], {
    env: { ...process.env, TUNDISH_TEST_REQUIRE: words },
    encoding: "utf8",
  });

const runner = suite("runner");

runner("a word that no skip carries is refused: it would require nothing", () => {
  for (const [words, told] of [
    ["hwlok", "got hwlok"],
    ["hwloc,open-mpi,mpich,GCC", "got open-mpi, GCC"],
  ]) {
    const { status, stdout, stderr } = run(words);
    assert.is(status, 2);
    assert.is(stdout, "");
    assert.is(
      stderr,
      `TUNDISH_TEST_REQUIRE: expected some of hwloc, lstopo, gcc, clang, openmpi, mpich, iproute2, slurm, chromium, comma-separated; ${told}\n`,
    );
  }
});

runner("a deadline that is none is refused", () => {
  for (const seconds of ["soon", "0", "-1"]) {
    const { status, stderr } = spawnSync(process.execPath, [join(root, "test/run.mjs"), "no such test"], {
      env: { ...process.env, TUNDISH_TEST_DEADLINE: seconds },
      encoding: "utf8",
    });
    assert.is(status, 2);
    assert.is(stderr, `TUNDISH_TEST_DEADLINE: expected a number of seconds above 0; got ${seconds}\n`);
  }
});

runner("the words that there are, or none, are taken", () => {
  for (const words of ["", "gcc, hwloc", "hwloc,lstopo,gcc,openmpi,mpich,iproute2,slurm"]) {
    const { status, stdout, stderr } = run(words);
    assert.is(status, 1, "nothing was run");
    assert.match(stdout as string, /0 passed, 0 failed/);
    assert.is(stderr, "no test file has one of these in its name: no such test\n");
  }
});

runner("the files are run by the node that is told, with what stands before it", () => {
  const run = (command: string) =>
    spawnSync(process.execPath, [join(root, "test/run.mjs"), "ground/base/errors.test"], {
      env: { ...process.env, TUNDISH_TEST_NODE: command },
      encoding: "utf8",
    });
  const good = run(` env  ${process.execPath} `);
  assert.is(good.status, 0, good.stdout);
  assert.match(good.stdout, /^ok {3}ground\/base\/errors\.test/m);
  const bad = run("/no/such/emulator node");
  assert.is(bad.status, 1);
  assert.match(
    bad.stdout,
    /^FAIL ground\/base\/errors\.test[\s\S]*\/no\/such\/emulator ENOENT[\s\S]*0 passed, 1 failed/m,
  );
});

runner("what says how files share the machine names files that there are", async () => {
  const { KINDS, LONGEST } = (await import(join(root, "test/lanes.mjs"))) as {
    KINDS: Readonly<Record<string, readonly RegExp[]>>;
    LONGEST: readonly RegExp[];
  };
  const files = readdirSync(join(root, "dist/test"), { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".test.js"),
  );
  for (const pattern of [...Object.values(KINDS).flat(), ...LONGEST])
    assert.ok(
      files.some((file) => pattern.test(file)),
      String(pattern),
    );
});

runner.run();
