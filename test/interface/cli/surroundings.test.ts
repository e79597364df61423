/**
 * Whatever is a cache or a convenience may be missing: each command works all the same, and doctor says what is lost.
 */
import { spawn } from "node:child_process";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { DoctorFinding } from "../../../src/interface/cli/doctor/finding.ts";
import { type Kind, mpirun, ROOT, WORDS, whyNoMpi } from "../../machine/mpi/launchers.ts";
import { LONG } from "../../support/long.ts";
import { fixture, root } from "../../support/paths.ts";
import { drawn, shuffled } from "../../support/sample.ts";
import { testUnless } from "../../support/skip.ts";
import { type Ended, emptyFolder, ended, program, scratch } from "./support/cli.ts";
import { type Surroundings, surroundings, whyNoMounts, within } from "./support/surroundings.ts";

const tundish = [process.execPath, `${root}/dist/lib/main.js`];
const run = [...tundish, "run", program("results"), "-n", "2"];
const launcher = [fixture("programs", "world-run.mjs"), fixture("programs", "world-rank.mjs")];

interface Command {
  readonly name: string;
  readonly line: readonly string[];
  readonly codes: readonly number[];
  readonly stdout: RegExp;
  /** Whether it runs in threads. */
  readonly threads: boolean;
}

const commands: readonly Command[] = [
  {
    name: "doctor",
    line: [...tundish, "doctor", "--json"],
    codes: [0],
    stdout: /"usable": true/,
    threads: true,
  },
  { name: "run", line: run, codes: [0], stdout: /^0: 3\n1: 3\n$/, threads: true },
  {
    name: "launch",
    line: [process.execPath, ...launcher, '{"pes":2}'],
    codes: [0],
    stdout: /^\{"results":.*"sum":1/,
    threads: true,
  },
  {
    name: "tree",
    line: [...tundish, "tree", "--budget", "0"],
    codes: [0],
    stdout: /^.+: \d+ PEs?/,
    threads: false,
  },
  {
    name: "profile",
    line: [...tundish, "profile", "--rounds", "10", "--budget", "1", "--json"],
    codes: [0, 4],
    stdout: /"tundish\/machine@1"/,
    threads: true,
  },
  {
    name: "plan",
    line: [...tundish, "plan", "--item-bytes", "16", "--load", "1000", "--json"],
    codes: [0],
    stdout: /"tundish\/plan/,
    threads: false,
  },
];

/** Without what the surroundings of the tests set, but for a folder of their own for caches. */
const inherited = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(TUNDISH_|NO_COLOR|FORCE_COLOR|NODE_OPTIONS)/.test(name)),
);

function start(line: readonly string[], where: Surroundings): Promise<Ended> {
  const [command, ...rest] = [...within(where), ...line] as [string, ...string[]];
  const caches = where.found?.name === "cache" || where.name.includes("HOME") ? {} : { TUNDISH_CACHE: scratch };
  const child = spawn(command, rest, {
    cwd: emptyFolder(),
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...inherited, ...ROOT, ...caches, NO_COLOR: "1" },
  });
  return ended(child);
}

const test = suite("surroundings");

const [first, ...others] = surroundings as readonly [Surroundings, ...Surroundings[]];
/** In a plain run: those without a home, and some, with one command each. */
const [places, some] = LONG
  ? [surroundings, () => commands]
  : [
      [first, ...shuffled(others, "surroundings").slice(0, 6)],
      ({ name }: Surroundings) =>
        commands.filter(
          (one, i) => i === drawn(commands.length, "surroundings", name) || (name === first.name && one.name === "run"),
        ),
    ];

for (const where of places) {
  for (const command of some(where)) {
    testUnless(test, where.mounts ? whyNoMounts : null, `${where.name}: ${command.name}`, async () => {
      const { code, stdout, stderr } = await start(command.line, where);
      const told = `${code}: ${stdout}${stderr}`;
      if (where.isWithoutThreads && command.threads) {
        if (command.name === "launch")
          assert.match(stdout, /"ERR_TUNDISH_ENVIRONMENT","message":"A world needs threads/);
        else assert.is(code, 3, told);
      } else {
        assert.ok(command.codes.includes(code ?? -1), told);
        if (!where.isSilent) assert.match(stdout, command.stdout);
      }
      if (command.name !== "doctor" || where.found === undefined) return;
      const { findings } = JSON.parse(stdout) as { findings: readonly DoctorFinding[] };
      const { name, text } = where.found;
      assert.match(findings.find((one) => one.name === name)?.text ?? "", text);
    });
  }
}

/**
 * UCX, of MPICH, does not start without /proc, and the launcher of Open MPI crashes without an entry in /etc/passwd.
 */
const overNodes: readonly [name: string, kinds: readonly Kind[]][] = [
  ["no HOME, and no entry in /etc/passwd", ["MPICH"]],
  ["no /proc", ["Open MPI"]],
];
for (const [name, kinds] of overNodes) {
  for (const kind of kinds) {
    const why = whyNoMounts ?? whyNoMpi(kind);
    testUnless(test, why, `${name}: run over nodes (${WORDS[kind]})`, async () => {
      const where = surroundings.find((one) => one.name === name) as Surroundings;
      const { code, stdout, stderr } = await start([...mpirun(kind, 2), ...run], where);
      assert.is(code, 0, `${stdout}${stderr}`);
      assert.equal(stdout.split("\n").filter(Boolean).toSorted(), ["0: 10", "1: 10", "2: 10", "3: 10"]);
    });
  }
}
test.run();
