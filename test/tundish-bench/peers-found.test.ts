/** The C programs that ours is compared with: how they are found, and what is said when they are not. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findPeers, measurePeer } from "../../packages/tundish-bench/src/peers/peers.ts";
import { cleanEnvironment, findMpi, which } from "../../packages/tundish-bench/src/peers/tools.ts";
import { EnvironmentError } from "../../src/ground/base/errors.ts";
import { mpiOf } from "../machine/mpi/launchers.ts";
import { testUnless } from "../support/skip.ts";
import { both, clean, compiler, failure, volume } from "./peers-here.ts";

const folder = mkdtempSync(join(tmpdir(), "tundish-peers-found-"));
const test = suite("C peers found");
test.after(() => rmSync(folder, { recursive: true, force: true }));

testUnless(test, compiler, "gcc: the compiled programs are removed", async () => {
  const found = await findPeers();
  const { file } = found[0].commands([0, 1])[0];
  assert.ok(existsSync(file));
  await found[Symbol.asyncDispose]();
  assert.not.ok(existsSync(dirname(file)));
  assert.match((await failure(measurePeer(found[0], [0, 1], volume))).message, "cannot be started");
});

test("tells what is missing and which packages have it", async () => {
  for (const env of [{}, { PATH: "" }, { PATH: folder }]) {
    const found = await findPeers(env);
    assert.is(found.length, 6);
    for (const peer of found) {
      assert.match(peer.missing ?? "", "PATH; apt-get install gcc ");
      const error = await failure(measurePeer(peer, [0, 1], volume));
      assert.instance(error, EnvironmentError);
      assert.match(error.message, `${peer.name} cannot be measured: `);
    }
    const packages = ["gcc libc6-dev", "libgomp1", "libgomp1", "openmpi-bin", "libopenmpi-dev", "libmpich-dev"];
    for (const [index, name] of packages.entries()) assert.match(found[index].missing ?? "", name);
    await found[Symbol.asyncDispose]();
  }
});

/** A folder with scripts that answer as told. */
function fakes(name: string, scripts: Record<string, string>): string {
  const place = join(folder, name);
  mkdirSync(place);
  for (const [file, text] of Object.entries(scripts)) {
    writeFileSync(join(place, file), `#!/bin/sh\n${text}\n`);
    chmodSync(join(place, file), 0o755);
  }
  return place;
}

test("a compiler that fails is a reason, not an error", async () => {
  const PATH = fakes("failing", { gcc: 'echo "flags.c:1: fatal error: no stdio.h" >&2; exit 1' });
  const found = await findPeers({ PATH });
  assert.match(found[0].missing ?? "", "flags.c does not compile here");
  assert.match(found[0].missing ?? "", "no stdio.h");
  assert.match(found[0].missing ?? "", "apt-get install gcc libc6-dev");
  await found[Symbol.asyncDispose]();
});

test("a plain mpicc is asked whose it is", async () => {
  const unknown = 'echo "unrecognized option" >&2; exit 1';
  const open = fakes("open", {
    mpicc: `case "$1" in --showme:version) echo "mpicc: Open MPI 5.0.7 (Language: C)";; *) ${unknown};; esac`,
    mpirun: "",
  });
  const other = fakes("other", {
    mpicc: `case "$1" in -v) echo "mpicc for MPICH version 4.2.1";; *) ${unknown};; esac`,
    mpirun: "",
  });
  const alone = fakes("alone", { mpicc: 'echo "mpicc: Open MPI 5.0.7 (Language: C)"' });
  const place = (PATH: string, version: string) => ({
    compiler: join(PATH, "mpicc"),
    launcher: join(PATH, "mpirun"),
    version,
  });
  assert.equal(await findMpi("Open MPI", { PATH: open }), place(open, "5.0.7"));
  assert.is(await findMpi("MPICH", { PATH: open }), null);
  assert.equal(await findMpi("MPICH", { PATH: other }), place(other, "4.2.1"));
  assert.is(await findMpi("Open MPI", { PATH: other }), null);
  assert.is(await findMpi("Open MPI", { PATH: alone }), null, "no launcher");
});

for (const [name, tool, missing] of both) {
  testUnless(test, missing, `${tool}: is found under the plain names too`, async () => {
    const real = mpiOf(name);
    const place = fakes(`plain-${tool}`, {});
    symlinkSync(real.compiler as string, join(place, "mpicc"));
    symlinkSync(real.launcher as string, join(place, "mpirun"));
    symlinkSync(which("gcc", clean) as string, join(place, "gcc"));
    const found = await findMpi(name, { ...clean, PATH: place });
    assert.is(found?.version, real.version);
    assert.is(found?.launcher, join(place, "mpirun"));
  });
}

test("nothing but places is let through to the programs", () => {
  const env = {
    PATH: "/bin",
    HOME: "/h",
    OMPI_COMM_WORLD_SIZE: "4",
    OMP_NUM_THREADS: "1",
    HWLOC_XMLFILE: "x",
  };
  assert.equal(cleanEnvironment(env), { PATH: "/bin", HOME: "/h", LC_ALL: "C" });
});

test.run();
