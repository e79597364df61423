/**
 * The calls that compute: reduce, allreduce, reduceScatter, scan, exscan. Each function checks its arguments, chooses
 * the algorithm, and returns a call that can be begun, once or many times.
 */

import type { TypedArray } from "../../ground/memory/kernels/elements.ts";
import type { Task } from "../../ground/wait/task.ts";
import { reduceScatterRegions } from "../node/reduce-scatter.ts";
import { regionOf } from "../node/region.ts";
import { scanRegions } from "../node/scan.ts";
import { type CallName, type CollectiveAlgorithm, callWord, opName } from "../team/call-words.ts";
import type { Op } from "../team/payload.ts";
import { type CheckedCall, checkRoot } from "./call.ts";
import { numberElement, type Operand, resultOf } from "./elements.ts";
import type { CallEngine } from "./engine.ts";
import { operandOf } from "./operands.ts";
import { partsOf, type Scatterable } from "./parts.ts";

export function reduceCall<T extends Operand>(
  engine: CallEngine,
  x: T,
  op: Op,
  root: number,
  wish: CollectiveAlgorithm | undefined,
): CheckedCall<T | undefined> {
  checkRoot(root, engine.team.size);
  const { team } = engine;
  const atRoot = team.rank === root;
  if (typeof x === "number") {
    const combine = engine.ops.numbers(op);
    engine.decisions.choose("reduce", 8, wish); // numbers have one algorithm, whatever was requested
    return {
      word: callWord("reduce", opName(op), "number", "tree"),
      count: 1,
      root,
      begin: (tag) => engine.reduce.beginNumber(tag, x, combine, root),
      finish: (result) => (atRoot ? (result as T) : undefined),
    };
  }
  const { array, type, kind, reducer } = operandOf(team, engine.data.ops, x, op);
  const algorithm = engine.decisions.chooseFor(op, "reduce", array.byteLength, wish);
  const region = regionOf(team, array, type);
  return {
    word: callWord("reduce", opName(op), kind, algorithm),
    count: array.length,
    root,
    begin: (tag) => {
      if (algorithm === "scatter") return engine.data.scatter.begin(tag, region, reducer, root);
      return engine.reduce.beginArray(tag, region, reducer, root);
    },
    finish: () => (atRoot ? resultOf(x, array) : undefined),
  };
}

/** A reduce over the trees, then a broadcast. */
function* inTurn(reduce: Task<number>, broadcast: () => Task<number>): Task<number> {
  yield* reduce;
  return yield* broadcast();
}

export function allreduceCall<T extends Operand>(
  engine: CallEngine,
  x: T,
  op: Op,
  wish: CollectiveAlgorithm | undefined,
): CheckedCall<T> {
  const { team } = engine;
  const { root } = team.plan.reduce;
  if (typeof x === "number") {
    const combine = engine.ops.numbers(op);
    const algorithm = engine.decisions.choose("allreduce", 8, wish) === "exchange" ? "exchange" : "tree";
    return {
      word: callWord("allreduce", opName(op), "number", algorithm),
      count: 1,
      root: -1,
      begin: (tag) => {
        if (algorithm === "exchange") return engine.exchange.beginNumber(tag, x, combine);
        return inTurn(engine.reduce.beginNumber(tag, x, combine, root), () =>
          engine.broadcast.beginNumber(tag, engine.reduce.result, root),
        );
      },
      finish: (result) => result as T,
    };
  }
  const { array, type, kind, reducer } = operandOf(team, engine.data.ops, x, op);
  const algorithm = engine.decisions.chooseFor(op, "allreduce", array.byteLength, wish);
  const region = regionOf(team, array, type);
  return {
    word: callWord("allreduce", opName(op), kind, algorithm),
    count: array.length,
    root: -1,
    begin: (tag) => {
      if (algorithm === "scatter") return engine.data.scatter.begin(tag, region, reducer, -1);
      if (algorithm === "exchange") return engine.exchange.beginArray(tag, region, reducer, typeof op === "string");
      return inTurn(engine.reduce.beginArray(tag, region, reducer, root), () =>
        engine.broadcast.beginArray(tag, region, root),
      );
    },
    finish: () => resultOf(x, array),
  };
}

export function reduceScatterCall(
  engine: CallEngine,
  x: Scatterable,
  op: Op,
  into: TypedArray | undefined,
): CheckedCall<unknown> {
  const { team } = engine;
  const { array, type, kind, reducer, make, resultOf: finish } = partsOf(team, engine.data.ops, x, op, team.size, into);
  const region = regionOf(team, array, type);
  return {
    word: callWord("reduceScatter", opName(op), kind),
    count: array.length,
    root: -1,
    begin: (tag) => reduceScatterRegions(team, tag, region, reducer, make()),
    finish: (block) => finish(block as TypedArray),
  };
}

export function scanCall<T extends Operand>(
  engine: CallEngine,
  x: T,
  op: Op,
  inclusive: boolean,
): CheckedCall<T | undefined> {
  const { team } = engine;
  // numbers are scanned as arrays of length 1, in memory that other PEs can read
  const { array, type, kind, reducer } =
    typeof x === "number"
      ? { ...numberElement(x), reducer: engine.data.ops.lifted(op) }
      : operandOf(team, engine.data.ops, x, op);
  const name: CallName = inclusive ? "scan" : "exscan";
  return {
    word: callWord(name, opName(op), kind),
    count: array.length,
    root: -1,
    begin: (tag) => scanRegions(team, tag, regionOf(team, array, type), reducer, inclusive),
    finish: () => (inclusive || team.rank > 0 ? resultOf(x, array) : undefined),
  };
}
