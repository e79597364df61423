/** The calls of values that go packed from node to node: gather, allgather, scatter, alltoall, alltoallv, and a broadcast of a value. */

import { UsageError } from "../../base/errors.ts";
import { shortText } from "../../base/short-text.ts";
import type { TypedArray } from "../../memory/kernels/elements.ts";
import type { Call } from "../calls/call.ts";
import { checkAlltoallv } from "../node/alltoall.ts";
import { checkParts, isTypedArray, join, kindOfValue, pack, type Value } from "../node/exposed-values.ts";
import { type Algorithm, callWord } from "../team/call-words.ts";
import { routineCall } from "./call.ts";
import type { HierarchyEngine } from "./engine.ts";
import { allgatherPacked, alltoallPacked, broadcastValue, gatherPacked, scatterPacked } from "./packed.ts";
import { packed, packedParts, unpack } from "./packing.ts";

export function valueBroadcast<T>(engine: HierarchyEngine, x: T, root: number, wish?: Algorithm): Call<T> {
  const { subgroups, team } = engine.hierarchy;
  if (wish !== undefined) {
    throw new UsageError(
      `algorithm: a broadcast of a value has no choice, got ${shortText(wish)}. Leave it out, or broadcast a typed array.`,
    );
  }
  const bytes = subgroups.rank === root ? (pack(team.payload, x).content as Uint8Array) : null;
  const word = callWord("broadcast", "", "value");
  return routineCall(engine, word, 0, root, (tag) => broadcastValue(engine, tag, x, bytes, root));
}

export function packedGather(engine: HierarchyEngine, x: Value, root: number): Call<Value> {
  const { team } = engine.hierarchy;
  const own = packed(team.payload, x);
  return routineCall(engine, callWord("gather", "", kindOfValue(x)), 0, root, function* (tag) {
    const all = yield* gatherPacked(engine, tag, own, root);
    return all === null ? undefined : join(team, all.map(unpack));
  });
}

export function packedAllgather(engine: HierarchyEngine, x: Value): Call<Value> {
  const { team } = engine.hierarchy;
  const own = packed(team.payload, x);
  return routineCall(engine, callWord("allgather", "", kindOfValue(x)), 0, -1, function* (tag) {
    return join(team, (yield* allgatherPacked(engine, tag, own)).map(unpack));
  });
}

/** Every PE's colour and key, at every PE. */
export function packedSplit(engine: HierarchyEngine, own: Float64Array): Call<Value> {
  const { team } = engine.hierarchy;
  const value = packed(team.payload, own);
  return routineCall(engine, callWord("split", "", ""), 0, -1, function* (tag) {
    return join(team, (yield* allgatherPacked(engine, tag, value)).map(unpack));
  });
}

export function packedScatter(engine: HierarchyEngine, x: Value, root: number): Call<Value> {
  const { subgroups, team } = engine.hierarchy;
  const atRoot = subgroups.rank === root;
  if (atRoot) checkParts("scatter: expected at the root", x, subgroups.size);
  const values = atRoot ? packedParts(team.payload, x, subgroups.size) : null;
  return routineCall(engine, callWord("scatter", "", ""), 0, root, function* (tag) {
    return unpack(yield* scatterPacked(engine, tag, values, root));
  });
}

export function packedAlltoall(engine: HierarchyEngine, x: Value): Call<Value> {
  const { subgroups, team } = engine.hierarchy;
  checkParts("alltoall: expected", x, subgroups.size);
  const values = packedParts(team.payload, x, subgroups.size);
  const [kind, count] = isTypedArray(x) ? [kindOfValue(x), x.length] : ["value" as const, 0];
  return routineCall(engine, callWord("alltoall", "", kind), count, -1, function* (tag) {
    const got = (yield* alltoallPacked(engine, tag, values)).map(unpack);
    return isTypedArray(x) ? join(team, got) : got;
  });
}

export function packedAlltoallv(engine: HierarchyEngine, parts: readonly TypedArray[]): Call<Value> {
  const { subgroups, team } = engine.hierarchy;
  checkAlltoallv(parts, subgroups.size);
  const values = parts.map((part) => packed(team.payload, part));
  return routineCall(engine, callWord("alltoallv", "", values[0][0]), 0, -1, function* (tag) {
    return (yield* alltoallPacked(engine, tag, values)).map(unpack);
  });
}
