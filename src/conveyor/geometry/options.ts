/** The options of conveyors: what can be said, and its check. What is chosen when nothing is said: choice.ts. */

import { UsageError } from "../../base/errors.ts";
import {
  abortSignal,
  checkOptions,
  type Fields,
  finite,
  is,
  oneOf,
  optionsOf,
  positive,
  truth,
  whole,
} from "../../base/options.ts";
import type { Codec } from "./codec.ts";

/** How items travel: see docs/contract.md. */
export type ConveyorType = "trivial" | "simple" | "tensor";

/** What {@link ConveyorOptions} can be; the same at all PEs. */
export interface ConveyorOptions {
  /**
   * `tensor`: buffers go out as they fill, in one to three hops. `simple`: all exchange their buffers at the
   * same time. `trivial`: every item goes by itself; the reference for the others. @default "tensor"
   */
  readonly type?: ConveyorType | undefined;
  /** Hops of a tensor, at most; fewer where a hop would do nothing. @default 1; on several nodes see docs/contract.md, Memory */
  readonly hops?: 1 | 2 | 3 | undefined;
  /** PEs that share a row in 2 and 3 hops; divides their number. @default a measured domain, see grid.ts */
  readonly groupSize?: number | undefined;
  /** Bytes of a buffer. @default 16384, less where there are many PEs, or `maxBytes` asks for it */
  readonly bufferBytes?: number | undefined;
  /** Buffers of each link: one is filled while the others are under way. @default 2 */
  readonly buffersPerLink?: 1 | 2 | 4 | undefined;
  /** What is pushed arrives even if nobody ever says that he is done. @default false */
  readonly steady?: boolean | undefined;
  /** Compresses what goes between groups in 2 and 3 hops: true for constant bits, or a codec. @default false */
  readonly compress?: boolean | Codec | undefined;
  /** Bytes of the heap for each PE, at most; items larger than a buffer share it, or go one by one. @default no limit */
  readonly maxBytes?: number | undefined;
  /** Items that a PE pushes in a session, about, to PEs drawn from all; then what is not said here is chosen by a plan for the world's
   * machine: docs/plan.md. @default none: the defaults that stand here */
  readonly load?: number | undefined;
  /** Bytes of an item, about, for the plan of an elastic conveyor. @default 64 */
  readonly itemBytes?: number | undefined;
  /** Counts how full buffers are and how long they take, for `histograms()`, at this PE. @default false */
  readonly observe?: boolean | undefined;
  /** Time a session may take, ms; then it ends with a TimeoutError everywhere. @default no limit */
  readonly timeout?: number | undefined;
  /** Ends the session with an AbortedError everywhere, at an advance of this PE. A timer of this thread never fires while it loops over
   * advance: take `timeout`. @default none */
  readonly signal?: AbortSignal | undefined;
}

/** The largest buffer. */
export const MAX_BUFFER_BYTES: number = 2 ** 28;

const isCodec = (x: unknown): x is Codec =>
  typeof (x as Partial<Codec> | null)?.compress === "function" &&
  typeof (x as Codec).decompress === "function";

/** What each option may be, for those who have them among their own. */
export const CONVEYOR_FIELDS: Fields<ConveyorOptions> = {
  type: oneOf(["trivial", "simple", "tensor"]),
  hops: oneOf([1, 2, 3]),
  groupSize: whole(1),
  bufferBytes: whole(1, MAX_BUFFER_BYTES),
  buffersPerLink: oneOf([1, 2, 4]),
  steady: truth,
  compress: is(
    "true, false, or a codec { compress, decompress }",
    (x) => typeof x === "boolean" || isCodec(x),
  ),
  maxBytes: positive("bytes"),
  load: finite("items"),
  itemBytes: finite("bytes"),
  observe: truth,
  timeout: positive("milliseconds"),
  signal: abortSignal,
};
const CONVEYOR = optionsOf<ConveyorOptions>(CONVEYOR_FIELDS);

/**
 * Refuses options that cannot be, wherever they are used.
 * @throws UsageError
 */
export function checkConveyorOptions(options: ConveyorOptions): void {
  checkOptions("conveyor", CONVEYOR, options);
  const { type = "tensor", hops = 1, compress = false } = options;
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
}
