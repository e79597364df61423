/**
 * The measurements of F. M. Maley, J. G. DeVinney, "Conveyors for Streaming Many-To-Many Communication" (2019) by the
 * model of plans, and at sizes that it can run in the simulator: items for PEs that are drawn at random.
 *
 * A rate is what the PEs of a node push, in bytes, by the time of a session ("injection bandwidth"). For each type of
 * conveyor hops, groups and buffers are the best by the model within {@link BUDGET}, as the paper tunes them.
 * Index-gather is two sessions, queries and replies, one after the other.
 *
 * Limits: the simulator has fewer PEs and items. What is assumed is in {@link NETWORKS} and {@link ASSUMED}.
 */
import type { Progress } from "../../../../microbench/pairs/profiled.ts";
import { shareBytes } from "../../../../src/links/transport/heap/layout.ts";
import { remoteLinkBytes } from "../../../../src/links/transport/mpi/layout.ts";
import { planConveyor } from "../../../../src/plan/conveyor/plan.ts";
import type { Candidate, CostModel, Forced } from "../../../../src/plan/model/cost-model.ts";
import { latencyOf, serversFor, slowest } from "../../../../src/plan/model/servers.ts";
import { shapeCosts } from "../../../../src/plan/model/shape.ts";
import type { SimulatedCosts } from "../../../../src/plan/network/cluster.ts";
import type { NetworkName, SimulatedNetwork } from "../../../../src/plan/network/network.ts";
import { scratchBuffers, storedBytes } from "../../../../src/route/geometry/conveyor-choice.ts";
import { settle } from "../../../../src/running/simulate/options.ts";
import { timeOf } from "../plan/plan-run.ts";

/** A figure of section 5. */
export type PaperFigure = 5 | 6 | 7;
/** What carries the items. */
export type Carrier =
  | "simple"
  | "tensor"
  | "messages"
  | "simple, two hops"
  | "tensor, two hops"
  | "tensor, free items"
  | "tensor, three hops"
  | "grid of TRAM";

/** ns per byte of FDR InfiniBand: 4 lanes of 14.0625 Gbit/s with 64 of 66 bits (InfiniBand Architecture 1.3). */
const FDR = 8 / (4 * 14.0625 * (64 / 66));

/** The networks of the figures. */
export const NETWORKS: Readonly<
  Record<PaperFigure, { readonly title: string; readonly network: SimulatedNetwork | NetworkName }>
> = {
  5: { title: "Cray XC40, Aries", network: "xc30" },
  6: { title: "FDR InfiniBand", network: { beta: 0, injection: { byte: FDR }, ejection: { byte: FDR } } },
  7: { title: "Omni-Path", network: "omni-path" },
};

/** Bytes of buffers for each PE. */
const BUDGET = 2 ** 28;

/** Assumptions where the paper gives nothing, with a reason each. */
export const ASSUMED: Readonly<Record<string, string>> = {
  budget: `${BUDGET / 2 ** 20} MiB of buffers for each PE: the paper calls 1 GB "a substantial fraction of the available memory"`,
  networks:
    "5.01 GB/s out of a node of the XC40, which the paper gives for an XC30; FDR and Omni-Path by their rates, in and out; latency 1.5 us, and 300 ns of a node for each message it receives: the simulator's defaults, as the paper has none",
  items: "3 ns to push and 3 to pull an item, 0.02 ns for each byte within a node: the simulator's defaults",
  system:
    "no other jobs, no groups of cabinets, no blocking calls: alltoallv is simulated by messages that do not wait for each other",
};

/** One rate. */
export interface Rate {
  readonly figure: PaperFigure;
  readonly by: Carrier;
  /** Bytes of an item. */
  readonly itemBytes: number;
  readonly nodes: number;
  readonly nodeSize: number;
  /** Bytes that each PE pushes. */
  readonly load: number;
  readonly hops: number;
  readonly bufferBytes: number;
  /** GB/s of a node, by the model. */
  readonly predicted: number;
  /** Null where it was not simulated. */
  readonly simulated: number | null;
}

/** Bytes of buffers of a PE, each of {@link BUFFER}. */
export interface Memory {
  readonly nodes: number;
  readonly hops: 1 | 2 | 3;
  readonly bytes: number;
}

/** All that the paper's statements are judged by. */
export interface ConveyorsPaper {
  readonly assumed: Readonly<Record<string, string>>;
  /** Figures 5 to 7. */
  readonly curves: readonly Rate[];
  /** The same in the simulator, at one small size. */
  readonly checked: readonly Rate[];
  /** Figure 2, of its size and simulated. */
  readonly histogram: readonly Rate[];
  readonly indexGather: readonly Rate[];
  /** Section 2.2: as many items as PEs. */
  readonly sparse: readonly Rate[];
  readonly memory: readonly Memory[];
  /** Section 4.2: one and two synchronous hops, and two asynchronous ones, by load. */
  readonly synchronous: readonly Rate[];
  /** Section 5: items that cost a PE nothing. */
  readonly free: readonly Rate[];
  /** Section 2.2: three hops, and TRAM's, whose grid has a dimension for the PEs of a node. */
  readonly natural: readonly Rate[];
  /** Section 5: the XC30. */
  readonly large: readonly Rate[];
}

