/** The options of conveyors: valid values, defaults, and checks. */

import { inWords } from "../../base/account.ts";
import { UsageError } from "../../base/errors.ts";
import { checkNames } from "../../base/options.ts";
import { roundUp } from "../../item/types.ts";
import type { Buffers } from "../../transport/contract.ts";
import { shareBytes } from "../../transport/heap/layout.ts";
import { type Codec, constantBits } from "./codec.ts";
import { gridOf, type Levels } from "./grid.ts";
import { type Hops, makeRoute, type Route } from "./route.ts";

/** How items are transported: see docs/contract.md. */
export type ConveyorType = "trivial" | "simple" | "tensor";

/** Options of a conveyor; the same at all PEs. */
export interface ConveyorOptions {
  /**
   * `tensor`: buffers are sent as they fill, over one to three hops. `simple`: all PEs exchange their buffers at the
   * same time. `trivial`: every item is sent by itself; the reference for the others. @default "tensor"
   */
  readonly type?: ConveyorType | undefined;
  /**
   * Largest number of hops of a tensor; fewer if a hop would have no effect. @default 1; on several nodes see
   * docs/contract.md, Memory
   */
  readonly hops?: 1 | 2 | 3 | undefined;
  /** PEs that share a row with 2 and 3 hops; a divisor of their number. @default a measured domain, see grid.ts */
  readonly groupSize?: number | undefined;
  /** Bytes of a buffer. @default 16384, less with many PEs or a small `maxBytes` */
  readonly bufferBytes?: number | undefined;
  /** Buffers of each link: one is filled while the others are in flight. @default 2 */
  readonly buffersPerLink?: 1 | 2 | 4 | undefined;
  /** Pushed items arrive even if no PE ever calls advance(true). @default false */
  readonly steady?: boolean | undefined;
  /** Compresses buffers between groups with 2 and 3 hops: true for constant bits, or a codec. @default false */
  readonly compress?: boolean | Codec | undefined;
  /** Bytes of the heap for each PE, at most; oversized items share them or are sent one by one. @default no limit */
  readonly maxBytes?: number | undefined;
  /**
   * Approximate number of items that a PE pushes in a session, to PEs drawn from all. Options that are not given are
   * then chosen by a plan for the world's machine: docs/plan.md. @default none: the defaults listed here
   */
  readonly load?: number | undefined;
  /** Approximate bytes of an item, for the plan of an elastic conveyor. @default 64 */
  readonly itemBytes?: number | undefined;
  /** Counts the fill and the latency of buffers at this PE, for `histograms()`. @default false */
  readonly observe?: boolean | undefined;
  /** Limit of a session, ms; beyond it the session ends with a TimeoutError at all PEs. @default no limit */
  readonly timeout?: number | undefined;
  /**
   * Ends the session with an AbortedError at all PEs, at an advance of this PE. A timer of this thread never fires
   * while the thread loops over advance; use `timeout` for that. @default none
   */
  readonly signal?: AbortSignal | undefined;
}

/** The names of {@link ConveyorOptions}. */
export const OPTION_NAMES: readonly string[] = [
  "type",
  "hops",
  "groupSize",
  "bufferBytes",
  "buffersPerLink",
  "steady",
  "compress",
  "maxBytes",
  "load",
  "itemBytes",
  "observe",
  "timeout",
  "signal",
];

/** All choices. */
export interface Choice {
  readonly type: ConveyorType;
  readonly route: Route;
  readonly bufferBytes: number;
  readonly buffersPerLink: 1 | 2 | 4;
  readonly steady: boolean;
  readonly codec: Codec | null;
  /** Scratch memory in buffers: one for an item; two more for compression. */
  readonly scratch: number;
  /** Bytes of the budget that the buffers do not use. */
  readonly spareBytes: number;
  readonly observe: boolean;
  readonly timeout: number;
  readonly signal: AbortSignal | null;
}

const DEFAULT_BUFFER_BYTES = 16_384;
/** Without a budget, smaller buffers keep to these limits: bytes of all buffers of all PEs together, and of one PE. */
const FAIR_BYTES = 128 * 2 ** 20;
const FAIR_BYTES_OF_ONE = 4 * 2 ** 20;
/** The default limit of the bytes of one PE's buffers, with `size` PEs. */
export const fairBytes = (size: number): number => Math.min(FAIR_BYTES_OF_ONE, FAIR_BYTES / size);
const MAX_BUFFER_BYTES = 2 ** 28;
/** Room for tags beside an item that is as large as a buffer; buffers are multiples of it. */
export const TAG_ROOM = 128;

