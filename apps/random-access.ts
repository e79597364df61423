/**
 * RandomAccess of the HPC Challenge (GUPS): random words of a table that is spread over all PEs are changed by xor.
 *
 *     tundish run random-access.js -n 4 -- --log2-table 18
 *
 * The table has 2^n words of 64 bits; word i is i, and lies at PE i mod P. Update k is a(k): a(0) = 1, and a(k + 1) is a(k) * x
 * modulo x^64 + x^2 + x + 1 over GF(2). It changes word a(k) mod 2^n to its xor with a(k). Each PE computes a part of the updates,
 * and jumps to the first of them.
 *
 * By the rules of the benchmark a PE may hold back at most 1024 updates: `--look-ahead 1024` limits its buffers to so many, over one
 * hop or in a mesh. Source:
 * hpcchallenge.org, RandomAccess. Checked: each PE makes all updates of its words once more, from the only sequence, without a
 * conveyor; then word i must be i again. The benchmark allows errors in 1 % of the words, this program in none.
 */

import { type PE, type Spmd, struct, u32 } from "tundish";
import { type ConveyorOptions, conveyor } from "tundish/conveyor";
import { owned, share } from "./common.ts";
import { ArgumentsError, dashed, real, whole } from "./options.ts";
import { app, Pace, timed } from "./runner.ts";

const OPTIONS = {
  log2Table: whole(18, 1, 28),
  /** Updates, in multiples of the table. */
  updates: whole(4, 0, 1024),
  /** Updates that a PE may hold back; 0 for as many as its buffers have room for. */
  lookAhead: whole(0, 0, 2 ** 24),
  /** Time for which a PE computes before each update, ns. */
  gap: real(0, 0, 1e9),
};

/** An update has 8 bytes. */
const UPDATE = struct({ hi: u32, lo: u32 });
const UPDATE_BYTES = 8;

/** x^64 modulo the polynomial. */
const POLY = 7;

/** The sequence of updates: two halves of 32 bits, as bigints are slow. */
class Sequence {
  hi = 0;
  lo = 1;

  /** Goes on to the next one. */
  step(): void {
    const { hi, lo } = this;
    this.hi = ((hi << 1) | (lo >>> 31)) >>> 0;
    this.lo = ((lo << 1) ^ (hi >>> 31 === 1 ? POLY : 0)) >>> 0;
  }

  /** Goes to number k. As HPCC_starts does: x^k by squaring, where x^(2i + b) = (x^i)^2 * x^b. */
  jump(k: number): void {
    const times = (a: bigint): bigint => BigInt.asUintN(64, a << 1n) ^ (a >> 63n === 1n ? BigInt(POLY) : 0n);
    let power = 1n;
    for (const bit of k.toString(2)) {
      // the square of a sum over GF(2) is the sum of the squares: bit j stands for x^2j
      let square = 0n;
      for (let j = 0, term = 1n; j < 64; j++, term = times(times(term))) if ((power >> BigInt(j)) & 1n) square ^= term;
      power = bit === "1" ? times(square) : square;
    }
    this.hi = Number(power >> 32n);
    this.lo = Number(power & 0xffffffffn);
  }
}

/** Options of conveyors that `--look-ahead` decides. */
const OF_LOOK_AHEAD = ["hops", "groupSize", "bufferBytes", "buffersPerLink"] as const;

/**
 * One hop, or those of the mesh that was given, and one buffer for each link of a PE, which has its part of the updates: with more
 * hops a PE also holds back updates that it passes on. @throws ArgumentsError if that part is none
 */
function limited(options: ConveyorOptions, lookAhead: number, pe: PE): ConveyorOptions {
  if (lookAhead === 0 || options.type === "trivial") return options;
  const name = OF_LOOK_AHEAD.find((one) => options[one] !== undefined);
  if (name !== undefined) {
    throw new ArgumentsError(
      `--look-ahead: decides how many buffers a PE has, and how large they are, so ${dashed(name)} cannot be beside it; leave ` +
        "one of them out. For more hops use --mesh.",
    );
  }
  const { mesh } = options;
  // a PE has no more links than this
  const links = mesh === undefined ? pe.size : mesh.reduce((sum, size) => sum + size, 0);
  const each = Math.floor(lookAhead / links);
  if (each === 0) {
    throw new ArgumentsError(
      `--look-ahead: expected 0, or at least ${links}, one for each buffer of a PE, got ${lookAhead}`,
    );
  }
  return {
    ...options,
    ...(mesh === undefined && { hops: 1 }),
    ...{ buffersPerLink: 1, bufferBytes: each * UPDATE_BYTES },
  };
}

const program: Spmd = app("random-access", OPTIONS, async (pe, told) => {
  const table = 2 ** told.log2Table;
  const updates = told.updates * table;
  const hi = new Uint32Array(owned(table, pe));
  const lo = Uint32Array.from(hi, (_, i) => i * pe.size + pe.rank);
  const [first, end] = share(updates, pe);
  const sequence = new Sequence();
  sequence.jump(first + 1);

  const c = conveyor(pe, UPDATE, limited(told.rigid, told.lookAhead, pe));
  const seconds = await timed(pe, async () => {
    await c.beginAsync();
    let k = first;
    const pace = new Pace(pe, told.gap);
    do {
      for (pace.begin(); k < end && pace.before(k - first); k++) {
        const word = sequence.lo & (table - 1);
        if (!c.push(word % pe.size, sequence.hi, sequence.lo)) break;
        sequence.step();
      }
      while (c.pull()) {
        const update = c.item;
        const i = Math.floor((update.lo & (table - 1)) / pe.size);
        hi[i] ^= update.hi;
        lo[i] ^= update.lo;
      }
    } while (await c.advanceAsync(k === end));
    c.reset();
  });
  const { buffers } = c.stats();
  c.free();

  if (told.spoil && pe.rank === 0) lo[0]++;
  const checksum = lo.reduce((sum, word, i) => (sum + ((word ^ hi[i]) >>> 0)) % 2 ** 32, 0);
  const all = new Sequence();
  for (let k = 0; k < updates; k++) {
    all.step();
    const word = all.lo & (table - 1);
    if (word % pe.size !== pe.rank) continue;
    const i = Math.floor(word / pe.size);
    hi[i] ^= all.hi;
    lo[i] ^= all.lo;
  }
  const errors = lo.reduce((sum, word, i) => sum + (hi[i] === 0 && word === i * pe.size + pe.rank ? 0 : 1), 0);
  const bytes = (end - first) * UPDATE_BYTES;
  const slowest = await pe.allreduceAsync(seconds, "max");
  const gups = Number((slowest > 0 ? updates / slowest / 1e9 : 0).toPrecision(4));
  return { seconds, messages: end - first, bytes, buffers, checksum, errors, more: { gups } };
});
export default program;
