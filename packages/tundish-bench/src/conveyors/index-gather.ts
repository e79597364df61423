/**
 * Index-gather: random elements of a table that is spread over all PEs are read by other PEs.
 *
 * The program of bale's apps and of items.c: 4-byte queries, 8-byte replies, 10000 elements of each PE. Loops of pushes
 * and pulls are answered by the table itself, `run` by a function, so that both are measured.
 */

import type { ConveyorJob, LoopKind, Sessions } from "../../../../microbench/conveyors/job.ts";
import { randomArray } from "../../../../microbench/turns/random.ts";
import { type Biconveyor, biconveyor } from "../../../../src/conveyor.ts";
import { f64, type PE, type Scalar, u32 } from "../../../../src/index.ts";
import { REQUESTS } from "./histogram.ts";

const TABLE = 10_000;

type Reads = Biconveyor<Scalar<number, "u32">, Scalar<number, "f64">>;
type Loop = (c: Reads, got: Float64Array, dests: Uint32Array, indices: Uint32Array) => void;

const LOOPS: Readonly<Record<LoopKind, Loop>> = {
  "item-wise": (c, got, dests, indices) => {
    c.begin();
    for (let i = 0, j = 0; c.advance(i === indices.length); ) {
      for (; i < indices.length; i++) if (!c.push(dests[i], indices[i])) break;
      while (c.pull()) got[j++] = c.item;
    }
    c.reset();
  },
  "batch-wise": (c, got, dests, indices) => {
    c.begin();
    for (let i = 0; c.advance(i === indices.length); ) {
      i = c.pushAll(dests, indices, i);
      for (let batch = c.pullAll(); batch !== null; batch = c.pullAll()) got.set(batch.columns, batch.first);
    }
    c.reset();
  },
  run: (c, got, dests, indices) => {
    c.run(
      (push) => {
        for (let i = 0; i < indices.length; i++) push(dests[i], indices[i]);
      },
      (value, i) => {
        got[i] = value;
      },
    );
  },
};

/** Prepares everything that is not timed. Collective. */
export function indexGather(pe: PE, { way, options }: Pick<ConveyorJob, "way" | "options">): Sessions {
  const loop = LOOPS[way];
  const table = pe.alloc(Float64Array, TABLE);
  for (let i = 0; i < TABLE; i++) table[i] = -(i * pe.size + pe.rank + 1);
  const answers = way === "run" ? (index: number) => table[index] : { table };
  const c = biconveyor(pe, u32, f64, answers, options);
  const dests = randomArray(REQUESTS, pe.size, 2 * pe.rank);
  const indices = randomArray(REQUESTS, TABLE, 2 * pe.rank + 1);
  const got = new Float64Array(REQUESTS);
  let asked = 0;
  return {
    most: REQUESTS,
    session: (items) => {
      asked = items;
      loop(c, got, dests.subarray(0, items), indices.subarray(0, items));
    },
    check: () => {
      for (let i = 0; i < asked; i++) {
        const expected = -(indices[i] * pe.size + dests[i] + 1);
        if (got[i] !== expected) {
          throw new Error(`PE ${pe.rank}: query ${i}: expected ${expected}, got ${got[i]}`);
        }
      }
      got.fill(0);
    },
  };
}
