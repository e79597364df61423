/** Which conveyors get the illegal calls. */
import type { ConveyorOptions } from "../../../../src/route/geometry/options.ts";
import type { Play, Seat } from "./seats.ts";
import { biStates, elasticStates, freeWhenComplete, rigidStates } from "./states.ts";

const small = { bufferBytes: 256 } as const;
const types: readonly Omit<ConveyorOptions, "signal">[] = [
  { type: "trivial" },
  { type: "simple", ...small },
  { type: "simple", hops: 2, ...small },
  { hops: 1, ...small, buffersPerLink: 1 },
  { hops: 2, ...small, steady: true },
  { hops: 3, ...small },
  { hops: 2, ...small, compress: true },
];

/** By name. */
export const all: readonly {
  readonly name: string;
  play(seat: Seat, more: ConveyorOptions): Play;
}[] = types.flatMap((options) => {
  const one = (front: string, play: (seat: Seat, options: ConveyorOptions) => Play) => ({
    name: `${front} ${JSON.stringify(options)}`,
    play: (seat: Seat, more: ConveyorOptions) => play(seat, { ...options, ...more }),
  });
  const { steady, compress, ...rest } = options;
  return [
    one("rigid", rigidStates),
    ...(options.type === "trivial" ? [] : [one("elastic", elasticStates)]),
    {
      name: `bi ${JSON.stringify(options)}`,
      play: (seat: Seat, more: ConveyorOptions) =>
        biStates(seat, {
          ...rest,
          ...(compress ? { compress } : {}),
          ...(steady ? { steady } : {}),
          ...more,
        }),
    },
    one("freed", freeWhenComplete),
  ];
});
