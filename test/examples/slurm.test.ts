/** examples/slurm/job.sh, as a job of a Slurm of two nodes: by srun and by mpirun, with both MPIs. */
import { join } from "node:path";
import { type Callback, suite } from "uvu";
import * as assert from "uvu/assert";
import { type Kind, ROOT, WORDS, whyNoMpi } from "../machine/mpi/launchers.ts";
import { root } from "../support/paths.ts";
import { testUnless } from "../support/skip.ts";
import { type Ended, Slurm, whyNoSlurm } from "./support/slurm.ts";

const NODES = ["n1", "n2"];
const PROGRAM = join(root, "dist/examples/gradient-descent.js");
const noSlurm = whyNoSlurm();
const slurm = suite("a job of Slurm");

let started: Slurm | undefined;
if (noSlurm === null) {
  slurm.before(async () => {
    started = await Slurm.start(NODES);
  });
  slurm.after(() => started?.[Symbol.asyncDispose]());
}

/** Submits job.sh for both nodes, which send to each other by MPI, as on machines of their own. */
function submit(launcher: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const script = [join(root, "examples/slurm/job.sh"), PROGRAM, ...args];
  const env = {
    ...ROOT,
    LAUNCHER: launcher,
    TUNDISH: join(root, "dist"),
    TUNDISH_MAP_NODES: "off",
    MODELS: "/nowhere",
    // interfaces of other tests come and go
    OMPI_MCA_btl_tcp_if_include: "lo",
    ...more,
  };
  return (started as Slurm).submit(["--nodes=2", "--time=2"], script, env);
}

const ifKind = (kind: Kind, name: string, body: Callback) =>
  testUnless(slurm, noSlurm ?? whyNoMpi(kind), `${name} (slurm, ${WORDS[kind]})`, body);

for (const [launcher, kind] of [
  ["pmix", "Open MPI"],
  ["pmi2", "MPICH"],
  ["openmpi", "Open MPI"],
  ["mpich", "MPICH"],
] as const) {
  ifKind(kind, `two nodes are one world: ${launcher}`, async () => {
    const words = ["--size", "200", "--steps", "10", "--turns", "1"];
    const { code, text } = await submit(launcher, words, { MPIRUN: `mpirun.${launcher}` });
    assert.is(code, 0, text);
    const [, seconds = ""] = text.match(`^2 nodes: n\\[1-2\\], by ${launcher}, at most (\\d+) s\n`) ?? [];
    assert.ok(Number(seconds) > 30 && Number(seconds) <= 90, text);
    assert.is(text.match(/name: 'gradient-descent'/g)?.length, 1, text);
    assert.match(text, /checked: true/);
  });
}

ifKind("Open MPI", "the job's exit code is that of the run", async () => {
  const { code, text } = await submit("pmix", ["--size", "many"]);
  assert.is(code, 2, text);
  assert.match(text, /--size: expected a whole number from \d+ to \d+, got many/);
});

testUnless(slurm, noSlurm, "an unknown launcher is refused (slurm)", async () => {
  const { code, text } = await submit("mpi", []);
  assert.is(code, 2, text);
  assert.match(text, /LAUNCHER: expected pmix, pmi2, openmpi or mpich, got mpi/);
});
slurm.run();
