/** Broadcast, reduce and allreduce of arrays over nodes: long ones by routines (arrays.ts), short ones also straight (hot-arrays.ts). */
import type { TypedArray } from "../../memory/kernels/elements.ts";
import type { Call } from "../call.ts";
import { type Algorithm, callWord } from "../calls.ts";
import { reduceCall } from "../computing.ts";
import { elementsOf, opName, type Reducible, resultOf } from "../elements.ts";
import { broadcastCall } from "../moving.ts";
import type { Op } from "../payload.ts";
import { regionOf } from "../region.ts";
import { type Elements, exchangeElements, inHeap, reduceElements, relayElements } from "./arrays.ts";
import { ClusterCall, type Ground } from "./call.ts";
import { type HotArrays, isShort } from "./hot-arrays.ts";
import { within } from "./local.ts";

/** What these calls need. */
export interface ArrayGround extends Ground {
  readonly hotArrays: HotArrays;
}

/** The root's elements, at each. */
export function broadcastArray<T>(ground: ArrayGround, x: T, root: number, wish?: Algorithm): Call<T> {
  const { engine, span, hotArrays: hot } = ground;
  const { team } = engine;
  const speaks = span.speaks(root);
  const { array, type, kind } = elementsOf(team.payload, x as bigint | TypedArray);
  const region = regionOf(team, array, type);
  engine.decisions.choose("broadcast", region.bytes, wish); // that there is such a one
  const speaker = span.teamRank(span.speaker(span.own, root));
  const local = span.isAlone ? null : broadcastCall(engine, array, speaker, wish);
  const result = () => resultOf(x as Reducible, array) as T;
  const straight = (tag: number): T => {
    if (speaks) hot.relay(region, root);
    if (local !== null) hot.within(local, tag);
    if (!speaks) hot.relay(region, root);
    return result();
  };
  const word = callWord("broadcast", "", kind);
  return new ClusterCall(
    ground,
    word,
    array.length,
    root,
    function* ({ tag }) {
      const relay = (elements: Elements) => relayElements(span, region, elements, root);
      if (speaks) yield* inHeap(span, region, span.rank === root ? "read" : "written", relay);
      if (local !== null) yield* within(local, tag);
      if (!speaks && span.place(root, true).children.length > 0) {
        yield* inHeap(span, region, "read", relay);
      }
      yield* span.flush();
      return result();
    },
    isShort(region) ? straight : undefined,
  );
}

/** The elements of all combined, at the root. */
export function reduceArray<T extends Reducible>(
  ground: ArrayGround,
  x: T,
  op: Op,
  root: number,
  wish?: Algorithm,
): Call<T | undefined> {
  const { engine, span, hotArrays: hot } = ground;
  const { team } = engine;
  const speaks = span.speaks(root);
  const atRoot = span.rank === root;
  const { array, type, kind } = elementsOf(team.payload, x as bigint | TypedArray);
  const reducer = engine.ops.elements(op, type);
  engine.decisions.choose("reduce", array.byteLength, wish); // that there is such a one
  // what a speaker collects is not the user's, unless it is the root
  const own = speaks && !atRoot ? array.slice() : array;
  const speaker = span.teamRank(span.speaker(span.own, root));
  const local = span.isAlone ? null : reduceCall<TypedArray>(engine, own, op, speaker, wish);
  const region = regionOf(team, own, type);
  const begin = () => {
    if (own !== array) own.set(array as Float64Array & BigInt64Array);
  };
  const result = () => (atRoot ? resultOf(x, array) : undefined);
  const straight = (tag: number): T | undefined => {
    begin();
    if (local !== null) hot.within(local, tag);
    if (speaks) hot.reduce(region, reducer, root);
    return result();
  };
  const word = callWord("reduce", opName(op), kind);
  return new ClusterCall(
    ground,
    word,
    array.length,
    root,
    function* ({ tag }) {
      begin();
      if (local !== null) yield* within(local, tag);
      if (speaks) {
        const use = atRoot ? "changed" : "read";
        yield* inHeap(span, region, use, (elements) => reduceElements(span, elements, reducer, root));
      }
      return result();
    },
    isShort(region) ? straight : undefined,
  );
}

/** The elements of all combined, at each. @param wish of the steps within a node */
export function allreduceArray<T extends Reducible>(
  ground: ArrayGround,
  x: T,
  op: Op,
  wish?: Algorithm,
): Call<T> {
  const { engine, span, hotArrays: hot } = ground;
  const { team } = engine;
  const speaks = span.speaks(-1);
  const { array, type, kind } = elementsOf(team.payload, x as bigint | TypedArray);
  const reducer = engine.ops.elements(op, type);
  const region = regionOf(team, array, type);
  const speaker = span.teamRank(span.speaker(span.own));
  const up = span.isAlone ? null : reduceCall<TypedArray>(engine, array, op, speaker, wish);
  const down = span.isAlone ? null : broadcastCall(engine, array, speaker, undefined);
  const commutes = typeof op === "string";
  const straight = (tag: number): T => {
    if (up !== null) hot.within(up, tag);
    if (speaks) hot.exchange(region, reducer, commutes);
    if (down !== null) hot.within(down, tag);
    return resultOf(x, array);
  };
  const word = callWord("allreduce", opName(op), kind);
  return new ClusterCall(
    ground,
    word,
    array.length,
    -1,
    function* ({ tag }) {
      if (up !== null) yield* within(up, tag);
      if (speaks) {
        const exchange = (elements: Elements) => exchangeElements(span, elements, reducer, commutes);
        yield* inHeap(span, region, "changed", exchange);
      }
      if (down !== null) yield* within(down, tag);
      return resultOf(x, array);
    },
    isShort(region) ? straight : undefined,
  );
}
