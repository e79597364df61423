/** Trees that are measured under mpirun: by each node for itself, where its CPUs are its own. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/ground/base/package-file.ts";
import { fingerprint } from "../../src/machine/model/fingerprint.ts";
import { guessModel } from "../../src/machine/topology/guess.ts";
import { readTopology } from "../../src/machine/topology/topology.ts";
import { usableCpus } from "../../src/machine/topology/usable.ts";
import { chosenTrees } from "../../src/running/contest/choose-trees.ts";
import type { Trees } from "../../trees/model/tree.ts";
import { type Kind, mpirun, runLine, whyNoMpi } from "../machine/mpi/launchers.ts";
import { testUnless } from "../support/skip.ts";
import { saidIn, saidText } from "./said.ts";

const topology = await readTopology();
const cpus = usableCpus(topology);
/** This machine as if it had been profiled. */
const here = { ...guessModel(topology, cpus), fingerprint: fingerprint(topology) };

const contest = suite("contests over nodes");

const KINDS: readonly (readonly [Kind, string])[] = [
  ["Open MPI", "openmpi"],
  ["MPICH", "mpich"],
];
for (const [kind, word] of KINDS) {
  const missing = whyNoMpi(kind) ?? (cpus.length < 2 ? "it takes two CPUs" : null);
  testUnless(contest, missing, `a node with CPUs of its own measures them (${word})`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "tundish-contest-"));
    try {
      const [model, order] = [join(folder, "machine.json"), join(folder, "order.json")];
      writeFileSync(model, JSON.stringify(here));
      const program = sibling("../running/contest/contest.program.js", import.meta.url).href;
      writeFileSync(order, JSON.stringify({ program, pes: [2, 1], args: null }));
      const node = [process.execPath, fileURLToPath(new URL("./node.js", import.meta.url)), order];
      // another set of CPUs: to the nodes that is another part of the machine
      const bound = ["taskset", "-c", String(cpus[1]?.cpu), ...node];
      const line = [...mpirun(kind, 1), ...node, ":", "-n", "1", ...bound];
      const { code, text } = await runLine(line, { TUNDISH_MACHINE: model });
      assert.is(code, 0, text + saidText(order));
      const [first] = saidIn(order).filter(({ results }) => results !== undefined);
      const plans = first?.results?.map((seen) => (seen as { plan: Trees }).plan) ?? [];
      assert.is(plans.length, 2);
      for (const { contest } of plans) assert.is(contest?.turns, 7);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

contest("where nodes share a machine it is told that they do not", async () => {
  const warned = new Promise<{ code: string }>((resolve) => process.once("warning", resolve as never));
  const model = { ...here, pes: [here.pes[0], here.pes[0]] } as typeof here;
  const [send, receive] = [
    [
      [0, 100],
      [100, 0],
    ],
    [
      [0, 100],
      [100, 0],
    ],
  ];
  const common = { model: { ...model, send, receive }, fingerprint: here.fingerprint, oversubscribed: false };
  const { contest } = await chosenTrees({
    ...common,
    channel: "ump",
    contest: null,
    tree: null,
    unmeasured: "shared",
  });
  assert.is(contest, undefined);
  assert.is((await warned).code, "TUNDISH_UNMEASURED");
});
contest.run();
