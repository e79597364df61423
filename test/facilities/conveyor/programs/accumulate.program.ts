/** Items that go into tables, on threads and over nodes: tables in the heap, for which there are kernels, and others. */

import * as fc from "fast-check";
import { biconveyor, conveyor } from "../../../../src/conveyor.ts";
import { ARRAYS, type TypedArray } from "../../../../src/ground/memory/kernels/elements.ts";
import { f64, i32, type PE, type Spmd, spmd, struct, u32 } from "../../../../src/index.ts";
import { playInTurn } from "../../../support/in-turn.ts";
import { playOut, threadSeat } from "../support/seats.ts";
import {
  accumulate,
  accumulateByRun,
  askTable,
  type MakeTable,
  type TableTrial,
  tableTrials,
  type Way,
} from "../support/tables.ts";

export interface Args {
  readonly part: "any" | "answers" | "outside" | "freed" | "freedAnswers";
  readonly way?: Way | "run";
  readonly trials?: number;
}

/** What is drawn, with a table of each kind. */
function any(pe: PE, { way = "accumulate", trials = 30 }: Args): number {
  return drawn(pe, trials, (trial, make) => {
    if (way === "run") accumulateByRun(pe, trial, make);
    else playOut(accumulate(threadSeat(pe), trial, way, make));
  });
}

/** The same as queries. */
function answers(pe: PE, { trials = 30 }: Args): number {
  return drawn(pe, trials, (trial, make) => playOut(askTable(threadSeat(pe), trial, make)));
}

function drawn(pe: PE, trials: number, act: (trial: TableTrial, make: MakeTable) => void): number {
  const all = fc.sample(tableTrials, { numRuns: trials, seed: 7 * pe.size });
  for (const [i, trial] of all.entries()) {
    const heap: TypedArray[] = [];
    const make: MakeTable = (type, length) => {
      if (i % 4 === 3) return new ARRAYS[type](length);
      // not from the beginning of what was allocated
      const array = pe.alloc(ARRAYS[type] as never, length + 3) as TypedArray;
      heap.push(array);
      return array.subarray(3);
    };
    try {
      act(trial, make);
    } catch (error) {
      throw new Error(`${JSON.stringify(trial)}: ${(error as Error).stack}`, { cause: error });
    }
    for (const array of heap) pe.free(array);
  }
  return 0;
}

/** The same items into a table of each kind: each stops at the same one, with the same in it. */
function outside(pe: PE): string {
  const c = conveyor(pe, struct({ at: i32, x: f64 }));
  const heap = pe.alloc(Float64Array, 8);
  const said = [heap, new Float64Array(8)].map((table) => {
    const codes: string[] = [];
    c.begin();
    for (const at of [1, 1, 8, 2, -3, 7]) c.push(pe.rank, at, at + 0.5);
    for (let isOn = true; isOn; ) {
      isOn = c.advance(true) !== 0;
      try {
        if (isOn) c.accumulate(table, { op: "sum", index: "at", value: "x" });
      } catch (error) {
        const { code, index, from } = error as { code: string; index: number; from: number };
        codes.push(`${code} ${index} ${from - pe.rank} ${table.join()}`);
        c.pull();
      }
    }
    c.reset();
    return `${codes} ${table.join()}`;
  });
  const wanted = "ERR_TUNDISH_INDEX 8 0 0,3,0,0,0,0,0,0,ERR_TUNDISH_INDEX -3 0 0,3,2.5,0,0,0,0,0 0,3,2.5,0,0,0,0,7.5";
  pe.free(heap);
  return said.every((one) => one === wanted) ? "as the reference" : said.join("\n");
}

/** A table that is given back between two calls, and one before the session. */
function freed(pe: PE): string {
  const c = conveyor(pe, u32).begin();
  const counts = pe.alloc(Uint32Array, 4);
  const other = new Uint32Array(4);
  c.accumulate(counts, { op: "count" });
  pe.free(counts);
  const codes: string[] = [];
  const into = (table: Uint32Array): void => {
    try {
      c.accumulate(table, { op: "count" });
    } catch (error) {
      codes.push((error as { code: string }).code);
    }
  };
  into(counts);
  into(other);
  into(counts);
  for (let i = 0; i < 3; i++) c.push(pe.rank, 2);
  while (c.advance(true)) c.accumulate(other, { op: "count" });
  c.reset();
  return [...codes, other[2]].join(" ");
}

/** A table that is given back before the queries come: advance throws. */
function freedAnswers(pe: PE): void {
  const table = pe.alloc(Float64Array, 4);
  const c = biconveyor(pe, u32, f64, { table }).begin();
  pe.free(table);
  c.push(pe.rank, 1);
  while (c.advance(true)) c.pull();
}

const parts: Readonly<Record<Args["part"], (pe: PE, args: Args) => unknown>> = {
  ...{ any, answers, outside, freed, freedAnswers },
};

const program: Spmd = spmd((pe, args) =>
  playInTurn(args as Args | readonly Args[], (step) => parts[step.part](pe, step)),
);
export default program;
