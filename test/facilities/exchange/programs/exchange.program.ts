/** Exchanges at real PEs, on one node or over several: every discipline, and every way to call one. */

import * as assert from "uvu/assert";
import { conveyor } from "../../../../src/conveyor.ts";
import { type ExchangeOptions, exchange } from "../../../../src/exchange.ts";
import { type PE, type Spmd, spmd, u32 } from "../../../../src/index.ts";
import { DISCIPLINES, type DisciplineName } from "../../../../src/route/disciplines/options.ts";
import { playInTurn } from "../../../support/in-turn.ts";
import { blocksOf, dataOf, PATTERNS, Receipt, type Traffic } from "../support/blocks.ts";

export type Part = "disciplines" | "async" | "shared" | "all" | "elsewhere" | "groups" | "planned" | "pace";

export interface Args {
  readonly part: Part;
  readonly seed?: number;
  readonly most?: number;
  /** Of the patterns. @default all */
  readonly phases?: number;
}

const phasesOf = ({ seed = 1, most = 20_000, phases = PATTERNS.length }: Args): Traffic[] =>
  Array.from({ length: phases }, (_, k) => {
    const pattern = PATTERNS[(seed + k) % PATTERNS.length];
    return { pattern, seed: seed + k, blocks: 12, most };
  });

const optionsOf = (discipline: DisciplineName, k: number): ExchangeOptions => ({
  discipline,
  chunkBytes: [4096, 500, 100_000][k % 3],
  packetBytes: [2048, 1000][k % 2],
  buffersPerLink: ([2, 1, 4] as const)[k % 3],
  ...(discipline === "dynamic" && { window: [8, 1, 31][k % 3] }),
  ...(discipline === "token" && k % 2 === 1 && { barrierEvery: 3 }),
  ...(discipline === "dynamic" && { barrierEvery: [1, 0, 0, 5][k % 4] }),
});

/** Blocking, with some progress between the blocks. */
function disciplines(pe: PE, args: Args): number {
  const { seed = 1 } = args;
  for (const [k, discipline] of DISCIPLINES.entries()) {
    const x = exchange(pe, optionsOf(discipline, k + seed));
    for (const traffic of phasesOf(args)) {
      const receipt = new Receipt(traffic, pe.rank, pe.size);
      for (const [at, block] of blocksOf(traffic, pe.rank, pe.size).entries()) {
        x.schedule(block.dest, dataOf(pe.rank, block), block.tag);
        if ((at + pe.rank) % 3 === 0) x.serviceQueue((chunk) => receipt.take(chunk));
      }
      x.finish((chunk) => receipt.take(chunk));
      receipt.close();
    }
    assert.is(x.stats().phases, phasesOf(args).length);
    x.free();
  }
  return DISCIPLINES.length;
}

async function awaited(pe: PE, args: Args): Promise<number> {
  const { seed = 1 } = args;
  for (const [k, discipline] of DISCIPLINES.entries()) {
    const x = exchange(pe, optionsOf(discipline, k + seed));
    for (const traffic of phasesOf(args)) {
      const receipt = new Receipt(traffic, pe.rank, pe.size);
      for (const [at, block] of blocksOf(traffic, pe.rank, pe.size).entries()) {
        x.schedule(block.dest, dataOf(pe.rank, block), block.tag);
        if ((at + pe.rank) % 3 === 0) await x.serviceQueueAsync((chunk) => receipt.take(chunk));
      }
      await x.finishAsync((chunk) => receipt.take(chunk));
      receipt.close();
    }
    x.free();
  }
  return DISCIPLINES.length;
}

/** From arrays of the heap nothing is copied: their receivers get views of them. */
function shared(pe: PE): number {
  const length = 10_000;
  const array = pe.alloc(Float64Array, length);
  for (let i = 0; i < length; i++) array[i] = pe.rank * length + i;
  const x = exchange(pe, { discipline: "token", chunkBytes: 16_384, packetBytes: 256 });
  const got = Array.from({ length: pe.size }, () => new Float64Array(length));
  for (let to = 0; to < pe.size; to++) x.schedule(to, array);
  x.finish(({ from, offset, bytes }) => new Uint8Array(got[from].buffer).set(bytes, offset));
  for (const [from, values] of got.entries()) {
    for (let i = 0; i < length; i++) assert.is(values[i], from * length + i);
  }
  const { packets } = x.stats();
  x.free();
  pe.free(array);
  return packets;
}

