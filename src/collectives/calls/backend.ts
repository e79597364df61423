/** The calls of a group, each checked and ready to be begun: of PEs of one node, or of several. */
import type { TypedArray } from "../../ground/memory/kernels/elements.ts";
import type { Value } from "../node/exposed-values.ts";
import type { Into } from "../node/result-array.ts";
import type { CollectiveAlgorithm } from "../team/call-words.ts";
import type { Op } from "../team/payload.ts";
import type { AllocName, AllocUse } from "../team/refusals.ts";
import type { CheckedCall } from "./call.ts";
import type { Operand } from "./elements.ts";
import type { Scatterable } from "./parts.ts";

/** The operations of {@link Group} as calls. Each throws a UsageError for invalid arguments; no PE is affected. */
export interface CollectivesBackend {
  /** This PE's rank in the group. */
  readonly rank: number;
  readonly size: number;
  barrier(): CheckedCall<void>;
  broadcast<T>(x: T, root: number, wish?: CollectiveAlgorithm): CheckedCall<T>;
  reduce<T extends Operand>(x: T, op: Op, root: number, wish?: CollectiveAlgorithm): CheckedCall<T | undefined>;
  allreduce<T extends Operand>(x: T, op: Op, wish?: CollectiveAlgorithm): CheckedCall<T>;
  reduceScatter(x: Scatterable, op: Op, into?: TypedArray): CheckedCall<unknown>;
  scan<T extends Operand>(x: T, op: Op, inclusive: boolean): CheckedCall<T | undefined>;
  gather(x: Value, root: number, into?: Into): CheckedCall<Value>;
  allgather(x: Value, into?: Into): CheckedCall<Value>;
  scatter(x: Value, root: number, into?: TypedArray): CheckedCall<Value>;
  alltoall(x: Value, into?: Into): CheckedCall<Value>;
  alltoallv(parts: readonly TypedArray[], into?: Into): CheckedCall<Value>;
  /** Returns the ranks of the PEs with the same colour: see node/split.ts. */
  split(colour: number | undefined | null, key: number): CheckedCall<number[]>;
  /** Returns the byte offset of the part of this node's first PE, or of the array. @param use for the error */
  alloc(bytes: number, name: AllocName, use: AllocUse): CheckedCall<number>;
  free(offset: number): CheckedCall<void>;
}
