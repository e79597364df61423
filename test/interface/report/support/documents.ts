/** Documents of reports for tests: models of real machines, with times that are computed and not measured. */
import { readFileSync } from "node:fs";
import type { CollectiveTime, ConveyorTime, Probe, ReportDocument } from "../../../../src/interface/report/document.ts";
import type { InternodePEs } from "../../../../src/machine/model/internode.ts";
import type { MachineModel, Topology } from "../../../../src/machine/model/machine-model.ts";
import { makePlan } from "../../../../src/plan/conveyor/make-plan.ts";
import { planDocument } from "../../../../src/plan/document/document.ts";
import { generateTrees } from "../../../../trees/generate/generate.ts";
import { generateNodesTrees } from "../../../../trees/nodes/nodes.ts";
import { fixture } from "../../../support/paths.ts";

export const modelOf = (name: string): MachineModel =>
  JSON.parse(readFileSync(fixture("machines", `${name}.json`), "utf8"));

const absent = { absent: "Only a model was given: nothing was measured." };

/** What a model alone gives. @param moves changes that the search for trees tries */
export function fromModel(machine: MachineModel, moves = 200): ReportDocument {
  const trees = generateTrees(machine, { moves });
  return {
    schema: "tundish/report@1",
    title: `Report of ${machine.name}`,
    created: "2026-11-26T12:00:00.000Z",
    command: "tundish report machine.json -o report.html",
    versions: { node: "20.20.2", tundish: "0.1.0" },
    host: absent,
    machine,
    origin: "file",
    topology: absent,
    conditions: absent,
    trees,
    predictions: absent,
    collectives: absent,
    starts: absent,
    conveyors: absent,
    nodes: { absent: "The model is of one node." },
    plan: planDocument({ "*": makePlan(machine, { itemBytes: 16, load: 100_000 }) }, { machine }),
  };
}

/** Deterministic numbers around 1. */
function wobble(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return 0.94 + (0.12 * state) / 2 ** 31;
  };
}

/** All parts: as if the machine of the model had been measured. */
export function withAll(machine: MachineModel, moves?: number): ReportDocument {
  const model = { ...machine, internode: internode(), noise: noise(), items: ITEMS };
  const near = wobble(7);
  const report = fromModel(model, moves);
  const spread = (ns: number) => {
    const own = ns * near();
    return { ns: own, low: own * 0.93, high: own * 1.11, mode: 287 };
  };
  const pes = machine.pes.length;
  const some = [...new Set([2, 4, 8, 16, 32, 64, pes])].filter((n) => n <= pes).sort((a, b) => a - b);
  const sizes = [8, 64, 512, 4096, 32_768, 262_144];
  const rivals: readonly (readonly [string, number, number])[] = [
    ["tundish", 90, 0.03],
    ["Open MPI", 260, 0.11],
    ["MPICH", 330, 0.1],
    ["postMessage", 40_000, 0.4],
  ];
  const steps = (n: number) => Math.log2(n) || 1;
  const collectives = [
    ...rivals.flatMap(([name, fixed, byte]): CollectiveTime[] => [
      ...(["allreduce", "broadcast"] as const).flatMap((call) =>
        sizes.map((bytes) => ({ call, name, pes, bytes, ...spread(fixed * steps(pes) + byte * bytes) })),
      ),
      ...some.map((n) => ({ call: "barrier", name, pes: n, bytes: 0, ...spread(fixed * steps(n)) })),
      ...(["alltoall", "gather"] as const).flatMap((call) =>
        some.map((n) => ({ call, name, pes: n, bytes: 8, ...spread(fixed * n) })),
      ),
    ]),
    ...rivals.map(([name, fixed]) => ({ call: "wake-up", name, pes: 2, bytes: 8, ...spread(30 * fixed) })),
  ];
  const conveyors = [8, 128].flatMap((bytes): ConveyorTime[] => {
    const what = `${bytes} B, ${pes} PEs`;
    const one = (name: string, ns: number): ConveyorTime => ({ name, what, pes, bytes, ...spread(ns) });
    return [
      one("tundish, item-wise", 8 + bytes / 8),
      one("tundish, batch-wise", 6 + bytes / 9),
      one("postMessage, a message for each item", 690 + bytes),
      one("postMessage, a message for 1000 items", 20 + bytes / 4),
      one("SharedArrayBuffer queue", 90 + bytes / 3),
    ];
  });
  const { trees } = report;
  if ("absent" in trees) throw new Error("a report of a model has its trees");
  return {
    ...report,
    origin: "measured",
    command: "tundish report -o report.html",
    host: {
      name: "bench-1",
      platform: "linux",
      arch: "x64",
      brand: machine.name,
      cores: pes,
      threads: pes,
      quota: null,
      memoryBytes: 64 * 2 ** 30,
    },
    topology: topology(machine),
    conditions: {
      probes: Array.from({ length: 60 }, (_, i): Probe => ({ at: i * 0.8, ns: 287 * near(), part: "collectives" })),
      modes: [{ mode: 287, probes: 60 }],
      stable: true,
      warnings: [],
    },
    predictions: {
      cpus: [0, 1],
      command: "tundish start",
      missing: [],
      notes: ["Computed, for a test."],
      times: (["broadcast", "allreduce", "barrier"] as const).flatMap((operation) =>
        trees.baselines.slice(0, 4).map(({ algorithm, ...times }) => {
          const predicted = operation === "allreduce" ? times.reduce + times.broadcast : times[operation];
          return { operation, algorithm, pes, predicted, ...spread(predicted * 1.08) };
        }),
      ),
    },
    collectives: {
      cpus: machine.pes.map(({ cpu }) => cpu),
      command: "tundish bench collectives",
      times: collectives,
      missing: [{ name: "GOMP", reason: "gcc was not found in PATH" }],
      notes: [],
    },
    starts: {
      cpus: machine.pes.map(({ cpu }) => cpu),
      command: "tundish bench launch",
      times: some.flatMap((pes) => [
        { call: "launch", pes, ...spread(3e7 + 5e6 * pes) },
        { call: "run", pes, ...spread(9e4 + 5e3 * pes) },
      ]),
      missing: [],
      notes: ["Computed, for a test."],
    },
    conveyors: {
      cpus: machine.pes.map(({ cpu }) => cpu),
      command: "tundish bench conveyors",
      times: conveyors,
      missing: [],
      notes: ["Computed, for a test."],
    },
    nodes: {
      network: NETWORK,
      isOfModel: true,
      trees: generateNodesTrees(machine, 2, NETWORK, { moves: 0 }),
    },
    plan: planDocument({
      "*": makePlan(undefined, { itemBytes: 16, load: 100_000, pes: 64, nodes: 8 }),
    }),
  };
}

