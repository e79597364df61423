/** Broadcasts: long runs in order, odd numbers, bytes at odd places. */
import * as assert from "uvu/assert";
import { broadcast, type PE, type Spmd, spmd } from "../../../src/index.ts";
import { elements, firstDifference, random } from "../support/reference.ts";

/** What the PEs are told to do. */
export interface Args {
  readonly part: "order" | "numbers" | "bytes";
  readonly rounds?: number;
  readonly root?: number;
  /** A PE lingers now and then, so that the root runs ahead until the links are full. */
  readonly slow?: number;
}

const NUMBERS = [0, -0, 1, -1.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 5e-324, 2 ** 53];

/** Message i of a run is a number, or an array of 1, 7 or 8 elements: in and beyond one cache line. */
function order(pe: PE, { rounds = 0, root = 0, slow = -1 }: Args): number {
  const arrays = [1, 7, 8].map((length) => new Float64Array(length));
  const next = random(pe.rank);
  let arrived = 0;
  for (let i = 0; i < rounds; i++) {
    if (pe.rank === slow && next() < 0.01) for (let k = next() * 100_000; k > 0; k--) Math.sqrt(k);
    const x = i % 4 === 3 ? arrays[(i >> 2) % 3] : null;
    const sent = pe.rank === root ? i : -1;
    let got: number;
    if (x === null) got = i % 2 === 0 ? pe.broadcast(sent, root) : broadcast(sent, root);
    else {
      x.fill(sent);
      pe.broadcast(x, root);
      got = x.every((value) => value === x[0]) ? x[0] : Number.NaN;
    }
    if (got !== i) assert.unreachable(`message ${i} arrived as ${got} at PE ${pe.rank}`);
    arrived++;
  }
  return arrived;
}

function numbers(pe: PE): number {
  let checked = 0;
  for (let root = 0; root < pe.size; root++) {
    for (const value of NUMBERS) {
      const got = pe.broadcast(pe.rank === root ? value : 42, root);
      assert.ok(Object.is(got, value), `${value} from PE ${root} arrived as ${got} at PE ${pe.rank}`);
      checked++;
    }
  }
  assert.is(pe.broadcast(pe.rank), 0, "the root is PE 0 unless told otherwise");
  return checked;
}

/** Bytes at every misalignment, and a Buffer, which is a Uint8Array too. */
function bytes(pe: PE): number {
  let checked = 0;
  for (let offset = 0; offset < 16; offset++) {
    for (const length of [0, 1, 7, 55, 56, 57, 64, 1000]) {
      const root = checked++ % pe.size;
      const values = elements("Uint8Array", length, checked);
      const whole = (offset + pe.rank) % 2 === 0 ? new Uint8Array(1100) : Buffer.alloc(1100);
      const x = whole.subarray(offset, offset + length);
      if (pe.rank === root) x.set(values as Uint8Array);
      pe.broadcast(x, root);
      assert.is(firstDifference(x, values), -1, `${length} bytes at ${offset} from PE ${root}`);
      assert.is(
        whole.reduce((sum, byte) => sum + byte, 0),
        x.reduce((sum, byte) => sum + byte, 0),
      );
    }
  }
  return checked;
}

const parts: Record<Args["part"], (pe: PE, args: Args) => number> = { order, numbers, bytes };

const program: Spmd = spmd((pe, args) => parts[(args as Args).part](pe, args as Args));

export default program;
