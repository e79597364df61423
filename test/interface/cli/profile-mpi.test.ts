/** `tundish profile` as a job of MPI, under the launchers that there are, with processes of this machine: structure, not speed. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { LONG_BYTES } from "../../../microbench/internode/internode.ts";
import { SIZES } from "../../../microbench/internode/tasks.ts";
import type { Internode } from "../../../src/machine/model/internode.ts";
import { parseMachine } from "../../../src/machine/model/schema.ts";
import { readProcessBinding } from "../../../src/machine/topology/affinity.ts";
import { KINDS, mpirun, ROOT, WORDS, whyNoMpi } from "../../machine/mpi/launchers.ts";
import { inTurn } from "../../nodes/some-of.ts";
import { LONG } from "../../support/long.ts";
import { testUnless } from "../../support/skip.ts";
import { type CliOptions, cli, codeOf, type Ended, emptyFolder } from "./support/cli.ts";

const VERSIONS = { "Open MPI": /^Open MPI v\d/, MPICH: /^MPICH Version: \d/ } as const;
const ENVIRONMENT = {
  ...ROOT,
  // Open MPI gives its processes a terminal
  NO_COLOR: "1",
};
const quick = ["--rounds", "50", "--budget", "300"];
const cpus = readProcessBinding() ?? [0];

/** How a job ended, all of it: the launcher of MPICH tells on stdout of a process that was killed. */
const textOf = ({ code, stdout, stderr }: Ended): string => `exit code ${code}: ${stderr}${stdout}`;

function checkInternode(internode: Internode | undefined, nodes: number, pes: readonly number[]): void {
  assert.ok(internode);
  assert.equal([internode.nodes, internode.machines, internode.unit], [nodes, 1, "ns"]);
  // where others use the CPUs, a long message may take as long as on a slow link, and larger ones are left out
  const { length } = internode.sizes ?? [];
  assert.equal(internode.sizes, SIZES.slice(0, length));
  assert.ok(length > SIZES.indexOf(LONG_BYTES), `${internode.sizes}`);
  const isAmount = (value: number) => Number.isFinite(value) && value >= 0;
  assert.equal(
    internode.pes?.map((one) => one.pes),
    pes,
  );
  for (const one of internode.pes ?? []) {
    for (const times of [one.latency, one.stream]) {
      assert.is(times.length, length);
      assert.ok(times.every((time) => time > 10));
      // a megabyte at no more than 500 GB/s. That it takes longer than a byte does not hold where others use the CPUs
      if (length === SIZES.length) assert.ok((times.at(-1) as number) > 2000, `${times}`);
    }
    assert.ok([one.alpha, one.beta, one.gap.message, one.gap.byte, one.overhead].every(isAmount));
    for (const { residual } of [one, one.gap, ...(one.pieces ?? [])]) {
      assert.ok(isAmount(residual.median) && residual.median <= residual.worst);
    }
  }
  assert.is(internode.alpha, internode.pes?.[0]?.alpha);
  assert.is(internode.beta, internode.pes?.[0]?.beta);
  for (const { time, busy } of internode.incast ?? []) assert.ok(busy > 0 && busy <= time, `${busy} of ${time}`);
  assert.is(internode.incast?.at(-1)?.senders, (nodes - 1) * (pes.at(-1) as number));
  for (const { bytes, time } of internode.bulk ?? []) assert.ok(bytes > LONG_BYTES && time > 100, `${time}`);
  assert.is(internode.bulk?.at(-1)?.senders, (nodes - 1) * (pes.at(-1) as number));
  assert.ok(internode.receiver && internode.receiver.fixed + internode.receiver.sender > 0);
  assert.ok(isAmount(internode.spread ?? -1));
}

