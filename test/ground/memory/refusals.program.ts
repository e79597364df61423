/** Makes something that takes memory of the heap; tells the error. */

import { appendBuffer } from "../../../src/append.ts";
import { conveyor, elasticConveyor } from "../../../src/conveyor.ts";
import { exchange } from "../../../src/exchange.ts";
import { f64, type Spmd, spmd, struct, u32 } from "../../../src/index.ts";
import { channel } from "../../../src/messages.ts";
import type { PE } from "../../../src/pe/pe.ts";

export type What = "conveyor" | "elasticConveyor" | "exchange" | "channel" | "appendBuffer" | "alloc" | "allocShared";

export interface Args {
  readonly what: What;
  readonly options: Record<string, number>;
}

interface Options {
  readonly bytes?: number;
  readonly length?: number;
  readonly bufferBytes?: number;
}

/** Of each call: the options that a hint can name come from outside. */
const makers: Record<What, (pe: PE, options: Options) => unknown> = {
  conveyor: (pe, options) => conveyor(pe, struct({ at: u32, value: f64 }), options),
  elasticConveyor: (pe, options) => elasticConveyor(pe, options),
  exchange: (pe, options) => exchange(pe, { chunkBytes: 2 ** 24, ...options }),
  channel: (pe, options) => channel(pe, 1 - pe.rank, { partBytes: 2 ** 16, ...options }),
  appendBuffer: (pe, { bytes = 0 }) => appendBuffer(pe, bytes),
  alloc: (pe, { length = 0 }) => pe.alloc(Float64Array, length),
  allocShared: (pe, { length = 0 }) => pe.allocShared(Float64Array, length),
};

const main: Spmd<string> = spmd((pe, args: unknown) => {
  const { what, options } = args as Args;
  try {
    makers[what](pe, options);
    return "made";
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
});

export default main;
