/** The calls of PEs of one node. */
import type { TypedArray } from "../../ground/memory/kernels/elements.ts";
import type { Value } from "../node/exposed-values.ts";
import type { Into } from "../node/result-array.ts";
import type { CollectiveAlgorithm } from "../team/call-words.ts";
import type { Op } from "../team/payload.ts";
import type { AllocName, AllocUse } from "../team/refusals.ts";
import type { CollectivesBackend } from "./backend.ts";
import type { CheckedCall } from "./call.ts";
import { allreduceCall, reduceCall, reduceScatterCall, scanCall } from "./computing.ts";
import type { Operand } from "./elements.ts";
import type { CallEngine } from "./engine.ts";
import {
  allgatherCall,
  allocCall,
  alltoallCall,
  alltoallvCall,
  barrierCall,
  broadcastCall,
  freeCall,
  gatherCall,
  scatterCall,
  splitCall,
} from "./moving.ts";
import type { Scatterable } from "./parts.ts";

/** Those of a team. */
export class NodeBackend implements CollectivesBackend {
  readonly rank: number;
  readonly size: number;
  readonly #engine: CallEngine;

  constructor(engine: CallEngine) {
    engine.team.open();
    this.rank = engine.team.rank;
    this.size = engine.team.size;
    this.#engine = engine;
  }

  barrier(): CheckedCall<void> {
    return barrierCall(this.#engine);
  }

  broadcast<T>(x: T, root: number, wish?: CollectiveAlgorithm): CheckedCall<T> {
    return broadcastCall(this.#engine, x, root, wish);
  }

  reduce<T extends Operand>(x: T, op: Op, root: number, wish?: CollectiveAlgorithm): CheckedCall<T | undefined> {
    return reduceCall(this.#engine, x, op, root, wish);
  }

  allreduce<T extends Operand>(x: T, op: Op, wish?: CollectiveAlgorithm): CheckedCall<T> {
    return allreduceCall(this.#engine, x, op, wish);
  }

  reduceScatter(x: Scatterable, op: Op, into?: TypedArray): CheckedCall<unknown> {
    return reduceScatterCall(this.#engine, x, op, into);
  }

  scan<T extends Operand>(x: T, op: Op, inclusive: boolean): CheckedCall<T | undefined> {
    return scanCall(this.#engine, x, op, inclusive);
  }

  gather(x: Value, root: number, into?: Into): CheckedCall<Value> {
    return gatherCall(this.#engine, x, root, into);
  }

  allgather(x: Value, into?: Into): CheckedCall<Value> {
    return allgatherCall(this.#engine, x, into);
  }

  scatter(x: Value, root: number, into?: TypedArray): CheckedCall<Value> {
    return scatterCall(this.#engine, x, root, into);
  }

  alltoall(x: Value, into?: Into): CheckedCall<Value> {
    return alltoallCall(this.#engine, x, into);
  }

  alltoallv(parts: readonly TypedArray[], into?: Into): CheckedCall<Value> {
    return alltoallvCall(this.#engine, parts, into);
  }

  split(colour: number | undefined | null, key: number): CheckedCall<number[]> {
    return splitCall(this.#engine, colour, key);
  }

  alloc(bytes: number, name: AllocName, use: AllocUse): CheckedCall<number> {
    return allocCall(this.#engine, bytes, name, use);
  }

  free(offset: number): CheckedCall<void> {
    return freeCall(this.#engine, offset);
  }
}
