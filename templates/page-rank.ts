// PageRank of a random graph: each PE ranks a block of the vertices; what vertices give lies in memory that all PEs share.
import { isEntry, launch, spmd } from "tundish";

/** The edges that come to vertex v start at ends[starts[v]] … ends[starts[v + 1] - 1]; degrees: how many leave a vertex. */
type Graph = { starts: Uint32Array; ends: Uint32Array; degrees: Uint32Array };
type Result = { top: [vertex: number, rank: number]; rounds: number; ms: number };

const DAMPING = 0.85;

/** Every PE of this process runs this function, with the same graph and its own rank. */
export default spmd<Graph, Result>((pe, { starts, ends, degrees }) => {
  const n = degrees.length;
  const first = Math.floor((n * pe.rank) / pe.size);
  const end = Math.floor((n * (pe.rank + 1)) / pe.size);
  const ranks = new Float64Array(end - first).fill(1 / n);
  let gives = pe.allocShared(Float64Array, n); // what a vertex gives along each of its edges, of this round
  let next = pe.allocShared(Float64Array, n); // and of the next
  const totals = new Float64Array(2); // rank of the vertices without edges, and change by the last round
  const give = (v: number, to: Float64Array): void => {
    to[v] = degrees[v] > 0 ? ranks[v - first] / degrees[v] : 0;
    if (degrees[v] === 0) totals[0] += ranks[v - first];
  };
  const begin = performance.now();
  for (let v = first; v < end; v++) give(v, gives);
  totals[1] = 1;
  let rounds = 0;
  for (; ; rounds++) {
    pe.allreduce(totals, "sum"); // now all have written what their vertices give
    if (totals[1] < 1e-8) break;
    const base = (1 - DAMPING + DAMPING * totals[0]) / n;
    totals.fill(0);
    for (let v = first; v < end; v++) {
      let sum = 0;
      for (let e = starts[v]; e < starts[v + 1]; e++) sum += gives[ends[e]];
      const rank = base + DAMPING * sum;
      totals[1] += Math.abs(rank - ranks[v - first]);
      ranks[v - first] = rank;
      give(v, next);
    }
    [gives, next] = [next, gives];
  }
  const ms = performance.now() - begin;
  const best = ranks.reduce((top, rank, i) => (rank > ranks[top] ? i : top), 0);
  const top = pe.allreduce({ value: ranks[best], index: first + best }, "maxloc");
  return { top: [top.index, top.value], rounds, ms };
});

/** Edges between random vertices, ten for each; half of them go to the first tenth. In memory that all threads share. */
function makeGraph(edges: number): Graph {
  const n = Math.ceil(edges / 10);
  const shared = (length: number) => new Uint32Array(new SharedArrayBuffer(4 * length));
  const [starts, ends, degrees] = [shared(n + 1), shared(edges), shared(n)];
  let seed = 1;
  const random = (below: number) => {
    seed = (48271 * seed) % 2147483647;
    return seed % below;
  };
  const targets = Uint32Array.from({ length: edges }, () => random(random(2) === 0 ? n : Math.ceil(n / 10)));
  for (const target of targets) starts[target + 1]++;
  for (let v = 0; v < n; v++) starts[v + 1] += starts[v];
  const filled = starts.slice();
  for (const target of targets) {
    const source = random(n);
    ends[filled[target]++] = source;
    degrees[source]++;
  }
  return { starts, ends, degrees };
}

// every PE imports this file as well: only the main thread starts them
if (isEntry(import.meta)) {
  const program = new URL(import.meta.url);
  const args = makeGraph(Number(process.argv[2] ?? 2_000_000));
  const [alone] = await launch<Result>(program, { pes: 1, args });
  const all = await launch<Result>(program, { args }); // one PE per core
  const [{ top, rounds }] = all;
  const ms = Math.max(...all.map((result) => result.ms));
  console.log(`vertex ${top[0]} has the highest rank, ${top[1].toExponential(4)}`);
  console.log(`${rounds} rounds: 1 PE ${alone.ms.toFixed(0)} ms, ${all.length} PEs ${ms.toFixed(0)} ms`);
}
