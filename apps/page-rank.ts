/**
 * PageRank of a random graph over nodes, in two ways: by what the vertices give, all of it at every node (`--by allgather`), or by an item
 * for each vertex of another PE that edges go to (`--by conveyor`). The first sends every vertex to all nodes, the second as
 * many items as there are edges at most, shared out over the nodes: which one is faster depends on their number.
 *
 *     tundish run page-rank.js -n 2 -- --log2-vertices 14
 *     tundish simulate page-rank.js --pes 64 --nodes 8 --args '["--by", "conveyor"]'
 *     mpirun -n 2 tundish run page-rank.js -n 2 -- --by conveyor
 *
 * Each PE has a block of the vertices. On virtual PEs an edge takes `--edge-ns` beside what is simulated. Checked: each rank against
 * the same rounds by one PE.
 */
import { f64, type PE, type Spmd, struct, u32 } from "tundish";
import { conveyor } from "tundish/conveyor";
import { randomBelow } from "./common.ts";
import { ArgumentsError, oneOf, real, whole } from "./options.ts";
import { app, type Common, type Part, timed } from "./runner.ts";

const OPTIONS = {
  log2Vertices: whole(12, 1, 24),
  degree: whole(10, 1, 1000),
  rounds: whole(5, 1, 1000),
  by: oneOf("allgather", "conveyor"),
  edgeNs: real(2, 0, 1e6),
};

const MOST_EDGES = 2 ** 28;
const DAMPING = 0.85;
const ITEM = struct({ vertex: u32, value: f64 });

/** A graph whose vertices all have `degree` edges; the PEs of a thread share it: on virtual PEs all. */
interface Graph {
  readonly vertices: number;
  readonly degree: number;
  readonly seed: number;
  /** By vertex, where its edges begin in `sources`; one more than there are vertices. */
  readonly starts: Uint32Array;
  /** The vertices that edges come from. */
  readonly sources: Uint32Array;
}

let known: Graph | undefined;

function graphOf(vertices: number, degree: number, seed: number): Graph {
  if (known?.vertices === vertices && known.degree === degree && known.seed === seed) return known;
  const starts = new Uint32Array(vertices + 1);
  const sources = new Uint32Array(vertices * degree);
  for (let e = 0; e < sources.length; e++) starts[targetOf(e, vertices, seed) + 1]++;
  for (let v = 0; v < vertices; v++) starts[v + 1] += starts[v];
  const next = starts.slice();
  for (let e = 0; e < sources.length; e++) sources[next[targetOf(e, vertices, seed)]++] = Math.floor(e / degree);
  known = { vertices, degree, seed, starts, sources };
  return known;
}

/** The vertex that edge number `e` goes to. */
const targetOf = (e: number, vertices: number, seed: number): number => randomBelow(vertices, seed, e);

/** What a vertex has now, of what those give whose edges go to it. */
const rankOf = (sum: number, vertices: number): number => (1 - DAMPING) / vertices + DAMPING * sum;

/** The ranks of vertices `first` to `end` - 1, of what all vertices give. */
function pull({ vertices, starts, sources }: Graph, gives: Float64Array, first: number, ranks: Float64Array): void {
  for (let v = 0; v < ranks.length; v++) {
    let sum = 0;
    for (let e = starts[first + v]; e < starts[first + v + 1]; e++) sum += gives[sources[e]];
    ranks[v] = rankOf(sum, vertices);
  }
}

/** The ranks by one PE. */
function alone(graph: Graph, rounds: number): Float64Array {
  const ranks = new Float64Array(graph.vertices).fill(1 / graph.vertices);
  for (let round = 0; round < rounds; round++) {
    const gives = ranks.map((rank) => rank / graph.degree);
    pull(graph, gives, 0, ranks);
  }
  return ranks;
}

let expected: { readonly graph: Graph; readonly rounds: number; readonly ranks: Float64Array } | undefined;

function expectedOf(graph: Graph, rounds: number): Float64Array {
  if (expected?.graph !== graph || expected.rounds !== rounds) {
    expected = { graph, rounds, ranks: alone(graph, rounds) };
  }
  return expected.ranks;
}

/** The block of a PE. */
interface Block {
  readonly graph: Graph;
  /** Vertices of each block; the last ones may have fewer. */
  readonly each: number;
  readonly first: number;
  readonly ranks: Float64Array;
  /** What the edges of the block take in a round, on virtual PEs, ns. */
  readonly ns: number;
}

type Way = (pe: PE, block: Block, rounds: number, told: Common) => Promise<Omit<Part, "checksum" | "errors">>;

