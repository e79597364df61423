/**
 * Documents with some faults each: read, and used as those who read them do. Each ends in an error of ours, or in a
 * result.
 *
 *     node mutated.program.js SEED COUNT machine|trees|plan|network|report|cli
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { TundishError, UsageError } from "../../src/ground/base/errors.ts";
import { randomNumbers } from "../../src/ground/base/random.ts";
import { u32 } from "../../src/ground/item/item-type.ts";
import { OK, USAGE } from "../../src/interface/cli/terminal/exit.ts";
import { parseReport } from "../../src/interface/report/file.ts";
import { reportPage } from "../../src/interface/report/page/page.ts";
import type { MachineModel } from "../../src/machine/model/machine-model.ts";
import { formatMachine } from "../../src/machine/model/model.ts";
import { parseMachine } from "../../src/machine/model/schema.ts";
import { makePlan } from "../../src/plan/conveyor/make-plan.ts";
import { planDocument } from "../../src/plan/document/document.ts";
import { formatPlan } from "../../src/plan/document/file.ts";
import { parsePlan } from "../../src/plan/document/schema.ts";
import { makeExchangePlan } from "../../src/plan/exchange/make-exchange-plan.ts";
import { networks } from "../../src/plan/network/networks.ts";
import type { SimulationOptions } from "../../src/running/simulate/options.ts";
import { type SimulatedPE, simulate } from "../../src/running/simulate/simulate.ts";
import { toDot, toSvg } from "../../trees/draw/drawing.ts";
import { generateTrees } from "../../trees/generate/generate.ts";
import { checkTrees } from "../../trees/model/check-world-trees.ts";
import { treeLatency } from "../../trees/model/latency.ts";
import type { Trees } from "../../trees/model/tree.ts";
import { generateNodesTrees } from "../../trees/nodes/nodes.ts";
import { disseminating, hybrid, syntheticMachine } from "../collectives/support/plans.ts";
import { cliHere, emptyFolder } from "../interface/cli/support/cli.ts";
import { modelOf, withAll } from "../interface/report/support/documents.ts";
import { fullReport } from "../interface/report/support/reports.ts";
import { choosing, measuredEntry } from "../plan/support/sample.ts";
import type { Loose } from "../support/broken-documents.ts";
import { playCases } from "../support/many-cases.ts";
import { type Draw, mutated } from "../support/mutations.ts";

/** A kind of documents. */
interface Kind {
  readonly samples: readonly object[];
  /** @throws what its reader throws */
  read(document: Loose): unknown;
  /** What its users do. @throws what they throw */
  use(document: never, draw: Draw): void | Promise<void>;
}

/** All that a world does with plans, trees and networks. */
function* program(pe: SimulatedPE) {
  const c = pe.conveyor(u32, { name: "edges" });
  c.explain();
  yield* c.begin();
  let i = 0;
  while (yield* c.advance(i === 40)) {
    for (; i < 40 && c.push((pe.rank + i) % pe.size, i); i++);
    while (c.pull());
  }
  yield* c.reset();
  const x = pe.exchange({ name: "rows" });
  x.explain();
  for (let to = 0; to < pe.size; to++) x.schedule(to, new Uint8Array(500));
  yield* x.finish(() => {});
  x.free();
  return c.explain().length;
}

const play = (options: SimulationOptions) => simulate({ pes: 8, nodes: 2, seed: 1, ...options }, program);

const small = modelOf("smelt-hist-brie");
const four = syntheticMachine(4);
const full = withAll(small, 50);
const machine = full.machine;
const made = { pes: 8, nodes: 2, itemBytes: 16, load: 1000 };
const plans = {
  "*": makePlan(four, made),
  edges: makePlan(undefined, { ...made, rate: 1e6, delayCost: 0.01 }),
  meshed: makePlan(undefined, { ...made, mesh: [2, 1, 4] }),
};
const exchanges = {
  "*": makeExchangePlan(undefined, { pes: 8, nodes: 2, bytes: 4000 }),
  rows: makeExchangePlan(undefined, { pes: 8, nodes: 2, bytes: 4000, discipline: "dynamic", skew: 2 }),
};

