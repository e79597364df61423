/**
 * Graph search: the distance of each vertex of a Kronecker graph from vertex 0, by a cyclic selector that ends by itself. A visit with a
 * shorter distance than the one known visits all neighbours; there are no levels and no barriers, only visits until none is under way.
 *
 *     tundish run graph-search.js -n 4 -- --scale 12 --edges 65536
 *     tundish simulate graph-search.js --pes 8 --nodes 2 --args '["--scale", "10"]'
 *     mpirun -n 2 tundish run graph-search.js -n 2 -- --scale 12
 *
 * Source: the edges of Graph500 (R-MAT with A = 0.57, B = 0.19, C = 0.19), without its permutation of vertices. Checked: each distance
 * against a breadth-first search of the whole graph at each PE.
 */

import { type Spmd, struct, u32 } from "tundish";
import { selector } from "tundish/conveyor";
import { owned, randomBelow } from "./common.ts";
import { whole } from "./options.ts";
import { app, timed } from "./runner.ts";

const OPTIONS = {
  scale: whole(10, 1, 24),
  /** @default 16 for each vertex */
  edges: whole(undefined, 0, 2 ** 28),
};

/** Of a vertex that is not reached. */
const FAR = 0xffffffff;
/** Edges that are searched for at a time. */
const CHUNK = 4096;

/** In units of 2^-16: the parts of the adjacency matrix that an edge falls into. */
const A = Math.round(0.57 * 2 ** 16);
const AB = Math.round(0.76 * 2 ** 16);
const ABC = Math.round(0.95 * 2 ** 16);

/** The two ends of edge number `edge`, the same at every PE. */
function endsOf(scale: number, seed: number, edge: number): readonly [from: number, to: number] {
  let from = 0;
  let to = 0;
  for (let level = 0; level < scale; level++) {
    const part = randomBelow(2 ** 16, seed, edge * scale + level);
    from = 2 * from + (part < AB ? 0 : 1);
    to = 2 * to + (part < A || (part >= AB && part < ABC) ? 0 : 1);
  }
  return [from, to];
}

/** Neighbours of some vertices, those of a vertex next to each other. */
interface Graph {
  /** By vertex, where its neighbours begin; one more than there are vertices. */
  readonly first: Uint32Array;
  readonly neighbours: Uint32Array;
}

/** The undirected graph of the vertices that `indexOf` gives an index, from 0 on; -1 for the others. */
function graphOf(
  vertices: number,
  scale: number,
  edges: number,
  seed: number,
  indexOf: (vertex: number) => number,
): Graph {
  const first = new Uint32Array(vertices + 1);
  const each = (take: (index: number, other: number) => void) => {
    for (let edge = 0; edge < edges; edge++) {
      const [a, b] = endsOf(scale, seed, edge);
      const [at, to] = [indexOf(a), indexOf(b)];
      if (at >= 0) take(at, b);
      if (to >= 0) take(to, a);
    }
  };
  each((index) => {
    first[index + 1]++;
  });
  for (let index = 0; index < vertices; index++) first[index + 1] += first[index];
  const neighbours = new Uint32Array(first[vertices]);
  const next = first.slice();
  each((index, other) => {
    neighbours[next[index]++] = other;
  });
  return { first, neighbours };
}

/** The distances of all vertices from vertex 0, level by level. */
function searched({ first, neighbours }: Graph): Uint32Array {
  const distances = new Uint32Array(first.length - 1).fill(FAR);
  const queue = new Uint32Array(first.length);
  let end = 1;
  distances[0] = 0;
  for (let at = 0; at < end; at++) {
    const vertex = queue[at];
    for (let i = first[vertex]; i < first[vertex + 1]; i++) {
      const next = neighbours[i];
      if (distances[next] !== FAR) continue;
      distances[next] = distances[vertex] + 1;
      queue[end++] = next;
    }
  }
  return distances;
}

const VISIT = struct({ vertex: u32, distance: u32 });
const OPEN = struct({ vertex: u32, distance: u32, from: u32 });

const program: Spmd = app("graph-search", OPTIONS, async (pe, told) => {
  const { scale, seed, edges = 16 * 2 ** scale } = told;
  const { rank, size } = pe;
  const vertices = 2 ** scale;
  const own = owned(vertices, pe);
  // vertex v is at PE v % size, there number floor(v / size)
  const { first, neighbours } = graphOf(own, scale, edges, seed, (vertex) =>
    vertex % size === rank ? Math.floor(vertex / size) : -1,
  );
  const distances = new Uint32Array(own).fill(FAR);

  // Two mailboxes in a cycle: a visit opens its vertex by as many chunks as it has neighbours for, and a chunk visits those.
  const s = selector(pe, { visit: VISIT, open: OPEN }, { ...told.rigid, ends: "quiescence" });
  const seconds = await timed(pe, () =>
    s.runAsync((send) => (rank === 0 ? send.visit(0, 0, 0) : undefined), {
      visit({ vertex, distance }) {
        const index = Math.floor(vertex / size);
        if (distance >= distances[index]) return;
        distances[index] = distance;
        s.send.open(rank, vertex, distance, first[index]);
      },
      open(item) {
        const { vertex, distance, from } = item;
        const index = Math.floor(vertex / size);
        // a shorter one has come meanwhile
        if (distance > distances[index]) return;
        const end = Math.min(first[index + 1], from + CHUNK);
        for (let i = from; i < end; i++) s.send.visit(neighbours[i] % size, neighbours[i], distance + 1);
        if (end < first[index + 1]) s.send.open(rank, vertex, distance, end);
      },
    }),
  );
  const { visit, open } = s.stats();
  s.free();

  if (told.spoil && rank === 0) distances[0]++;
  const expected = searched(graphOf(vertices, scale, edges, seed, (vertex) => vertex));
  const errors = distances.filter((distance, index) => distance !== expected[index * size + rank]).length;
  const found = distances.filter((distance) => distance !== FAR);
  const farthest = found.reduce((most, distance) => Math.max(most, distance), 0);
  return {
    ...{ seconds, errors },
    messages: visit.pushes + open.pushes,
    bytes: visit.pushes * VISIT.bytes + open.pushes * OPEN.bytes,
    buffers: visit.buffers + open.buffers,
    checksum: found.reduce((sum, distance) => sum + distance, 0),
    more: {
      edges,
      reached: await pe.allreduceAsync(found.length, "sum"),
      eccentricity: await pe.allreduceAsync(farthest, "max"),
      waves: visit.votes,
    },
  };
});

export default program;