function all(pe: PE): number {
  const { rank, size } = pe;
  for (const discipline of DISCIPLINES) {
    const x = exchange(pe, { discipline, chunkBytes: 1000 });
    const parts = Array.from({ length: size }, (_, to) =>
      (rank + to) % 3 === 0 ? undefined : Float64Array.from({ length: rank * 100 + to }, (_, i) => rank + to * 10 + i),
    );
    const got = x.all(parts);
    assert.is(got.length, size);
    for (const [from, array] of got.entries()) {
      const length = (rank + from) % 3 === 0 ? 0 : from * 100 + rank;
      assert.instance(array, size === 1 ? Uint8Array : Float64Array);
      assert.equal(
        [...array],
        Array.from({ length }, (_, i) => from + rank * 10 + i),
      );
    }
    x.free();
  }
  return size;
}

/** Tokens and bookings go on while a PE waits in a barrier, in a conveyor, and in an Async call. */
async function elsewhere(pe: PE): Promise<number> {
  const { rank, size } = pe;
  for (const discipline of ["token", "dynamic", "request-token", "barrier"] as const) {
    const x = exchange(pe, { discipline, chunkBytes: 1000 });
    let came = 0;
    const take = ({ bytes }: { readonly bytes: Uint8Array }) => {
      came += bytes.length;
    };
    for (const wait of ["barrier", "barrierAsync", "conveyor"]) {
      came = 0;
      // PE 0 has nothing to do with it until the others have got what they wait for
      const to = rank === size - 1 ? 1 : rank + 1;
      const isIn = rank > 0 && size > 2;
      if (isIn) x.schedule(to, new Uint8Array(5000));
      else x.serviceQueue(take);
      if (isIn) while (came < 5000) x.serviceQueue(take);
      if (wait === "barrier") pe.barrier();
      else if (wait === "barrierAsync") await pe.barrierAsync();
      else {
        const c = conveyor(pe, u32).begin();
        while (c.advance(true)) while (c.pull());
        c.reset();
        c.free();
      }
      x.finish(take);
      assert.is(came, isIn ? 5000 : 0);
    }
    x.free();
  }
  return 1;
}

function groups(pe: PE): number {
  const odd = pe.rank % 2;
  const ranks = Array.from({ length: pe.size }, (_, rank) => rank).filter((rank) => rank % 2 === odd);
  const group = pe.group(ranks);
  const x = exchange(group, { discipline: "dynamic", chunkBytes: 100 });
  const got = x.all(ranks.map((rank) => Int32Array.of(pe.rank, rank)));
  assert.equal(
    got.map(([from, to]) => [from, to]),
    ranks.map((rank) => [rank, pe.rank]),
  );
  x.free();
  group.leave();
  return ranks.length;
}

/** All PEs, of the world and of a group, come to the same plan: with another one at a PE there would be a MismatchError. */
function planned(pe: PE): number {
  const group = pe.group(Array.from({ length: pe.size }, (_, rank) => rank));
  for (const [among, destinations] of [
    [pe, undefined],
    [group, 1],
  ] as const) {
    const x = exchange(among, { load: { bytes: 200_000, destinations, skew: 2 } });
    assert.match(x.explain(), /chosen by a plan for the load/);
    const got = x.all(Array.from({ length: pe.size }, () => new Float64Array(3000).fill(pe.rank)));
    assert.equal(
      got.map((array) => array[2999]),
      Array.from({ length: pe.size }, (_, from) => from),
    );
    x.free();
  }
  group.leave();
  return 1;
}

/** ms that 400 KB take at 10 MB/s. */
function pace(pe: PE): number {
  const x = exchange(pe, { pace: 1e7, chunkBytes: 10_000 });
  const began = performance.now();
  x.schedule((pe.rank + 1) % pe.size, new Uint8Array(400_000));
  x.finish(() => {});
  x.free();
  return performance.now() - began;
}

const PARTS = { disciplines, async: awaited, shared, all, elsewhere, groups, planned, pace };

const main: Spmd = spmd((pe, args: Args | readonly Args[]) =>
  playInTurn(args, (step: Args) => PARTS[step.part](pe, step)),
);
export default main;