/** Options of a run. */
export interface ConveyorsPaperOptions {
  readonly quick?: boolean | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const ITEM_BYTES = [8, 16, 32, 128];
const NODE_SIZE = 32;
/** Bytes of each PE in section 5. */
const LOAD = 2 ** 28;
/** Of figure 2. */
const IDIOM_NODES = 128;
/** Bytes of a buffer in section 2.2; its nodes have 2^16 PEs. */
const BUFFER = 8192;
/** Nodes of section 4.2's comparison, and of those of one number only. */
const SOME_NODES = 64;
const LARGE_NODES = 1024;
/** An item of free work is moved at no cost. */
const FREE: SimulatedCosts = { push: 0, pull: 0 };

interface Sizes {
  readonly nodes: readonly number[];
  readonly loads: readonly number[];
  readonly xc30: readonly number[];
  /** Simulated: nodes, their PEs, and bytes that each pushes. */
  readonly small: { readonly nodes: number; readonly nodeSize: number; readonly load: number };
}
const SIZES: Sizes = {
  nodes: [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048],
  loads: [2 ** 12, 2 ** 16, 2 ** 20, 2 ** 24, 2 ** 28],
  xc30: [1024, 4096, 8192],
  small: { nodes: 8, nodeSize: 8, load: 2 ** 14 },
};
const QUICK: Sizes = {
  nodes: [2, 16, 64],
  loads: [2 ** 12, 2 ** 24],
  xc30: [16, 32, 64],
  small: { nodes: 2, nodeSize: 4, load: 2 ** 10 },
};

/** What is forced, by carrier. */
const FORCED: Readonly<Record<Carrier, Forced>> = {
  simple: { type: "simple", hops: 1 },
  tensor: { type: "tensor" },
  messages: { type: "trivial" },
  "simple, two hops": { type: "simple", hops: 2 },
  "tensor, two hops": { type: "tensor", hops: 2 },
  "tensor, free items": { type: "tensor" },
  "tensor, three hops": { type: "tensor", hops: 3 },
  // of LARGE_NODES: each PE has links to two dimensions of nodes
  "grid of TRAM": { mesh: [LARGE_NODES ** 0.5, LARGE_NODES ** 0.5, NODE_SIZE] },
};

type Case = Pick<Rate, "figure" | "by" | "itemBytes" | "nodes" | "nodeSize" | "load"> & {
  /** Bytes of an item in each session. @default those of the item, in one */
  readonly sessions?: readonly number[];
  readonly isSimulated?: boolean;
};

/** Plans a case, and predicts and simulates its time. @throws Error if no choice keeps to the budget */
function rateOf({ sessions, isSimulated = false, ...one }: Case): Rate {
  const { figure, by, itemBytes, nodes, nodeSize, load } = one;
  const options = {
    ...{ pes: nodes * nodeSize, nodes, network: NETWORKS[figure].network },
    costs: by === "tensor, free items" ? FREE : undefined,
  };
  const settings = settle(options);
  const items = Math.max(1, Math.round(load / itemBytes));
  const plans = (sessions ?? [itemBytes]).map((bytes) => {
    const plan = planConveyor(settings, { itemBytes: bytes, load: items, maxBytes: BUDGET }, FORCED[by]);
    if (plan === null) throw new Error(`no plan for ${JSON.stringify(one)}`);
    const run = { name: by, options, itemBytes: bytes, load: items, maxBytes: BUDGET };
    return {
      plan,
      predicted: by === "messages" ? timeOfMessages(settings, bytes, items) : plan.expected.time,
      simulated: isSimulated ? timeOf(run, plan.options as Candidate) : Number.NaN,
    };
  });
  const bandwidth = (times: readonly number[]) =>
    (items * itemBytes * nodeSize) / times.reduce((all, time) => all + time, 0);
  const { hops, bufferBytes } = plans[0].plan.expected;
  return {
    ...{ ...one, hops, bufferBytes },
    predicted: bandwidth(plans.map(({ predicted }) => predicted)),
    simulated: isSimulated ? bandwidth(plans.map(({ simulated }) => simulated)) : null,
  };
}

/** Plans, predicts and simulates all. */
export async function conveyorsPaper(options: ConveyorsPaperOptions = {}): Promise<ConveyorsPaper> {
  const { quick = false, onProgress, signal } = options;
  const { nodes: numbers, loads, xc30, small } = quick ? QUICK : SIZES;
  const all = (cases: readonly Case[], stage: string, done: number) =>
    ratesOf(cases, () => {
      onProgress?.({ stage, done });
      signal?.throwIfAborted();
    });
  const figures = [5, 6, 7] as const;
  const kinds = ["simple", "tensor"] as const;
  const curves = figures.flatMap((figure) =>
    kinds.flatMap((by) => ITEM_BYTES.map((itemBytes) => ({ figure, by, itemBytes, nodeSize: NODE_SIZE, load: LOAD }))),
  );
  const of = (nodes: number, by: Carrier, itemBytes: number, load: number, figure: PaperFigure = 5): Case => ({
    ...{ figure, by, itemBytes, nodes, nodeSize: NODE_SIZE, load },
  });
  const idioms = (sessions: (by: Carrier) => readonly number[]): Case[] =>
    (["messages", "tensor"] as const).flatMap((by) => [
      { ...of(IDIOM_NODES, by, 8, LOAD, 6), sessions: sessions(by) },
      { figure: 6, by, itemBytes: 8, ...small, sessions: sessions(by), isSimulated: true },
    ]);
  const pes = IDIOM_NODES * NODE_SIZE;
  return {
    assumed: ASSUMED,
    curves: await all(
      curves.flatMap((one) => numbers.map((nodes) => ({ ...one, nodes }))),
      "figures 5 to 7",
      0,
    ),
    checked: await all(
      curves.map((one) => ({ ...one, ...small, isSimulated: true })),
      "simulator",
      0.5,
    ),
    histogram: await all(
      idioms(() => [8]),
      "figure 2",
      0.8,
    ),
    // a conveyor's queries and replies have the place of the reply beside the index or the value
    indexGather: await all(
      idioms((by) => (by === "messages" ? [8, 8] : [16, 16])),
      "figure 2",
      0.85,
    ),
    sparse: await all(
      (["messages", ...kinds] as const).map((by) => of(IDIOM_NODES, by, 8, 8 * pes)),
      "section 2.2",
      0.9,
    ),
    memory: [32, SOME_NODES, 2048].flatMap((nodes) => ([1, 2, 3] as const).map((hops) => memoryFor(nodes, hops))),
    synchronous: await all(
      ITEM_BYTES.flatMap((bytes) =>
        loads.flatMap((load) =>
          (["simple", "simple, two hops", "tensor, two hops"] as const).map((by) => of(SOME_NODES, by, bytes, load)),
        ),
      ),
      "section 4.2",
      0.9,
    ),
    free: await all(
      ([8, 128] as const).flatMap((bytes) =>
        (["tensor", "tensor, free items"] as const).map((by) => of(LARGE_NODES, by, bytes, LOAD)),
      ),
      "section 5",
      0.95,
    ),
    natural: await all(
      (["tensor, three hops", "grid of TRAM"] as const).map((by) => of(LARGE_NODES, by, 16, LOAD)),
      "section 2.2",
      0.95,
    ),
    large: await all(
      xc30.map((nodes) => of(nodes, "tensor", 16, LOAD)),
      "section 5",
      0.95,
    ),
  };
}

async function ratesOf(cases: readonly Case[], tell: () => void): Promise<Rate[]> {
  const rates: Rate[] = [];
  for (const one of cases) {
    tell();
    rates.push(rateOf(one));
    await new Promise(setImmediate); // Ctrl-C
  }
  return rates;
}

/** What a conveyor allocates: a link to another node has a buffer for what goes out and one for what comes in. */
function memoryFor(nodes: number, hops: 1 | 2 | 3): Memory {
  const pes = nodes * NODE_SIZE;
  const [near, remote] = {
    1: [NODE_SIZE, pes - NODE_SIZE],
    2: [NODE_SIZE + 1, nodes - 1],
    3: [2 * NODE_SIZE, Math.ceil(pes / NODE_SIZE ** 2)],
  }[hops];
  const buffers = { bytes: storedBytes(BUFFER), perLink: 1 };
  return {
    nodes,
    hops,
    bytes: shareBytes(near, scratchBuffers(false), buffers, 0) + remote * remoteLinkBytes(buffers),
  };
}

/** Individual puts, or half of as many gets: one message each, which nobody waits for and nothing gives back. */
function timeOfMessages(model: CostModel, itemBytes: number, items: number): number {
  const [{ links, send, receive, traffic }] = shapeCosts(model)({ hops: 1, groupSize: model.pes });
  const { time } = slowest(serversFor(model.network, traffic, items / links, itemBytes, 0));
  return Math.max(items * (send + receive), time) + latencyOf(model.network, itemBytes);
}
