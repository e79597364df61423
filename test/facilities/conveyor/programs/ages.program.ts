/**
 * Streams on threads, and the ages of their buffers. A PE measures the time between its own advances, so that it may be made to wait
 * at any point: each buffer has its own bound.
 */

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { conveyor, elasticConveyor } from "../../../../src/conveyor.ts";
import type { BufferSent } from "../../../../src/facilities/conveyor/engine/observe.ts";
import { sessionOf } from "../../../../src/facilities/conveyor/faces/session.ts";
import { bytes } from "../../../../src/ground/item/item-type.ts";
import type { PE } from "../../../../src/pe/pe.ts";
import { type Spmd, spmd } from "../../../../src/pe/spmd.ts";
import type { ConveyorOptions } from "../../../../src/route/geometry/options.ts";

export interface Args {
  readonly options: ConveyorOptions;
  readonly isElastic: boolean;
  readonly items: number;
  /** Time between two items, ms; 0: as many as a buffer and a half has room for before each advance, all to one PE. */
  readonly pause: number;
}

/** What one PE has found. Times in ms. */
export interface Ages {
  /** Element i: buffers that were 2^i to 2^(i+1) us old when they were sent. */
  readonly age: readonly number[];
  readonly buffers: number;
  /** How many were sent for their age. */
  readonly delay: number;
  readonly hops: number;
  /** From before one advance to after the next, at most. */
  readonly longest: number;
  /** How many of these times were as long as `maxDelay`. */
  readonly late: number;
  /** The largest age without the time of the two advances about it. */
  readonly most: number;
}

const BUFFER_BYTES = 1024;
const ITEM_BYTES = 16;
const BURST = (1.5 * BUFFER_BYTES) / ITEM_BYTES;

function stream(pe: PE, { options, isElastic, items, pause }: Args): Ages {
  const own = { ...options, bufferBytes: BUFFER_BYTES, observe: true, lossy: true };
  const c = isElastic ? elasticConveyor(pe, own) : conveyor(pe, bytes(ITEM_BYTES), own);
  const { maxDelay = 0 } = options;
  const item = new Uint8Array(ITEM_BYTES);
  /** Ages of the buffers that were sent since the last advance. */
  const fresh: number[] = [];
  const note = (event: unknown) => {
    const { opened, sent } = event as BufferSent;
    fresh.push(sent - opened);
  };
  subscribe("tundish:conveyor:sent", note);
  let start = 0;
  let longest = 0;
  let late = 0;
  let most = Number.NEGATIVE_INFINITY;
  /** What was pushed before one look is sent by the first look at which it is old, so before the end of that advance. */
  const advance = (done: boolean): number => {
    const before = start;
    start = performance.now();
    const status = c.advance(done);
    const gap = performance.now() - before;
    longest = Math.max(longest, gap);
    if (gap >= maxDelay) late++;
    for (const age of fresh) most = Math.max(most, age - gap);
    fresh.length = 0;
    return status;
  };
  c.begin();
  start = performance.now();
  for (let next = start, sent = 0; sent < items; ) {
    if (pause === 0) for (let k = 0; k < BURST && c.push((pe.rank + 1) % pe.size, item); k++) sent++;
    else if (performance.now() >= next && c.push((pe.rank + sent) % pe.size, item)) {
      next += pause;
      sent++;
    }
    advance(false);
    while (c.pull());
  }
  while (advance(true) !== 0) while (c.pull());
  c.reset();
  unsubscribe("tundish:conveyor:sent", note);
  const { buffers, sentFor } = c.stats();
  const { age } = c.histograms() as { age: readonly number[] };
  const { hops } = sessionOf(c).machinery.choice.route;
  c.free();
  return { age, buffers, delay: sentFor.delay, hops, longest, late, most };
}

const program: Spmd = spmd((pe, args) => (args as readonly Args[]).map((one) => stream(pe, one)));
export default program;
