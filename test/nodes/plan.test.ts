/** Plans over nodes, as a user has them: made by `tundish plan`, loaded by `tundish run` under mpirun. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/ground/base/package-file.ts";
import type { PlanDocument } from "../../src/plan/document/document.ts";
import { parsePlan } from "../../src/plan/document/schema.ts";
import { cliHere, model } from "../interface/cli/support/cli.ts";
import { type Ended, eachMpi, type Kind, mpirun, runLine } from "../machine/mpi/launchers.ts";
import { root } from "../support/paths.ts";
import { inTurn } from "./some-of.ts";

const tundish = [process.execPath, join(root, "dist/lib/main.js")];
const folder = mkdtempSync(join(tmpdir(), "tundish-nodes-plan-"));
const file = join(folder, "plan.json");
const program = sibling("./programs/planned.program.js", import.meta.url).pathname;
const histogram = join(root, "dist/apps/histogram.js");

const test = suite("plans over nodes");
test.before(async () => {
  const machine = model("c2c-aws-graviton3");
  const world = ["--nodes", "2", "--pes", "4", "--item-bytes", "4", "--load", "1000"];
  const made = await cliHere(["plan", machine, ...world, "--hops", "2", "--buffer-bytes", "1K", "-o", file]);
  assert.is(made.code, 0, made.stderr);
});
test.after(() => rmSync(folder, { recursive: true }));

/** What each PE says. */
interface Said {
  readonly isWhole: boolean;
  readonly plan: string;
  readonly conveyor: string;
}

let number = 0;
/** With one MPI or the other in a plain run, from one test to the next: what is planned does not depend on it. */
function each(name: string, body: (kind: Kind) => Promise<void>): void {
  eachMpi(test, name, body, inTurn(number++));
}

const run = (kind: Kind, nodes: number, ...args: string[]): Promise<Ended<Said>> =>
  runLine<Said>([...mpirun(kind, nodes), ...tundish, "run", ...args]);

each("two nodes take the choices and the number of PEs of a plan for two", async (kind) => {
  const { code, text } = await run(kind, 2, histogram, "--plan", file, "--", "--items", "20000");
  assert.is(code, 0, text);
  assert.match(text, /app: 'histogram', pes: 4,/);
  const explained = await run(kind, 2, program, "--plan", file);
  assert.is(explained.code, 0, explained.text);
  const { said } = explained;
  assert.is(said.length, 4, explained.text);
  for (const { isWhole, plan, conveyor } of said) {
    assert.ok(isWhole);
    assert.match(conveyor, /^tensor, 2 hops in groups of 2, \d x 1 KiB for each link: conveyors\.\* of .*plan\.json\n/);
    assert.match(plan, /^plan: .*plan\.json, made .* for 4 PEs on 2 nodes$/m);
  }
});

each("three nodes refuse it, or plan again", async (kind) => {
  const refused = await run(kind, 3, histogram, "--plan", file, "-n", "1");
  assert.is(refused.code, 2, refused.text);
  assert.match(
    refused.text,
    /error ERR_TUNDISH_PLAN: .*plan\.json: world\.nodes: expected 3, the number of nodes here, got 2\. Plan again for this world/,
  );
  const adapted = await run(kind, 3, program, "--plan", file, "-n", "1", "--fit", "adapt");
  assert.is(adapted.code, 0, adapted.text);
  const { said } = adapted;
  assert.is(said.length, 3, adapted.text);
  for (const { isWhole, conveyor } of said) {
    assert.ok(isWhole);
    assert.match(conveyor, /planned again .*, as world\.nodes: expected 3, the number of nodes here, got 2$/m);
    assert.is(conveyor, said[0]?.conveyor);
  }
});

each("each of two nodes says why it refuses a plan for three, the slow one too", async (kind) => {
  const forThree = join(folder, "three.json");
  const { world, ...rest } = JSON.parse(readFileSync(file, "utf8")) as PlanDocument;
  writeFileSync(forThree, JSON.stringify({ ...rest, world: { ...world, pes: 6, nodes: 3, pesOfNode: [2, 2, 2] } }));
  const slow = join(folder, "slow.mjs");
  // it learns at the same time what it waits for, and that another node has refused
  writeFileSync(slow, "setInterval(() => { const t = Date.now(); while (Date.now() - t < 300); }, 1).unref();");
  const number = kind === "MPICH" ? "$PMI_RANK" : "$OMPI_COMM_WORLD_RANK";
  const line = `if [ ${number} = 1 ]; then export NODE_OPTIONS=--import=${slow}; fi; exec "$@"`;
  const command = ["sh", "-c", line, "sh", ...tundish, "run", histogram, "--plan", forThree];
  const { code, text } = await runLine([...mpirun(kind, 2), ...command]);
  assert.is(code, 2, text);
  const reasons = text.match(/^error ERR_TUNDISH_PLAN: .*three\.json: world\.nodes: expected 2, .* got 3\./gm);
  assert.is(reasons?.length, 2, text);
  assert.not.match(text, /RANK_LOST/);
});

