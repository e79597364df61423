/** Distances in a random graph by selectors whose mailboxes send to each other in a cycle. */
import { type SelectorOptions, selector } from "../../../src/conveyor.ts";
import { type PE, type Spmd, spmd, struct, u32 } from "../../../src/index.ts";
import { playInTurn } from "../../support/in-turn.ts";
import { mix } from "../conveyor/support/payloads.ts";

export interface Args {
  readonly part: "search" | "blocking" | "throwing" | "exiting" | "endless";
  readonly seed: number;
  readonly options?: SelectorOptions;
}

const VERTICES = 300;
const DEGREE = 3;
const FAR = 0xffffffff;

const neighbour = (seed: number, vertex: number, i: number): number => mix(seed, vertex, i) % VERTICES;
/** Not all are one. */
const weight = (seed: number, vertex: number, i: number): number => 1 + (mix(seed, vertex, i, 1) % 5);

/** The distances from vertex 0, each edge relaxed until nothing changes. */
function expectedOf(seed: number): Uint32Array {
  const distances = new Uint32Array(VERTICES).fill(FAR);
  distances[0] = 0;
  for (let changed = true; changed; ) {
    changed = false;
    for (let vertex = 0; vertex < VERTICES; vertex++) {
      if (distances[vertex] === FAR) continue;
      for (let i = 0; i < DEGREE; i++) {
        const other = neighbour(seed, vertex, i);
        const distance = (distances[vertex] as number) + weight(seed, vertex, i);
        if (distance >= (distances[other] as number)) continue;
        distances[other] = distance;
        changed = true;
      }
    }
  }
  return distances;
}

/** How many of this PE's distances are wrong. */
async function search(pe: PE, { part, seed, options }: Args): Promise<number> {
  const distances = new Uint32Array(VERTICES).fill(FAR);
  const timeout = part === "endless" ? { timeout: 300 } : {};
  const s = selector(
    pe,
    { relax: struct({ vertex: u32, distance: u32 }), spread: u32 },
    { bufferBytes: 64, ...options, ...timeout, ends: "quiescence" },
  );
  let count = 0;
  const handlers = {
    relax({ vertex, distance }: { vertex: number; distance: number }) {
      count++;
      if (part === "throwing" && pe.rank === 0 && count === 20) throw new TypeError("twenty");
      if (part === "exiting" && pe.rank === 1 && count === 20) process.exit(7);
      if (part === "endless" || distance < (distances[vertex] as number)) {
        distances[vertex] = distance;
        s.send.spread(pe.rank, vertex);
      }
    },
    spread(vertex: number) {
      for (let i = 0; i < DEGREE; i++) {
        const other = neighbour(seed, vertex, i);
        s.send.relax(other % pe.size, other, (distances[vertex] as number) + weight(seed, vertex, i));
      }
    },
  };
  if (part === "search") {
    await s.runAsync((send) => (pe.rank === 0 ? send.relax(0, 0, 0) : undefined), handlers);
  } else {
    s.run((send) => (pe.rank === 0 ? send.relax(0, 0, 0) : undefined), handlers);
  }
  const { relax, spread } = s.stats();
  s.free();
  const expected = expectedOf(seed).map((distance, vertex) => (vertex % pe.size === pe.rank ? distance : FAR));
  const wrong = distances.filter((distance, vertex) => distance !== expected[vertex]).length;
  // what one PE has counted the other one has
  const [pushed, pulled] = await pe.allreduceAsync(
    Float64Array.of(relax.pushes + spread.pushes, relax.pulls + spread.pulls),
    "sum",
  );
  return wrong + (pushed === pulled ? 0 : 1) + (relax.votes > 0 ? 0 : 1);
}

const program: Spmd = spmd((pe: PE, args: Args | readonly Args[]) =>
  playInTurn(args, (step: Args) => search(pe, step)),
);
export default program;
