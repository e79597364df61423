/** Items of any length as columns, on threads and over nodes: in arrays of the heap, which kernels read in place, and in others. */
import * as fc from "fast-check";
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { playInTurn } from "../../../support/in-turn.ts";
import { type MakeArrays, packetTrials, passPackets } from "../support/packets.ts";
import { playOut, threadSeat } from "../support/seats.ts";

export interface Args {
  readonly part: "pass";
  readonly trials: number;
}

function pass(pe: PE, { trials }: Args): number {
  for (const [i, trial] of fc.sample(packetTrials, { numRuns: trials, seed: pe.size }).entries()) {
    const heap: (Uint8Array | Uint32Array)[] = [];
    // each array here or there
    const isPrivate = (k: number): boolean => ((i >> k) & 1) === 1;
    let words = 0;
    const make: MakeArrays = {
      bytes: (length) => {
        const most = pe.allreduce(length, "max");
        if (isPrivate(0)) return new Uint8Array(length);
        const array = pe.alloc(Uint8Array, most);
        heap.push(array);
        return array.subarray(0, length);
      },
      words: (length) => {
        if (isPrivate(++words)) return new Uint32Array(length);
        const array = pe.alloc(Uint32Array, length);
        heap.push(array);
        return array;
      },
    };
    try {
      playOut(passPackets(threadSeat(pe), trial, make));
    } catch (error) {
      throw new Error(`${JSON.stringify(trial)}: ${(error as Error).stack}`, { cause: error });
    }
    for (const array of heap) pe.free(array);
  }
  return 0;
}

const program: Spmd = spmd((pe, args) => playInTurn(args as Args | readonly Args[], (step) => pass(pe, step)));
export default program;
