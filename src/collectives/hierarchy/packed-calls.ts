/** The calls of values that go packed from node to node: gather, scatter, alltoall and their kin, broadcast. */

import { UsageError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { isTypedArray, type TypedArray } from "../../ground/memory/kernels/elements.ts";
import type { CheckedCall } from "../calls/call.ts";
import { checkInto, checkIntoParts, checkPlace, sharedByAll } from "../calls/into.ts";
import { checkAlltoallv } from "../node/alltoall.ts";
import { checkParts, kindOfValue, pack, type Value } from "../node/exposed-values.ts";
import type { Into } from "../node/result-array.ts";
import { colourAndKey, ranksLike } from "../node/split.ts";
import { type CollectiveAlgorithm, callWord, SHARED_RESULT } from "../team/call-words.ts";
import { unlessRefused } from "../team/refusals.ts";
import { taskCall } from "./call.ts";
import type { HierarchyEngine } from "./engine.ts";
import { allgatherPacked, alltoallPacked, broadcastValue, gatherPacked, scatterPacked } from "./packed.ts";
import { joinPacked, type PackedValue, packed, packedParts, placePacked, unpack } from "./packing.ts";

export function valueBroadcast<T>(
  engine: HierarchyEngine,
  x: T,
  root: number,
  wish?: CollectiveAlgorithm,
): CheckedCall<T> {
  const { subgroups, team } = engine.hierarchy;
  if (wish !== undefined) {
    throw new UsageError(
      `algorithm: a broadcast of a value has no choice, got ${shortText(wish)}. Leave it out, or broadcast a typed array.`,
    );
  }
  const bytes = subgroups.rank === root ? (pack(team.payload, x).content as Uint8Array) : null;
  const word = callWord("broadcast", "", "value");
  return taskCall(engine, word, 0, root, (tag) => broadcastValue(engine, tag, x, bytes, root));
}

/** A gather, or without a root an allgather. @param into counts at the root only, but for an array that all share */
export function packedGather(
  engine: HierarchyEngine,
  x: Value,
  root: number | null,
  into: Into | undefined,
): CheckedCall<Value> {
  const { subgroups, team } = engine.hierarchy;
  const shared = sharedByAll(team, subgroups.size, into, x);
  const reads = root === null || root === subgroups.rank;
  if (shared !== null) checkPlace(subgroups.rank, shared, x as TypedArray);
  else if (reads) checkIntoParts(team, subgroups.size, into, [x]);
  const own = packed(team.payload, x);
  const word = callWord(
    root === null ? "allgather" : "gather",
    "",
    kindOfValue(x),
    shared === null ? "" : SHARED_RESULT,
  );
  // one PE of the node writes what they share
  const writes = reads && (shared === null || root !== null || team.rank === 0);
  const join = (all: readonly PackedValue[] | null): Value =>
    all !== null && writes ? unlessRefused(joinPacked(team, all, into)) : (shared ?? undefined);
  const gathered = (tag: number) =>
    root === null ? allgatherPacked(engine, tag, own) : gatherPacked(engine, tag, own, root);
  return taskCall(engine, word, 0, root ?? -1, function* (tag) {
    if (shared === null) return join(yield* gathered(tag));
    const { barrier } = engine.within;
    // the others of the node have read what was there before, and then see what is there now
    yield* barrier.begin(tag);
    const result = join(yield* gathered(tag));
    yield* barrier.begin(tag);
    return reads ? result : undefined;
  });
}

export function packedSplit(
  engine: HierarchyEngine,
  colour: number | undefined | null,
  key: number,
): CheckedCall<number[]> {
  const { team } = engine.hierarchy;
  const own = colourAndKey(colour, key);
  const value = packed(team.payload, own);
  return taskCall(engine, callWord("split", "", ""), 0, -1, function* (tag) {
    return ranksLike(own, joinPacked(team, yield* allgatherPacked(engine, tag, value), undefined) as Float64Array);
  });
}

export function packedScatter(
  engine: HierarchyEngine,
  x: Value,
  root: number,
  into: TypedArray | undefined,
): CheckedCall<Value> {
  const { subgroups, team } = engine.hierarchy;
  const atRoot = subgroups.rank === root;
  if (atRoot) checkParts("scatter: expected at the root", x, subgroups.size);
  checkInto(team, into, atRoot ? x : undefined, atRoot && isTypedArray(x) ? x.length / subgroups.size : 0);
  const values = atRoot ? packedParts(team.payload, x, subgroups.size) : null;
  return taskCall(engine, callWord("scatter", "", ""), 0, root, function* (tag) {
    const own = yield* scatterPacked(engine, tag, values, root);
    return into === undefined ? unpack(own) : unlessRefused(joinPacked(team, [own], into));
  });
}

export function packedAlltoall(engine: HierarchyEngine, x: Value, into: Into | undefined): CheckedCall<Value> {
  const { subgroups, team } = engine.hierarchy;
  checkParts("alltoall: expected", x, subgroups.size);
  checkIntoParts(team, subgroups.size, into, [x], isTypedArray(x) ? x.length : 0);
  const values = packedParts(team.payload, x, subgroups.size);
  const [kind, count] = isTypedArray(x) ? [kindOfValue(x), x.length] : ["value" as const, 0];
  return taskCall(engine, callWord("alltoall", "", kind), count, -1, function* (tag) {
    const got = yield* alltoallPacked(engine, tag, values);
    return isTypedArray(x) ? joinPacked(team, got, into) : got.map(unpack);
  });
}

export function packedAlltoallv(
  engine: HierarchyEngine,
  parts: readonly TypedArray[],
  into: Into | undefined,
): CheckedCall<Value> {
  const { subgroups, team } = engine.hierarchy;
  checkAlltoallv(parts, subgroups.size);
  checkIntoParts(team, subgroups.size, into, parts);
  const values = parts.map((part) => packed(team.payload, part));
  return taskCall(engine, callWord("alltoallv", "", values[0][0]), 0, -1, function* (tag) {
    const got = yield* alltoallPacked(engine, tag, values);
    return into === undefined ? got.map(unpack) : unlessRefused(placePacked(team, got, into));
  });
}