/** The text in places that come from files. */
export function withName(report: ReportDocument, name: string): ReportDocument {
  const { machine } = report;
  return {
    ...report,
    title: `Report of ${name}`,
    command: `tundish report ${name}`,
    machine: { ...machine, name, source: name, measured: name, notes: name },
    topology: "absent" in report.topology ? report.topology : { ...report.topology, brand: name },
    conveyors:
      "absent" in report.conveyors
        ? { absent: name }
        : {
            ...report.conveyors,
            times: report.conveyors.times.map((time) => ({ ...time, what: `${time.what} ${name}` })),
            missing: [{ name, reason: name }],
          },
    plan: { absent: name },
  };
}

const NETWORK = { send: 240, propagate: 1350, receive: 240 };

const ITEMS = {
  push: 3,
  pivot: 4,
  pull: 2,
  byte: { push: 0.05, pivot: 0.06, pull: 0.05 },
};

const noise = (): NonNullable<MachineModel["noise"]> => {
  const near = wobble(3);
  return {
    spread: 0.034,
    passes: 6,
    stable: true,
    probe: Array.from({ length: 12 }, () => 287 * near()),
    mode: 287,
  };
};

function internode(): NonNullable<MachineModel["internode"]> {
  const sizes = [8, 64, 512, 4096, 32_768, 262_144, 1_048_576];
  const near = wobble(11);
  const [alpha, beta] = [1830, 0.094];
  const residual = { median: 0.06, worst: 0.21 };
  const of = (pes: number): InternodePEs => ({
    pes,
    alpha: alpha * pes ** 0.3,
    beta: beta * pes,
    residual,
    latency: sizes.map((bytes) => near() * (alpha * pes ** 0.3 + beta * pes * bytes)),
    stream: sizes.map((bytes) => near() * (310 * pes + beta * pes * bytes)),
    gap: { message: 310 * pes, byte: beta * pes, residual },
    overhead: 240,
  });
  return {
    alpha,
    beta,
    unit: "ns",
    nodes: 2,
    machines: 2,
    library: "Open MPI v4.1.4",
    sizes,
    pes: [of(1), of(4)],
    incast: [1, 2, 4].map((senders) => ({ senders, time: 320 + 12 * senders, busy: 210 })),
    collectives: {
      nodes: 2,
      barrier: { messages: 3900, mpi: 4300, faster: "messages" },
      broadcast: { messages: 2050, mpi: 2600, faster: "messages" },
      allreduce: { messages: 4100, mpi: 4000, faster: "mpi" },
    },
  };
}

/** A topology in which eight cores share an L3, and each half of the machine is a package. */
function topology(machine: MachineModel): Topology {
  const count = machine.pes.length;
  const half = Math.ceil(count / 2);
  const packageOf = (core: number) => (count < 16 ? 0 : Math.floor(core / half));
  const l3Of = (core: number) => Math.floor(core / 8);
  const isThreaded = count <= 64;
  const cpus = Array.from({ length: isThreaded ? 2 * count : count }, (_, cpu) => ({
    cpu,
    core: cpu % count,
    l3: l3Of(cpu % count),
    numa: packageOf(cpu % count),
    package: packageOf(cpu % count),
    allowed: cpu !== 2 * count - 1,
  }));
  const by = (key: "l3" | "numa", domain: number) => cpus.filter((cpu) => cpu[key] === domain).map(({ cpu }) => cpu);
  return {
    source: "sysfs",
    brand: machine.name,
    isThisMachine: false,
    cpus,
    caches: [...new Set(cpus.map(({ l3 }) => l3))].map((l3) => ({
      level: 3,
      type: "unified",
      bytes: 32 * 2 ** 20,
      lineBytes: 64,
      cpus: by("l3", l3),
    })),
    numaNodes: [...new Set(cpus.map(({ numa }) => numa))].map((node) => ({
      node,
      bytes: 32 * 2 ** 30,
      cpus: by("numa", node),
    })),
    memoryBytes: 64 * 2 ** 30,
    quota: null,
    notes: [],
  };
}
