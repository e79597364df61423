/** What the PEs of open worlds run: the argument says which part. */

import { threadId } from "node:worker_threads";
import { conveyor as conveyorOf } from "../../../../src/conveyor.ts";
import type { Conveyor } from "../../../../src/facilities/conveyor/front/conveyor.ts";
import { type Scalar, u32 } from "../../../../src/ground/item/item-type.ts";
import type { Group } from "../../../../src/pe/group.ts";
import type { PE } from "../../../../src/pe/pe.ts";
import { type Spmd, spmd } from "../../../../src/pe/spmd.ts";

export interface OpenArgs {
  readonly part: string;
  readonly rank?: number;
  readonly value?: unknown;
  readonly count?: number;
}

let runs = 0;
let group: Group | null = null;
let conveyor: Conveyor<Scalar<number, "u32">> | null = null;

/** Sends a number to every PE by a conveyor that is made in the first run. @returns the sum of what came */
function stream(pe: PE, count: number): number {
  conveyor ??= conveyorOf(pe, u32);
  let sum = 0;
  conveyor.run(
    (push) => {
      for (let i = 0; i < count; i++) push(i % pe.size, i);
    },
    (value) => {
      sum += value;
    },
  );
  return sum;
}

function wait(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function print(rank: number): void {
  console.log(`line of ${rank}\nand another`);
  process.stdout.write("a part, ");
  console.error("an error");
  process.stdout.write("the rest");
}

const program: Spmd = spmd<OpenArgs>(async (pe, { part, rank = 0, value, count = 0 }) => {
  runs++;
  switch (part) {
    case "thread":
      return { rank: pe.rank, size: pe.size, thread: threadId, runs, value };
    case "sum":
      return pe.allreduce(pe.rank + 1, "sum");
    case "many":
      for (let i = 0; i < count; i++) pe.barrier();
      return pe.allreduce(count, "sum");
    case "stream":
      return stream(pe, count);
    case "alloc": {
      const array = pe.alloc(Float64Array, count);
      array.fill(pe.rank);
      pe.allreduce(array, "sum");
      const first = array[0];
      pe.free(array);
      return first;
    }
    case "post":
      for (let i = 0; i < count; i++) pe.post({ step: i });
      return pe.barrier();
    case "post a function":
      return pe.post(() => {});
    case "skip a reduce":
      if (pe.rank === rank) return "early";
      return pe.reduce(count, "sum", rank) ?? null;
    case "skip no reduce":
      return pe.reduce(count, "sum", rank) ?? null;
    case "each is the root":
      return pe.broadcast(count, pe.rank);
    case "a conveyor alone":
      if (pe.rank === rank) conveyorOf(pe, u32);
      return null;
    case "a call that is not awaited": {
      if (pe.rank === rank) pe.allreduceAsync(1, "sum").catch(() => {});
      return null;
    }
    case "nobody is the root in a group": {
      group ??= pe.group(Array.from({ length: pe.size }, (_, one) => one));
      group.gather(1, 1 - pe.rank);
      return null;
    }
    case "in a group alone": {
      group ??= pe.group(Array.from({ length: pe.size }, (_, one) => one));
      if (pe.rank === rank) group.broadcast(1, rank);
      return null;
    }
    case "all throw":
      throw new RangeError("none of us");
    case "throw":
      if (pe.rank === rank) throw new RangeError("no such thing");
      return pe.barrier();
    case "return early":
      if (pe.rank !== rank) pe.barrier();
      return "early";
    case "open session": {
      const c = conveyorOf(pe, u32);
      c.begin();
      return "left open";
    }
    case "exit":
      if (pe.rank === rank) process.exit(3);
      return pe.barrier();
    case "exit later":
      // not before the run has ended everywhere: the test says when
      if (pe.rank === rank) setInterval(() => Atomics.load(value as Int32Array, 0) && process.exit(4), 5);
      return "exits";
    case "hang":
      if (pe.rank === rank) for (;;) wait(50);
      return pe.barrier();
    case "slow":
      wait(count);
      return pe.rank;
    case "fill": {
      if (pe.rank !== rank) return pe.barrier();
      const kept: unknown[] = [];
      for (;;) kept.push(new Array(1000).fill(kept.length));
    }
    case "print":
      for (let turn = 0; turn < pe.size; turn++) {
        if (turn === pe.rank) print(turn);
        pe.barrier();
      }
      return undefined;
    case "print parts":
      if (pe.rank === 0) {
        const bytes = Buffer.from("é begun");
        process.stdout.write(bytes.subarray(0, 1));
        process.stdout.write(bytes.subarray(1));
      }
      pe.barrier();
      if (pe.rank === 1) console.log("whole");
      pe.barrier();
      if (pe.rank === 0) {
        console.log(", ended");
        process.stdout.write("left open");
      }
      return undefined;
    default:
      throw new Error(`no part ${part}`);
  }
});
export default program;