const KINDS: Readonly<Record<string, Kind>> = {
  machine: {
    samples: [machine, four, small],
    read: parseMachine,
    use(model: MachineModel, draw: Draw) {
      formatMachine(model);
      const pes = model.pes.length;
      const trees = generateTrees(model, { moves: 20 });
      toSvg(trees.broadcast, model);
      treeLatency(trees.reduce, model, "reduce");
      if (model.internode !== undefined) generateNodesTrees(model, 2, { send: 100, receive: 100 }, { moves: 20 });
      const network = draw(2) === 0 && model.internode !== undefined ? "measured" : undefined;
      makePlan(model, { pes: 2 * pes, nodes: 2, itemBytes: 16, load: 1000, network }).explain();
      makeExchangePlan(model, { pes: 2 * pes, nodes: 2, bytes: 10_000, network }).explain();
      if (pes <= 16) simulate({ pes: 2 * pes, nodes: 2, machine: model, network }, program);
      reportPage({ ...full, machine: model, trees, plan: { absent: "x" }, nodes: { absent: "x" } });
    },
  },
  trees: {
    samples: [generateTrees(four, { moves: 20 }), disseminating(4), hybrid(4)],
    read(document) {
      checkTrees(document, 4);
      return document;
    },
    use(trees: Trees) {
      for (const operation of ["broadcast", "reduce"] as const) treeLatency(trees[operation], four, operation);
      toSvg(trees.broadcast, four);
      toDot(trees.reduce, four);
      toSvg(trees.barrier, four);
      simulate({ pes: 8, nodes: 2, trees }, program);
    },
  },
  plan: {
    samples: [
      planDocument(plans, { exchanges, machine: four }),
      planDocument(plans, {
        exchanges,
        network: { like: "paragon", queue: 4 },
        trees: generateTrees(four, { moves: 20 }),
      }),
      {
        ...planDocument(plans),
        conveyors: { edges: choosing({ hops: 1 }, { measured: measuredEntry, candidates: 3 }) },
      },
    ],
    read: parsePlan,
    use(plan: ReturnType<typeof parsePlan>, draw: Draw) {
      formatPlan(plan);
      if (draw(2) === 0) play({ plan, fit: "adapt" });
      else play({ plan });
      reportPage({ ...full, plan });
    },
  },
  network: {
    samples: [
      ...Object.values(networks).map(({ network }) => network),
      {
        like: "measured",
        alpha: 1500,
        beta: 0.1,
        receiver: 300,
        queue: 4,
        packetBytes: 512,
        bisection: 0.5,
        barrier: 10,
      },
      {
        pieces: [
          { from: 0, alpha: 1, beta: 2 },
          { from: 1024, alpha: 3, beta: 1 },
        ],
        topology: { kind: "mesh", byte: 1, columns: 2 },
      },
      {
        topology: { kind: "fat-tree", levels: [{ children: 2, byte: 1 }, { byte: 0.5 }] },
        ejection: { message: 3, byte: 1 },
      },
    ],
    // it is an option: read where it is used
    read: (document) => document,
    use(network: never) {
      makePlan(four, { ...made, network }).explain();
      makeExchangePlan(four, { pes: 8, nodes: 2, bytes: 4000, network }).explain();
      play({ network, machine: four });
    },
  },
  report: {
    samples: [full, await fullReport()],
    read: parseReport,
    use: (report: never) => void reportPage(report),
  },
  cli: {
    samples: [machine, full],
    read: (document) => document,
    async use(document: Loose) {
      const cwd = emptyFolder();
      writeFileSync(join(cwd, "it.json"), JSON.stringify(document));
      const commands =
        "machine" in document
          ? ["report --from it.json -o page.html"]
          : ["tree it.json --compare --budget 0", "plan it.json --nodes 2 --item-bytes 16 --load 1000"];
      for (const command of commands) {
        const { code, stderr } = await cliHere(command.split(" "), { cwd });
        if (code === USAGE) throw new UsageError(stderr.slice(0, 4000));
        if (code !== OK) throw new Error(`${command} ended with ${code}: ${stderr}`);
      }
    },
  },
};

await playCases(async (seed, name) => {
  const { samples, read, use } = KINDS[name as string] as Kind;
  const random = randomNumbers(seed);
  const draw: Draw = (n) => Math.floor(random() * n);
  const document = mutated(samples[draw(samples.length)] as Loose, draw);
  let isRead = false;
  try {
    const found = read(document);
    isRead = true;
    await use(found as never, draw);
    return "used";
  } catch (error) {
    if (!(error instanceof TundishError)) throw error;
    if (error.message.length > 5000)
      throw new Error(`a message of ${error.message.length} characters`, { cause: error });
    return isRead ? "refused in use" : "refused";
  }
});