each("stdin, which only node 0 has, is refused by each node", async (kind) => {
  const inputs: [env: NodeJS.ProcessEnv, args: string[], name: string][] = [
    [{}, ["--plan", "-"], "the option plan"],
    [{ TUNDISH_PLAN: "-" }, [], "TUNDISH_PLAN"],
    [{}, ["--plan", file, "--machine", "-"], "the option machine"],
  ];
  for (const [env, args, name] of inputs) {
    const command = [...tundish, "run", histogram, ...args];
    const { code, text } = await runLine([...mpirun(kind, 2), ...command], env);
    assert.is(code, 2, text);
    const said = `error ERR_TUNDISH_USAGE: ${name}: expected a file that all nodes can read, got - (stdin), which under mpirun only node 0 has.`;
    assert.is(text.split(said).length - 1, 2, text);
  }
  const tuning = await runLine([...mpirun(kind, 2), ...tundish, "plan", "--add", "-", `--tune=${histogram}`]);
  assert.is(tuning.code, 2, tuning.text);
  assert.match(tuning.text, "--add: expected a file that all nodes can read, got - (stdin)");
});

eachMpi(
  test,
  "a program is tuned over two nodes: one plan, from one process",
  async (kind) => {
    const tuned = join(folder, "tuned.json");
    const few = ["--turns", "2", "--choices", "2", "--budget", "1", "--args", '["--items","2000"]'];
    const line = [...mpirun(kind, 2), ...tundish, "plan", "--tune", histogram, "-n", "1", ...few];
    const { code, text } = await runLine([...line, "-o", tuned]);
    assert.is(code, 0, text);
    assert.is(text.match(/^.*conveyors\.\*: 1000 items of 4 B from each of 2 PEs on 2 nodes/gm)?.length, 1, text);
    const { world, conveyors } = parsePlan(JSON.parse(readFileSync(tuned, "utf8")));
    assert.equal(world.pesOfNode, [1, 1]);
    assert.ok((conveyors["*"]?.measured?.turns ?? 0) >= 2);
    const ran = await run(kind, 2, histogram, "--plan", tuned, "--", "--items", "2000");
    assert.is(ran.code, 0, ran.text);
  },
  ["Open MPI"],
);

eachMpi(
  test,
  "what is tried is predicted by what all nodes have measured, and not the first one alone",
  async (kind) => {
    const guess = join(folder, "guess.json");
    const guessed = await cliHere(["profile", "--guess", "-o", guess]);
    assert.is(guessed.code, 0, guessed.stderr);
    const known = JSON.parse(readFileSync(guess, "utf8")) as object;
    const files = [1000, 7e6].map((alpha, node) => {
      const path = join(folder, `node${node}.json`);
      writeFileSync(path, JSON.stringify({ ...known, internode: { alpha, beta: 0.1 } }));
      return path;
    });
    const number = kind === "MPICH" ? "$PMI_RANK" : "$OMPI_COMM_WORLD_RANK";
    const line = `export TUNDISH_MAP_NODES=off; if [ ${number} = 0 ]; then export TUNDISH_MACHINE=${files[0]}; else export TUNDISH_MACHINE=${files[1]}; fi; exec "$@"`;
    const tuned = join(folder, "slow.json");
    const few = ["-n", "1", "--turns", "1", "--choices", "2", "--budget", "1", "-o", tuned];
    const tune = [...tundish, "plan", `--tune=${histogram}`, ...few, "--args", '["--items","2000"]'];
    const { code, text } = await runLine([...mpirun(kind, 2), "sh", "-c", line, "sh", ...tune]);
    assert.is(code, 0, text);
    const { conveyors } = parsePlan(JSON.parse(readFileSync(tuned, "utf8")));
    assert.ok((conveyors["*"]?.expected?.time ?? 0) > 2e6, text);
  },
  ["Open MPI"],
);

each("nodes with different plans are told which", async (kind) => {
  const other = { ...(JSON.parse(readFileSync(file, "utf8")) as object), created: "2026-01-02" };
  const files = [file, join(folder, "1.json")];
  writeFileSync(files[1] as string, JSON.stringify(other));
  const number = kind === "MPICH" ? "$PMI_RANK" : "$OMPI_COMM_WORLD_RANK";
  const line = `if [ ${number} = 0 ]; then plan=${files[0]}; else plan=${files[1]}; fi; exec "$@" --plan $plan`;
  const command = ["sh", "-c", line, "sh", ...tundish, "run", histogram];
  const { code, text } = await runLine([...mpirun(kind, 2), ...command]);
  assert.is.not(code, 0);
  assert.match(
    text,
    /plan: expected the same on all nodes, got one of 20\S+ \([0-9a-f]{16}\), with fit exact on node 0 and one of 2026-01-02 \([0-9a-f]{16}\), with fit exact on node 1\./,
  );
});

test.run();