/** One array of what all vertices give on each node: its first PE sends its node's part to those of the others. */
const byAllgather: Way = async (pe, { graph, each, first, ranks, ns }, rounds) => {
  const gives = await pe.allocSharedAsync(Float64Array, each * pe.size);
  const part = gives.subarray(each * pe.node * pe.nodeSize, each * (pe.node + 1) * pe.nodeSize);
  const node = await pe.splitAsync(pe.node);
  const firsts = await pe.splitAsync(pe.nodeRank === 0 ? 0 : null);
  let sent = 0;
  const seconds = await timed(pe, async () => {
    for (let round = 0; round < rounds; round++) {
      for (let v = 0; v < ranks.length; v++) gives[first + v] = ranks[v] / graph.degree;
      await node?.barrierAsync();
      if (firsts && pe.nodes > 1) {
        await firsts.allgatherAsync(part.slice(), { into: gives });
        sent++;
      }
      await node?.barrierAsync();
      pull(graph, gives, first, ranks);
      pe.work(ns);
      await node?.barrierAsync();
    }
  });
  for (const group of [node, firsts]) group?.leave();
  await pe.freeAsync(gives);
  return { seconds, messages: sent, bytes: sent * part.byteLength, buffers: sent };
};

/** Adds up what this PE has for each vertex, and sends what is for those of others. */
const byConveyor: Way = async (pe, { graph, each, first, ranks, ns }, rounds, told) => {
  const { vertices, degree, seed } = graph;
  const targets = new Uint32Array(ranks.length * degree);
  for (let e = 0; e < targets.length; e++) targets[e] = targetOf(first * degree + e, vertices, seed);
  const reached = targets
    .slice()
    .sort()
    .filter((v, i, all) => v !== all[i - 1]);
  const slotOf = new Map(Array.from(reached, (v, slot) => [v, slot]));
  const slots = targets.map((v) => slotOf.get(v) as number);
  const values = new Float64Array(reached.length);
  const sums = new Float64Array(ranks.length);
  const c = conveyor(pe, ITEM, told.rigid);
  const seconds = await timed(pe, async () => {
    for (let round = 0; round < rounds; round++) {
      values.fill(0);
      sums.fill(0);
      for (let e = 0; e < slots.length; e++) values[slots[e]] += ranks[Math.floor(e / degree)] / degree;
      pe.work(ns);
      await c.beginAsync();
      for (let i = 0; await c.advanceAsync(i === reached.length); ) {
        for (; i < reached.length; i++) {
          const v = reached[i];
          const own = v - first;
          if (own >= 0 && own < ranks.length) sums[own] += values[i];
          else if (!c.push(Math.floor(v / each), v, values[i])) break;
        }
        while (c.pull()) sums[c.item.vertex - first] += c.item.value;
      }
      c.reset();
      for (let v = 0; v < ranks.length; v++) ranks[v] = rankOf(sums[v], vertices);
    }
  });
  const { pushes, buffers } = c.stats().cumulative;
  c.free();
  return { seconds, messages: pushes, bytes: pushes * ITEM.bytes, buffers };
};

const program: Spmd = app("page-rank", OPTIONS, async (pe, told): Promise<Part> => {
  const { log2Vertices, degree, rounds, by, edgeNs, seed, spoil } = told;
  if (2 ** log2Vertices * degree > MOST_EDGES) {
    throw new ArgumentsError(
      `--log2-vertices, --degree: expected at most ${MOST_EDGES} edges, got ${2 ** log2Vertices * degree}`,
    );
  }
  const graph = graphOf(2 ** log2Vertices, degree, seed);
  const each = Math.ceil(graph.vertices / pe.size);
  const first = Math.min(graph.vertices, each * pe.rank);
  const ranks = new Float64Array(Math.min(each, graph.vertices - first)).fill(1 / graph.vertices);
  const block = { graph, each, first, ranks, ns: ranks.length * degree * edgeNs };
  const part = await (by === "conveyor" ? byConveyor : byAllgather)(pe, block, rounds, told);
  const slowest = await pe.allreduceAsync(part.seconds, "max");
  if (spoil && pe.rank === 0) ranks[0] *= 2;
  const right = expectedOf(graph, rounds);
  // the sums of a conveyor have another order
  const errors = ranks.filter((rank, v) => !(Math.abs(rank - right[first + v]) <= 1e-12 * right[first + v])).length;
  return {
    ...part,
    checksum: ranks.reduce((sum, rank) => sum + Math.round(rank * graph.vertices * 1000), 0),
    errors,
    more: { microsecondsPerRound: Number(((slowest * 1e6) / rounds).toPrecision(4)) },
  };
});

export default program;
