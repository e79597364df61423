/** The matrix: every type of conveyor, with every size of items, on either back end. */
import * as assert from "uvu/assert";
import { bytes, type ItemType } from "../../../../src/ground/item/item-type.ts";
import type { Codec } from "../../../../src/route/geometry/codec.ts";
import type { ConveyorOptions } from "../../../../src/route/geometry/options.ts";
import type { SimulatedConveyor } from "../../../../src/running/simulate/conveyors.ts";
import { ask, elasticAsking, rigidAsking } from "./asking.ts";
import { elasticWares, rigidWares, type Session, stream, tallyOf, type Watch } from "./client.ts";
import { kindOf, mix, PATTERNS } from "./payloads.ts";
import type { Play, Seat } from "./seats.ts";

/** A conveyor of the matrix; several sessions of it are played. */
export interface Case {
  readonly front: "rigid" | "elastic" | "bi" | "elastic bi";
  readonly options: Omit<ConveyorOptions, "signal">;
  /** A codec of the user's. */
  readonly ownCodec?: boolean;
  /** In a mesh of so many dimensions, which {@link meshOf} the PEs. */
  readonly dimensions?: number;
}

/** The PEs in a mesh whose sizes are products of their number's prime factors: 24 are 6 x 2 x 2. */
export function meshOf(pes: number, dimensions: number): readonly number[] {
  const mesh: number[] = new Array(dimensions).fill(1);
  let rest = pes;
  for (let i = 0, prime = 2; rest > 1; ) {
    if (rest % prime === 0) {
      mesh[i++ % dimensions] *= prime;
      rest /= prime;
    } else prime++;
  }
  return mesh;
}

/** Every other byte of those that are equal to the byte before. Works on all data, and seldom gains. */
const runs: Codec = {
  compress(items, _itemBytes, target) {
    let to = 0;
    for (let at = 0; at < items.length; ) {
      let run = 1;
      while (run < 255 && items[at + run] === items[at]) run++;
      if (to + 2 > target.length) return 0;
      target[to++] = run;
      target[to++] = items[at];
      at += run;
    }
    return to;
  },
  decompress(compressed, _itemBytes, items) {
    let to = 0;
    for (let at = 0; at < compressed.length; at += 2) {
      items.fill(compressed[at + 1], to, to + compressed[at]);
      to += compressed[at];
    }
  },
};

const rigid: readonly Omit<ConveyorOptions, "signal">[] = [
  { type: "trivial" },
  { type: "trivial", steady: true },
  { type: "simple" },
  { type: "simple", steady: true },
  { type: "simple", hops: 2 },
  { type: "simple", hops: 2, steady: true },
  { hops: 1 },
  { hops: 1, steady: true },
  { hops: 2 },
  { hops: 2, steady: true },
  { hops: 2, compress: true },
  { hops: 3 },
  { hops: 3, steady: true },
  { hops: 3, compress: true },
];
const elastic: readonly Omit<ConveyorOptions, "signal">[] = [
  { type: "simple" },
  { type: "simple", hops: 2 },
  { hops: 1 },
  { hops: 2, steady: true },
  { hops: 2, compress: true },
  { hops: 3 },
  { hops: 3, compress: true },
];
const bi: readonly Omit<ConveyorOptions, "signal">[] = [
  { type: "simple" },
  { type: "simple", hops: 2 },
  { hops: 1 },
  { hops: 2 },
  { hops: 3 },
];

const meshes: readonly Case[] = [
  { front: "rigid", options: { steady: true }, dimensions: 4 },
  { front: "rigid", options: { compress: true }, dimensions: 2 },
  { front: "elastic", options: { steady: true }, dimensions: 4, ownCodec: true },
  { front: "bi", options: {}, dimensions: 3 },
];

/** Buffers that are sent early. */
const early: readonly Case[] = [
  { front: "rigid", options: { hops: 2, threshold: 0.4, maxDelay: 0.01 } },
  { front: "rigid", options: { hops: 3, maxBufferedBytes: 600, steady: true } },
  { front: "rigid", options: { type: "simple", hops: 2, maxBufferedBytes: 700, maxDelay: 0 } },
  { front: "elastic", options: { type: "simple", threshold: 0.3 } },
  { front: "elastic", options: { hops: 2, cutoff: 0.25, maxBufferedBytes: 1000 } },
  { front: "elastic", options: { hops: 3, threshold: 0.5, maxDelay: 0.01, compress: true } },
  { front: "rigid", options: { hops: 2, adapt: true, maxBufferedBytes: 600 } },
  { front: "elastic", options: { adapt: true, cutoff: 0.25, maxDelay: 0.01 }, dimensions: 5 },
  { front: "bi", options: { hops: 3, adapt: true } },
];

/** All conveyors of the matrix, with so many buffers to a link. */
export function casesWith(buffersPerLink: 1 | 2 | 4): readonly Case[] {
  const all: Case[] = [
    ...rigid.map((options) => ({ front: "rigid", options }) as const),
    { front: "rigid", options: { hops: 2 }, ownCodec: true },
    { front: "elastic", options: { hops: 3 }, ownCodec: true },
    ...elastic.map((options) => ({ front: "elastic", options }) as const),
    ...bi.map((options) => ({ front: "bi", options }) as const),
    { front: "bi", options: { type: "trivial" } },
    ...bi.map((options) => ({ front: "elastic bi", options }) as const),
    ...meshes,
    ...early,
  ];
  return all.map((one) => ({ ...one, options: { ...one.options, buffersPerLink } }));
}

