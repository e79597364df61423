/** Broadcast, reduce and allreduce of arrays over nodes: long ones by routines (arrays.ts), short ones also straight (blocking-arrays.ts). */
import { ARRAYS, type TypedArray } from "../../memory/kernels/elements.ts";
import type { Call } from "../calls/call.ts";
import { reduceCall } from "../calls/computing.ts";
import { elementsOf, opName, type Reducible, resultOf } from "../calls/elements.ts";
import { broadcastCall } from "../calls/moving.ts";
import { type Region, regionOf } from "../node/region.ts";
import { type Algorithm, callWord } from "../team/call-words.ts";
import type { Routine } from "../team/operation.ts";
import type { Op } from "../team/payload.ts";
import {
  type Elements,
  exchangeElements,
  inHeap,
  reduceElements,
  relayElements,
  type Use,
} from "./arrays.ts";
import { type HotArrays, isShort } from "./blocking-arrays.ts";
import { ClusterCall, type Ground } from "./call.ts";
import { within } from "./local.ts";

/** What these calls need. */
export interface ArrayGround extends Ground {
  readonly hotArrays: HotArrays;
}

/** A step between the parts. */
interface Between {
  readonly use: Use;
  routine(elements: Elements): Routine<void>;
  /** The same straight, for a short array. */
  straight(): void;
}

/** Within the part, between the parts, or of this PE alone. */
type Step = Call<unknown> | Between | (() => void);

const isWithin = (step: Call<unknown> | Between): step is Call<unknown> => "begin" in step;

/**
 * A call whose steps come one after the other. It may be kept, and begun again and again, with other content.
 * @param steps null: none
 */
function arrayCall<T>(
  ground: ArrayGround,
  word: number,
  root: number,
  region: Region,
  steps: readonly (Step | null)[],
  result: () => T,
): Call<T> {
  const { hierarchy, hotArrays } = ground;
  const straight = (tag: number): T => {
    for (const step of steps) {
      if (step === null) continue;
      if (typeof step === "function") step();
      else if (isWithin(step)) hotArrays.within(step, tag);
      else step.straight();
    }
    return result();
  };
  return new ClusterCall(
    ground,
    word,
    region.bytes / region.size,
    root,
    function* ({ tag }) {
      for (const step of steps) {
        if (step === null) continue;
        if (typeof step === "function") step();
        else if (isWithin(step)) yield* within(step, tag);
        else yield* inHeap(hierarchy, region, step.use, (elements) => step.routine(elements));
      }
      yield* hierarchy.flush();
      return result();
    },
    isShort(region) ? straight : undefined,
  );
}

/** The root's elements, at each. */
export function broadcastArray<T>(ground: ArrayGround, x: T, root: number, wish?: Algorithm): Call<T> {
  const { engine, hierarchy, hotArrays } = ground;
  const { team } = engine;
  const { array, type, kind } = elementsOf(team.payload, x as bigint | TypedArray);
  const region = regionOf(team, array, type);
  engine.decisions.choose("broadcast", region.bytes, wish); // that there is such a one
  const relay: Between = {
    use: hierarchy.leads(root) && hierarchy.rank !== root ? "written" : "read",
    routine: (elements) => relayElements(hierarchy, region, elements, root),
    straight: () => hotArrays.relay(region, root),
  };
  const leader = hierarchy.teamRank(hierarchy.leader(hierarchy.own, root));
  const local = hierarchy.isAlone ? null : broadcastCall(engine, array, leader, wish);
  const sendsAfter = !hierarchy.leads(root) && hierarchy.place(root, true).children.length > 0;
  const steps = [hierarchy.leads(root) ? relay : null, local, sendsAfter ? relay : null];
  const word = callWord("broadcast", "", kind);
  return arrayCall(ground, word, root, region, steps, () => resultOf(x as Reducible, array) as T);
}

/** The elements of all combined, at the root. */
export function reduceArray<T extends Reducible>(
  ground: ArrayGround,
  x: T,
  op: Op,
  root: number,
  wish?: Algorithm,
): Call<T | undefined> {
  const { engine, hierarchy, hotArrays } = ground;
  const { team } = engine;
  const leads = hierarchy.leads(root);
  const atRoot = hierarchy.rank === root;
  const { array, type, kind } = elementsOf(team.payload, x as bigint | TypedArray);
  const reducer = engine.ops.elements(op, type);
  engine.decisions.choose("reduce", array.byteLength, wish); // that there is such a one
  // what a leader collects is not the user's, unless it is the root
  const own = leads && !atRoot ? new ARRAYS[type](array.length) : array;
  const copy = own === array ? null : () => own.set(array as Float64Array & BigInt64Array);
  const region = regionOf(team, own, type);
  const leader = hierarchy.teamRank(hierarchy.leader(hierarchy.own, root));
  const local = hierarchy.isAlone ? null : reduceCall<TypedArray>(engine, own, op, leader, wish);
  const between: Between = {
    use: atRoot ? "changed" : "read",
    routine: (elements) => reduceElements(hierarchy, elements, reducer, root),
    straight: () => hotArrays.reduce(region, reducer, root),
  };
  const word = callWord("reduce", opName(op), kind);
  const result = () => (atRoot ? resultOf(x, array) : undefined);
  return arrayCall(ground, word, root, region, [copy, local, leads ? between : null], result);
}

/** The elements of all combined, at each. @param wish of the steps within a node */
export function allreduceArray<T extends Reducible>(
  ground: ArrayGround,
  x: T,
  op: Op,
  wish?: Algorithm,
): Call<T> {
  const { engine, hierarchy, hotArrays } = ground;
  const { team } = engine;
  const { array, type, kind } = elementsOf(team.payload, x as bigint | TypedArray);
  const reducer = engine.ops.elements(op, type);
  const region = regionOf(team, array, type);
  const commutes = typeof op === "string";
  const leader = hierarchy.teamRank(hierarchy.leader(hierarchy.own));
  const up = hierarchy.isAlone ? null : reduceCall<TypedArray>(engine, array, op, leader, wish);
  const down = hierarchy.isAlone ? null : broadcastCall(engine, array, leader, undefined);
  const between: Between = {
    use: "changed",
    routine: (elements) => exchangeElements(hierarchy, elements, reducer, commutes),
    straight: () => hotArrays.exchange(region, reducer, commutes),
  };
  const word = callWord("allreduce", opName(op), kind);
  const steps = [up, hierarchy.leads(-1) ? between : null, down];
  return arrayCall(ground, word, -1, region, steps, () => resultOf(x, array));
}