/** Bytes of memory for one buffer. */
export const storedBytes = (bufferBytes: number): number => roundUp(bufferBytes, TAG_ROOM) + TAG_ROOM;

/** The properties of several nodes that choices depend on. */
export interface NodeLayout {
  /**
   * Default numbers of hops in the order of preference: the first with which buffers of the usual size keep to the
   * budget is used.
   */
  readonly usualHops: readonly Hops[];
  /** Largest number of PEs whose buffers are in one heap. @default all */
  readonly heapPEs?: number;
  /** The share of a budget that links within one node could use for the same choices. */
  readonly share: number;
  /** Bytes of the heap that a PE needs. */
  bytesOf(route: Route, scratch: number, buffers: Buffers): number;
}

const ONE_NODE: NodeLayout = {
  usualHops: [1],
  share: 1,
  bytesOf: (route, scratch, buffers) => shareBytes(linksOf(route), scratch, buffers),
};

/**
 * Makes all choices for items of `itemBytes` among `size` PEs.
 * @param levels the domains of near PEs; called only for more than one hop
 * @param share of the budget for buffers, if there is a choice
 * @throws UsageError for unknown or invalid options
 */
export function choose(
  options: ConveyorOptions,
  size: number,
  itemBytes: number,
  levels: () => Levels = () => [],
  share = 1,
  nodeLayout: NodeLayout = ONE_NODE,
): Choice {
  checkOptions(options);
  const {
    type = "tensor",
    bufferBytes: asked,
    buffersPerLink = 2,
    steady = false,
    compress = false,
  } = options;
  const { maxBytes, observe = false, timeout = Number.POSITIVE_INFINITY, signal } = options;
  const fixed = type === "trivial" ? Math.max(itemBytes, asked ?? 0) : asked;
  if (fixed !== undefined) checkBufferBytes(fixed);
  const perLink = type === "trivial" ? 1 : buffersPerLink;
  let bufferBytes = fixed ?? Math.max(DEFAULT_BUFFER_BYTES, itemBytes);
  const codec = compress === true ? constantBits : compress || null;
  const scratch = codec === null ? 1 : 3;
  const budget = maxBytes === undefined ? fairBytes(nodeLayout.heapPEs ?? size) : maxBytes * share;
  const memoryOf = (one: Route, bytes: number) =>
    nodeLayout.bytesOf(one, scratch, { bytes: storedBytes(bytes), perLink });
  const route = chooseRoute(
    options,
    size,
    levels,
    type === "tensor" ? nodeLayout.usualHops : [1],
    (one) => memoryOf(one, bufferBytes) <= budget,
  );
  const memory = (bytes: number) => memoryOf(route, bytes);
  // the largest of the half, quarter, … that keeps to the budget
  while (fixed === undefined && memory(bufferBytes) > budget && bufferBytes / 2 >= Math.max(itemBytes, 64)) {
    bufferBytes = Math.floor(bufferBytes / 2);
  }
  if (maxBytes !== undefined && memory(bufferBytes) > maxBytes) {
    throw new UsageError(
      `maxBytes: expected at least ${memory(bufferBytes)} bytes for ${linksOf(route)} links with ${perLink} buffers of ` +
        `${bufferBytes} bytes each, got ${maxBytes}. Use more hops, buffersPerLink: 1, or smaller buffers.`,
    );
  }
  return {
    type,
    route,
    bufferBytes,
    buffersPerLink: perLink,
    steady,
    codec,
    scratch,
    spareBytes: (maxBytes ?? Number.POSITIVE_INFINITY) - memory(bufferBytes),
    observe,
    timeout,
    signal: signal ?? null,
  };
}

/**
 * Checks the options of any conveyor.
 * @throws UsageError for invalid options
 */