/** All kinds of tensors of the matrix, once each, in a mesh and with two buffers to a link. */
export function tensorsIn(mesh: readonly number[]): readonly Case[] {
  const known = new Map<string, Case>();
  for (const { dimensions, options, ...one } of casesWith(2)) {
    if ((options.type ?? "tensor") !== "tensor") continue;
    const { hops, buffersPerLink, ...others } = options;
    const own = { ...one, options: { ...others, mesh } };
    known.set(nameOf(own), own);
  }
  return [...known.values()];
}

/** Whether one number of buffers is enough for it in a plain run. */
export const isBrief = ({ dimensions, options }: Case): boolean =>
  dimensions !== undefined ||
  early.some((one) =>
    Object.entries(one.options).every(([name, value]) => options[name as keyof typeof options] === value),
  );

/** In words. */
export const nameOf = ({ front, options, ownCodec, dimensions }: Case): string =>
  `${front} ${JSON.stringify(options)}${ownCodec ? " with a codec" : ""}${dimensions ? ` in ${dimensions} dimensions` : ""}`;

const SIZES = [1, 2, 3, 7, 8, 24, 128];
/** A whole buffer is one of the sizes. */
export const BUFFER_BYTES = 256;

/** Sessions in which an item of every size is sent, a whole buffer among them. */
export const ALL_SIZES: number = SIZES.length + 1;

/** How many items, at most, and how many sessions. */
export interface Volume {
  readonly count: number;
  readonly sessions: number;
  /**
   * Sizes of items and patterns follow from the number of the session: that of the first one. Any {@link ALL_SIZES} that follow each other
   * have them all. @default any, and any patterns
   */
  readonly first?: number;
  /** Chance that a pulled item is put back. @default another one in each session */
  readonly reject?: number;
}

/** One conveyor of the matrix, from its making to its end. */
export function* playCase(
  pe: Seat,
  one: Case,
  { count, sessions, first, reject }: Volume,
  seed: number,
  watch?: Watch,
): Play {
  /** The patterns change by one from each round of sizes to the next. */
  const patternOf = (number: number) => number + Math.floor(number / ALL_SIZES);
  const sessionOf = (k: number): Session => ({
    pattern: PATTERNS[(first === undefined ? mix(seed, k) : patternOf(first + k)) % PATTERNS.length],
    count: count === 0 ? 0 : 1 + (mix(seed, k, 1) % count),
    seed: mix(seed, k, 2),
    reject: reject ?? [0, 0.1, 0.5][mix(seed, k, 3) % 3],
    low: mix(seed, k, 4) % 2 === 0,
    burst: [Number.POSITIVE_INFINITY, 1, 7][mix(seed, k, 5) % 3],
    lazy: [0, 0.5][mix(seed, k, 6) % 2],
  });
  const bufferBytes = one.options.type === "trivial" ? {} : { bufferBytes: BUFFER_BYTES };
  const options = {
    ...one.options,
    ...bufferBytes,
    ...(one.ownCodec ? { compress: runs } : {}),
    ...(one.dimensions ? { mesh: meshOf(pe.size, one.dimensions) } : {}),
  };
  switch (one.front) {
    case "rigid":
      return yield* playRigid(pe, options, sessions, first ?? mix(seed, 7), sessionOf, watch);
    case "elastic": {
      const c = pe.elasticConveyor(options);
      for (let k = 0; k < sessions; k++) {
        yield* c.begin();
        const session = sessionOf(k);
        yield* stream(c, elasticWares(c, BUFFER_BYTES, session.low === true), session, watch);
        yield* c.reset();
      }
      return c.free();
    }
    default: {
      // a window that is full, and one that never is
      const window = mix(seed) % 2 === 0 ? 5 : 8192;
      const c =
        one.front === "bi"
          ? rigidAsking(pe, { ...options, window }, mix(seed, 1) % 2 === 0)
          : elasticAsking(pe, 2 * BUFFER_BYTES, { ...options, window });
      for (let k = 0; k < sessions; k++) {
        yield* c.begin();
        yield* ask([c], sessionOf(k));
        yield* c.reset();
        assert.is(c.state, "dormant");
      }
      c.free();
    }
  }
}

function* playRigid(
  pe: Seat,
  options: ConveyorOptions,
  sessions: number,
  firstSize: number,
  sessionOf: (k: number) => Session,
  watch: Watch | undefined,
): Play {
  // the trivial one takes items as large as its own
  const largest = options.type === "trivial" ? 128 : BUFFER_BYTES;
  const first: ItemType = bytes(largest);
  const c = pe.conveyor(first, options) as SimulatedConveyor<ItemType>;
  const tally = options.steady || options.maxDelay !== undefined ? tallyOf(pe, options) : null;
  const sizes = options.type === "trivial" ? SIZES : [...SIZES, BUFFER_BYTES];
  for (let k = 0; k < sessions; k++) {
    const session = sessionOf(k);
    const kind = kindOf(sizes[(firstSize + k) % sizes.length]);
    yield* c.begin(kind.item);
    if (tally !== null) yield* tally.begin();
    const wares = rigidWares(c, kind, session.low === true);
    const came = yield* stream(c, wares, session, watch, tally);
    if (tally !== null) yield* tally.reset();
    yield* c.reset();
    assert.is(c.state, "dormant");
    const stats = c.stats();
    assert.is(stats.pulls - stats.unpulls, came);
  }
  assert.is(c.stats().cumulative.begins, sessions);
  yield* refuseTooLarge(c, largest + 1);
  tally?.free();
  c.free();
}

/** An item that is larger than a buffer is refused by begin, and all is as before. */
function* refuseTooLarge(c: SimulatedConveyor<ItemType>, size: number): Play {
  let code: unknown;
  try {
    yield* c.begin(bytes(size));
  } catch (error) {
    ({ code } = error as { code?: unknown });
  }
  assert.equal([code, c.state], ["ERR_TUNDISH_OFLO", "dormant"]);
}
