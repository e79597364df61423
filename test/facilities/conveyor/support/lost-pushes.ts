/**
 * Pushes that return false and are not repeated: the PE is told when it is done, and may then repeat them. Of every kind of push, for
 * threads and virtual PEs.
 */
import * as assert from "uvu/assert";
import { StateError } from "../../../../src/ground/base/errors.ts";
import { bytes, f64, struct, u8, u32 } from "../../../../src/ground/item/item-type.ts";
import { DONE, type Status } from "../../../../src/links/status/state.ts";
import type { ConveyorOptions } from "../../../../src/route/geometry/options.ts";
import type { Play, Seat } from "./seats.ts";

type Options = Omit<ConveyorOptions, "signal">;

/** A conveyor, and one way to push into it. */
interface Ware {
  readonly c: {
    readonly state: string;
    begin(): Play;
    advance(done?: boolean): Play<Status>;
    pull(): boolean;
    reset(): Play;
    free(): void;
  };
  push(dest: number): boolean;
}

const SMALL: Options = { bufferBytes: 64, buffersPerLink: 1 };
const inner = struct({ a: u8, b: f64 });

type Make = (seat: Seat, options: Options) => Ware;

const wares: readonly (readonly [name: string, make: Make])[] = [
  ...(
    [
      { type: "trivial" },
      { type: "simple" },
      { type: "simple", hops: 2 },
      { hops: 1 },
      { hops: 2 },
      { hops: 3 },
      { hops: 1, maxBufferedBytes: 256 },
    ] as const
  ).map(
    (options) =>
      [
        JSON.stringify(options),
        (seat: Seat, more: Options): Ware => {
          const c = seat.conveyor(u32, { ...SMALL, ...options, ...more });
          return { c, push: (dest) => c.push(dest, 7) };
        },
      ] as const,
  ),
  [
    "a struct with one inside",
    (seat, options) => {
      const c = seat.conveyor(struct({ inner, x: u32 }), { ...SMALL, ...options });
      return { c, push: (dest) => c.push(dest, { a: 1, b: 2 }, 3) };
    },
  ],
  [
    "pushUrgent of bytes",
    (seat, options) => {
      const c = seat.conveyor(bytes(24), { ...SMALL, ...options });
      return { c, push: (dest) => c.pushUrgent(dest, new Uint8Array(24)) };
    },
  ],
  [
    "pushAll",
    (seat, options) => {
      const c = seat.conveyor(u32, { ...SMALL, ...options });
      return { c, push: (dest) => c.pushAll(Uint32Array.of(dest, dest), Uint32Array.of(1, 2)) === 2 };
    },
  ],
  [
    "items of any length",
    (seat, options) => {
      const c = seat.elasticConveyor({ ...SMALL, ...options });
      return { c, push: (dest) => c.push(dest, new Uint8Array(20)) };
    },
  ],
  [
    "oversized items",
    (seat, options) => {
      const c = seat.elasticConveyor({ ...SMALL, ...options });
      return { c, push: (dest) => c.push(dest, new Uint8Array(1000)) };
    },
  ],
  [
    "pushAll of any length",
    (seat, options) => {
      const c = seat.elasticConveyor({ ...SMALL, ...options });
      const columns = [new Uint8Array(40), Uint32Array.of(0, 20, 40)] as const;
      return { c, push: (dest) => c.pushAll(Uint32Array.of(dest, dest), ...columns) === 2 };
    },
  ],
  [
    "values",
    (seat, options) => {
      const c = seat.valueConveyor({ ...SMALL, ...options });
      return { c, push: (dest) => c.push(dest, { any: "value" }) };
    },
  ],
  [
    "arrays",
    (seat, options) => {
      const c = seat.valueConveyor({ of: Float64Array, ...SMALL, ...options });
      return { c, push: (dest) => c.push(dest, new Float64Array(3)) };
    },
  ],
  [
    "queries, with no room in the buffers",
    (seat, options) => {
      const c = seat.biconveyor(u32, u32, (query) => query, { window: 1000, ...SMALL, ...options });
      return { c, push: (dest) => c.push(dest, 7) };
    },
  ],
  [
    "queries, with no room in the window",
    (seat, options) => {
      const c = seat.biconveyor(u32, u32, (query) => query, { window: 3, ...options });
      return { c, push: (dest) => c.push(dest, 7) };
    },
  ],
  [
    "pushAll of queries, with no room in the window",
    (seat, options) => {
      const c = seat.biconveyor(u32, u32, (query) => query, { window: 3, ...options });
      return { c, push: (dest) => c.pushAll(Uint32Array.of(dest, dest), Uint32Array.of(1, 2)) === 2 };
    },
  ],
  [
    "queries of any length, with no room in the window",
    (seat, options) => {
      const c = seat.elasticBiconveyor((query) => query, { window: 3, ...options });
      return { c, push: (dest) => c.push(dest, new Uint8Array(3)) };
    },
  ],
];

/** Pushes to a PE until there is no room. */
function fill({ push }: Ware, dest: number): void {
  for (let i = 0; push(dest); i++) assert.ok(i < 100_000, "there is always room");
}

function* end({ c }: Ware): Play {
  while ((yield* c.advance(true)) !== DONE) while (c.pull());
  yield* c.reset();
}

/** What advance(true) throws. */
function* lossOf({ c }: Ware): Play<Error> {
  try {
    yield* c.advance(true);
  } catch (error) {
    return error as Error;
  }
  return assert.unreachable("nothing was thrown") as never;
}

/** @param lossy whether items may be left out */
function* play(seat: Seat, make: Make, lossy: boolean): Play {
  const ware = make(seat, lossy ? { lossy } : {});
  const { c, push } = ware;
  const dest = (seat.rank + 1) % seat.size;
  for (let session = 0; session < 2; session++) {
    yield* c.begin();
    for (let i = 0; i < 2; i++) fill(ware, dest);
    if (!lossy) {
      for (let i = 0; i < 2; i++) {
        const error = yield* lossOf(ware);
        assert.instance(error, StateError, String(error.stack));
        assert.match(
          error.message,
          new RegExp(
            `^advance\\(true\\): the last (push|[1-4] pushes) at \\S*lost-pushes\\.[jt]s:\\d+ returned false, to PE ${dest} for .* \\(in this session [1-9] `,
          ),
        );
        assert.is(c.state, "working");
      }
      // one that succeeds is enough
      while (!push(dest)) {
        yield* c.advance();
        while (c.pull());
      }
    }
    yield* end(ware);
  }
  c.free();
}

/** With a name: what PEs play. */
export const all: readonly { readonly name: string; play(seat: Seat): Play }[] = wares.flatMap(([name, make]) =>
  [false, true].map((lossy) => ({
    name: lossy ? `${name}, lossy` : name,
    play: (seat: Seat) => play(seat, make, lossy),
  })),
);
