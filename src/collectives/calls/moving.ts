/**
 * The calls that move data or synchronise: barrier, broadcast, gather, allgather, scatter, alltoall, alltoallv, split,
 * alloc, allocShared and free. Each function checks its arguments, chooses the algorithm, and returns a call that can
 * be begun, once or many times.
 */

import { UsageError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { isTypedArray, type TypedArray } from "../../ground/memory/kernels/elements.ts";
import { alltoallValues, alltoallvInto, checkAlltoallv } from "../node/alltoall.ts";
import { checkParts, type Packed, pack, type Value } from "../node/exposed-values.ts";
import { regionOf } from "../node/region.ts";
import { heapPlace, type Into } from "../node/result-array.ts";
import { scatterValues } from "../node/scatter.ts";
import { colourAndKey, ranksLike } from "../node/split.ts";
import { broadcastValue } from "../node/value-broadcast.ts";
import { BARRIER, BROADCAST_NUMBER, type CollectiveAlgorithm, callWord, SHARED_RESULT } from "../team/call-words.ts";
import { ALL } from "../team/eager-board.ts";
import { type AllocName, type AllocUse, HeapRefusal, unlessRefused } from "../team/refusals.ts";
import { type CheckedCall, checkRoot } from "./call.ts";
import { elementsOf } from "./elements.ts";
import type { CallEngine } from "./engine.ts";
import { checkInto, checkIntoParts, checkPlace, sharedByAll } from "./into.ts";
import { ownElements } from "./operands.ts";

export function barrierCall(engine: CallEngine): CheckedCall<void> {
  return {
    word: BARRIER,
    count: 0,
    root: -1,
    begin: (tag) => engine.barrier.begin(tag),
    finish: () => {},
  };
}

export function broadcastCall<T>(
  engine: CallEngine,
  x: T,
  root: number,
  wish: CollectiveAlgorithm | undefined,
): CheckedCall<T> {
  checkRoot(root, engine.team.size);
  const { team } = engine;
  if (typeof x === "number") {
    engine.decisions.choose("broadcast", 8, wish); // numbers have one algorithm, whatever was requested
    const begin = (tag: number) => engine.broadcast.beginNumber(tag, x, root);
    return { word: BROADCAST_NUMBER, count: 1, root, begin, finish: (result) => result as T };
  }
  if (typeof x === "bigint" || isTypedArray(x)) {
    const { array, type, kind } = team.rank === root ? elementsOf(team.payload, x) : ownElements(team, x);
    const algorithm = engine.decisions.choose("broadcast", array.byteLength, wish);
    const region = regionOf(team, array, type);
    return {
      word: callWord("broadcast", "", kind, algorithm),
      count: array.length,
      root,
      begin: (tag) => {
        if (algorithm === "single-copy") return engine.data.singleCopy.begin(tag, region, root);
        return engine.broadcast.beginArray(tag, region, root);
      },
      finish: () => (typeof x === "bigint" ? (array as BigInt64Array)[0] : x) as T,
    };
  }
  if (wish !== undefined) {
    throw new UsageError(
      `algorithm: a broadcast of a value has no choice, got ${shortText(wish)}. Leave it out, or broadcast a typed array.`,
    );
  }
  const packed = team.rank === root ? pack(team.payload, x) : null;
  return {
    word: callWord("broadcast", "", "value"),
    count: 0,
    root,
    begin: (tag) => broadcastValue(team, tag, packed, root),
    finish: (result) => (team.rank === root ? x : result) as T,
  };
}

/** @param into counts at the root only, but for an array that all share */
export function gatherCall(engine: CallEngine, x: Value, root: number, into?: Into): CheckedCall<Value> {
  const { team } = engine;
  checkRoot(root, team.size);
  const shared = sharedByAll(team, team.size, into, x);
  if (shared !== null) return sharedCall(engine, "gather", x as TypedArray, root, shared);
  if (team.rank === root) checkIntoParts(team, team.size, into, [x]);
  const packed = pack(team.payload, x);
  const place = team.rank === root ? heapPlace(team, packed, into) : -1;
  return {
    word: callWord("gather", "", packed.kind),
    count: 0,
    root,
    begin: (tag) => engine.data.gather.begin(tag, packed, root, into, place),
    finish: unlessRefused,
  };
}

export function allgatherCall(engine: CallEngine, x: Value, into?: Into): CheckedCall<Value> {
  const shared = sharedByAll(engine.team, engine.team.size, into, x);
  if (shared !== null) return sharedCall(engine, "allgather", x as TypedArray, -1, shared);
  checkIntoParts(engine.team, engine.team.size, into, [x]);
  const packed = pack(engine.team.payload, x);
  const place = heapPlace(engine.team, packed, into);
  return {
    word: callWord("allgather", "", packed.kind),
    count: 0,
    root: -1,
    begin: (tag) => engine.data.gather.begin(tag, packed, ALL, into, place),
    finish: unlessRefused,
  };
}

/** A gather or allgather into an array that all PEs share: with another array it is another call. */
function sharedCall(
  { team, data }: CallEngine,
  name: "gather" | "allgather",
  x: TypedArray,
  root: number,
  into: TypedArray,
): CheckedCall<Value> {
  checkPlace(team.rank, into, x);
  const packed = pack(team.payload, x);
  const isHere = root < 0 || root === team.rank;
  return {
    word: callWord(name, "", packed.kind, SHARED_RESULT),
    count: team.payload.placeOf(into),
    root,
    begin: (tag) => data.sharedResult.begin(tag, packed, into),
    finish: () => (isHere ? into : undefined),
  };
}

/** An allgather of colours and keys, with a name of its own. Returns the ranks of those with the same colour. */
export function splitCall(engine: CallEngine, colour: number | undefined | null, key: number): CheckedCall<number[]> {
  const own = colourAndKey(colour, key);
  const { finish, ...all } = allgatherCall(engine, own);
  return { ...all, word: callWord("split", "", ""), finish: (told) => ranksLike(own, finish(told) as Float64Array) };
}

export function scatterCall(engine: CallEngine, x: Value, root: number, into?: TypedArray): CheckedCall<Value> {
  const { team } = engine;
  checkRoot(root, team.size);
  const atRoot = team.rank === root;
  if (atRoot) checkParts("scatter: expected at the root", x, team.size);
  checkInto(team, into, atRoot ? x : undefined, atRoot && isTypedArray(x) ? x.length / team.size : 0);
  const packed = atRoot ? packParts(engine, x) : null;
  return {
    word: callWord("scatter", "", ""),
    count: 0,
    root,
    begin: (tag) => scatterValues(team, tag, packed, root, into),
    finish: unlessRefused,
  };
}

export function alltoallCall(engine: CallEngine, x: Value, into?: Into): CheckedCall<Value> {
  const { team } = engine;
  checkParts("alltoall: expected", x, team.size);
  checkIntoParts(team, team.size, into, [x], isTypedArray(x) ? x.length : 0);
  const packed = packParts(engine, x);
  if (Array.isArray(packed)) {
    const begin = (tag: number) => alltoallValues(team, tag, packed);
    return { word: callWord("alltoall", "", "value"), count: 0, root: -1, begin, finish: (result) => result };
  }
  const place = heapPlace(team, packed, into);
  return {
    word: callWord("alltoall", "", packed.kind),
    count: packed.content.length,
    root: -1,
    begin: (tag) => engine.data.alltoall.begin(tag, packed, into, place),
    finish: (result) => result,
  };
}

export function alltoallvCall(engine: CallEngine, x: readonly TypedArray[], into?: Into): CheckedCall<Value> {
  const { team } = engine;
  checkAlltoallv(x, team.size);
  checkIntoParts(team, team.size, into, x);
  const packed = x.map((part) => pack(team.payload, part));
  return {
    word: callWord("alltoallv", "", packed[0].kind), // all parts have the same type
    count: 0,
    root: -1,
    begin: (tag) => (into === undefined ? alltoallValues(team, tag, packed) : alltoallvInto(team, tag, packed, into)),
    finish: unlessRefused,
  };
}

/**
 * Rank 0 allocates `bytes` from the heap: for each PE, or for all of them together. Returns the byte offset of the
 * block, which begins with rank 0's part.
 */
export function allocCall(engine: CallEngine, bytes: number, name: AllocName, use: AllocUse): CheckedCall<number> {
  const { team } = engine;
  const whole = name === "alloc" ? bytes * team.size : bytes;
  return {
    word: callWord(name, "", ""),
    count: use.asked,
    root: -1,
    begin: (tag) => {
      let offset = -1;
      if (team.rank === 0) {
        try {
          offset = team.heap.allocate(whole);
        } catch {
          // broadcasts -1, so that no PE waits for a block that does not exist
        }
      }
      return engine.broadcast.beginNumber(tag, offset, 0);
    },
    finish: (result) => {
      if ((result as number) >= 0) return result as number;
      throw new HeapRefusal(use, whole, team.heap);
    },
  };
}

export function freeCall(engine: CallEngine, offset: number): CheckedCall<void> {
  const { team } = engine;
  return {
    word: callWord("free", "", ""),
    count: offset,
    root: -1,
    begin: (tag) => engine.barrier.begin(tag),
    finish: () => {
      if (team.rank === 0) team.heap.free(offset);
    },
  };
}

/** Packs an array as a whole, a list entry by entry. */
function packParts({ team: { payload } }: CallEngine, x: Value): Packed | Packed[] {
  // unlike map(), from() treats a hole in a list as undefined
  return Array.isArray(x) ? Array.from(x, (part: Value) => pack(payload, part)) : pack(payload, x);
}