for (const kind of KINDS) {
  const test = suite(`cli profile, ${kind}`);
  const missing = whyNoMpi(kind);
  const word = WORDS[kind];
  const job = (processes: number, args: readonly string[], more: CliOptions = {}): Promise<Ended> =>
    cli(["profile", ...quick, ...args], {
      ...more,
      launcher: mpirun(kind, processes),
      env: { ...ENVIRONMENT, ...more.env },
    });

  const pes = Math.min(2, cpus.length);
  // this under one MPI and the next under the other, in the long run both under both: they measure, and find out the same
  if (LONG || kind === "MPICH") {
    testUnless(test, missing, `2 processes of ${pes} PEs, as a document (${word})`, async () => {
      const cwd = emptyFolder();
      const two = await job(2, ["--json", "--keep-noisy", "--cpus", cpus.slice(0, pes).join()], { cwd });
      const { code, stdout, stderr } = two;
      assert.ok(code === 0 || code === 4, textOf(two));
      // one document, and nothing else: the other process is silent
      const model = parseMachine(JSON.parse(stdout));
      assert.is(model.pes.length, pes);
      checkInternode(model.internode, 2, pes === 1 ? [1] : [1, 2]);
      assert.match(model.internode?.library ?? "", VERSIONS[kind]);
      assert.equal(readdirSync(cwd), []);
      assert.is(stderr.match(/2 processes are on 1 machine/g)?.length, 1);
    });
  }

  if (LONG || kind === "Open MPI") {
    testUnless(test, missing, `3 processes: words, and the file; the third rests or sends (${word})`, async () => {
      const cwd = emptyFolder();
      const three = await job(3, ["-o", "c.json", "--cpus", `${cpus[0]}`], { cwd });
      const { code, stdout, stderr } = three;
      assert.ok(code === 0 || code === 4, textOf(three));
      const { internode } = parseMachine(JSON.parse(readFileSync(join(cwd, "c.json"), "utf8")));
      // what varies too much is left out, and what is kept without asking is fit to plan with
      const isRefused = /costs between nodes are left out of the model, as \d+ figures? varied/.test(stderr);
      assert.is(internode === undefined, isRefused, stderr);
      if (isRefused) assert.is(code, 4, textOf(three));
      else checkInternode(internode, 3, [1]);
      assert.is(internode?.noisy, undefined);
      for (const line of [/^Topology$/gm, /^Between nodes$/gm, /^3 nodes, a message of m bytes takes /gm]) {
        assert.is(stdout.match(line)?.length, 1, `${line} in ${stdout}`);
      }
      assert.match(stdout, /^1 PE a node /m);
      assert.match(stdout, /^latency, 1 PE a node /m);
      assert.match(stdout, /^2 senders /m);
      assert.match(stdout, /All on 1 machine: there MPI uses shared memory/);
      assert.is(stderr.match(/^wrote c\.json$/gm)?.length, 1);
    });
  }

  testUnless(test, missing, `a process that fails ends the job with its exit code (${word})`, async () => {
    const { code, stdout, stderr } = await job(2, ["--json", "--cpus", "99999"]);
    assert.is(code, 2, stderr);
    // nothing where the second process was quicker to end the job
    if (stdout !== "") assert.is(codeOf(stdout), "ERR_TUNDISH_USAGE");
    assert.match(stderr, /error ERR_TUNDISH_USAGE: .*99999/);
  });

  // a whole profile, which has nothing to do with the MPI
  const ofOne = inTurn(0, "profile of one").includes(kind);
  testUnless(test, missing, `${ofOne ? "one process is no job; " : ""}a guess is told once (${word})`, async () => {
    if (ofOne) await profileOne();
    const guess = await job(2, ["--guess", "--json"]);
    assert.is(guess.code, 0, textOf(guess));
    assert.is(parseMachine(JSON.parse(guess.stdout)).internode, undefined);
  });

  async function profileOne(): Promise<void> {
    const one = await job(1, ["--json", "--cpus", `${cpus[0]}`]);
    assert.ok(one.code === 0 || one.code === 4, textOf(one));
    assert.is(parseMachine(JSON.parse(one.stdout)).internode, undefined);
  }

  testUnless(test, missing, `a library that there is not (${word})`, async () => {
    const { code, stdout, stderr } = await job(2, ["--json"], {
      env: { TUNDISH_LIBMPI: "/nowhere/libmpi.so" },
    });
    assert.is(code, 3, stderr);
    if (stdout !== "") assert.is(codeOf(stdout), "ERR_TUNDISH_NO_MPI");
    assert.match(stderr, /error ERR_TUNDISH_NO_MPI: .*\/nowhere\/libmpi\.so/);
  });
  test.run();
}

const lost = suite("cli profile, launcher lost");

lost("what npx does to MPICH's connection is told", async () => {
  // a descriptor that is not open
  const { code, stderr } = await cli(["profile", ...quick], {
    env: { PMI_SIZE: "2", PMI_RANK: "0", PMI_FD: "999" },
  });
  assert.is(code, 3);
  assert.match(stderr, /^error ERR_TUNDISH_NO_MPI: .*npx/m);
});
lost.run();