export function checkOptions(options: ConveyorOptions): void {
  checkNames(options, OPTION_NAMES, "conveyor: options");
  const {
    type = "tensor",
    hops = 1,
    bufferBytes: asked,
    buffersPerLink = 2,
    steady = false,
    compress = false,
    maxBytes,
    observe = false,
    timeout = Number.POSITIVE_INFINITY,
    signal,
    load,
    itemBytes,
  } = options;
  oneOf("type", type, ["trivial", "simple", "tensor"]);
  oneOf("hops", hops, [1, 2, 3]);
  oneOf("buffersPerLink", buffersPerLink, [1, 2, 4]);
  oneOf("steady", steady, [true, false]);
  oneOf("observe", observe, [true, false]);
  if (type !== "tensor" && hops !== 1) {
    throw new UsageError(
      `hops: a ${type} conveyor has one hop, got ${hops}. Leave it out, or take type: "tensor".`,
    );
  }
  if (type !== "tensor" && compress !== false) {
    throw new UsageError(
      `compress: a ${type} conveyor does not compress. Leave it out, or take type: "tensor".`,
    );
  }
  if (typeof compress !== "boolean" && !isCodec(compress)) {
    throw new UsageError(
      `compress: expected true, false, or a codec { compress, decompress }, got ${inWords(compress)}`,
    );
  }
  if (!(typeof timeout === "number" && timeout > 0)) {
    throw new UsageError(`timeout: expected a number of milliseconds > 0, got ${inWords(timeout)}`);
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new UsageError(`signal: expected an AbortSignal, got ${inWords(signal)}`);
  }
  if (maxBytes !== undefined && !(typeof maxBytes === "number" && maxBytes > 0)) {
    throw new UsageError(`maxBytes: expected a number of bytes > 0, got ${inWords(maxBytes)}`);
  }
  if (load !== undefined) positive("load", load, "items");
  if (itemBytes !== undefined) positive("itemBytes", itemBytes, "bytes");
  if (asked !== undefined) checkBufferBytes(asked);
}

export function positive(name: string, value: unknown, unit: string): void {
  if (typeof value === "number" && value > 0 && value < Number.POSITIVE_INFINITY) return;
  throw new UsageError(`${name}: expected a number of ${unit} > 0, got ${inWords(value)}`);
}

function checkBufferBytes(bytes: number): void {
  if (Number.isInteger(bytes) && bytes >= 1 && bytes <= MAX_BUFFER_BYTES) return;
  throw new UsageError(
    `bufferBytes: expected a whole number from 1 to ${MAX_BUFFER_BYTES}, got ${inWords(bytes)}`,
  );
}

export function oneOf(name: string, value: unknown, known: readonly unknown[]): void {
  if (known.includes(value)) return;
  throw new UsageError(
    `${name}: expected one of ${known.map((one) => JSON.stringify(one)).join(", ")}, got ${inWords(value)}`,
  );
}

const isCodec = (x: unknown): x is Codec =>
  typeof (x as Partial<Codec> | null)?.compress === "function" &&
  typeof (x as Codec).decompress === "function";

/** @param usual hops to try unless given @param fits whether a route keeps to the budget */
function chooseRoute(
  { hops, groupSize }: ConveyorOptions,
  size: number,
  levels: () => Levels,
  usual: readonly Hops[],
  fits: (route: Route) => boolean,
): Route {
  if (groupSize !== undefined && !(Number.isInteger(groupSize) && groupSize >= 1 && groupSize <= size)) {
    throw new UsageError(
      `groupSize: expected a whole number from 1 to ${size}, the number of PEs, got ${inWords(groupSize)}`,
    );
  }
  const routeWith = (n: Hops): Route => {
    if (n === 1) return makeRoute(size, size, 1);
    const grid = gridOf(size, n, levels(), groupSize);
    return makeRoute(size, grid.groupSize, n, grid.ranks);
  };
  if (hops !== undefined || usual.length === 1) return routeWith(hops ?? usual[0]);
  let route = routeWith(usual[0]);
  for (const n of usual.slice(1)) if (!fits(route)) route = routeWith(n);
  return route;
}

/** Links of one PE. */
export function linksOf({ size, hops, groupSize: n }: Pick<Route, "size" | "hops" | "groupSize">): number {
  if (hops === 1) return size;
  return hops === 2 ? n + size / n : 2 * n + 1 + Math.floor((size - 1) / (n * n));
}
