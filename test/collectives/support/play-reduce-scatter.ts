/** Plays a reduceScatter at one PE and checks it, bit for bit: the block of each PE in the cyclic order from its rank on. */
import * as assert from "uvu/assert";
import type { TypedArray } from "../../../src/index.ts";
import { callInto } from "./into.ts";
import { ringOrder } from "./orders.ts";
import { opOf } from "./play-reductions.ts";
import {
  combineArrays,
  type Element,
  elements,
  firstDifference,
  isBig,
  type Step,
  stepOf,
  type TypeName,
} from "./reference.ts";
import { call, isArrayKind, placeOf, ranksOf, type Scene } from "./scene.ts";

/** What the case asks for, but where the order must not matter. */
function orderOf({ pe, one }: Scene): { op: string; tame: boolean } {
  const tame = pe.nodes > 1;
  return { op: tame && one.op === "order" ? "smaller" : one.op, tame };
}

/** Plays a case of reduceScatter. */
export async function playReduceScatter(scene: Scene): Promise<void> {
  const { one } = scene;
  if (isArrayKind(one.kind)) await playArray(scene, one.kind);
  else await playList(scene);
}

/** As an array of the other type over the same elements. */
const clamped = (type: TypeName, array: TypedArray): TypedArray =>
  type === "Uint8ClampedArray" ? new Uint8ClampedArray(array.buffer) : array;

async function playArray(scene: Scene, type: TypeName): Promise<void> {
  const { arena, group, one, seed } = scene;
  const { op, tame } = orderOf(scene);
  const { rank, size } = group;
  const values = ranksOf(scene).map((from) => elements(type, size * one.length, seed + 64 * from, tame));
  const mine = values[rank] as Float64Array;
  const { array, untouched } = arena.place(type, mine.length, placeOf(scene, rank));
  (array as Float64Array).set(mine);
  const given = opOf(op, isBig(type) ? "bigint" : "number");
  const got = (await callInto(scene, one.length, array, given)) as TypedArray;
  const blocks = values.map((whole) => whole.slice(rank * one.length, (rank + 1) * one.length));
  const expected = clamped(
    type,
    ringOrder<TypedArray>(blocks, rank, (a, b) => combineArrays(a, b, stepOf(type, op))),
  );
  assert.is(got[Symbol.toStringTag], type);
  const at = firstDifference(got, expected);
  assert.is(at, -1, `element ${at} is ${got[at]}, not ${expected[at]}`);
  if (one.into === "nothing") assert.ok(got.buffer !== array.buffer, "the result is an array of its own");
  assert.ok(firstDifference(array, mine) === -1 && untouched(), "what was given is as it was");
}

async function playList(scene: Scene): Promise<void> {
  const { group, one, seed } = scene;
  const { op, tame } = orderOf(scene);
  const { rank, size } = group;
  const big = one.kind === "bigint";
  const type = big ? "BigInt64Array" : ["and", "or", "xor"].includes(op) ? "Int32Array" : "Float64Array";
  const values = ranksOf(scene).map((from) => [...elements(type, size, seed + 64 * from, tame)] as Element[]);
  const got = await call(scene, values[rank], opOf(op, big ? "bigint" : "number"));
  const step: Step = stepOf(big ? type : "Float64Array", op);
  const apply = step as unknown as (a: Element, b: Element) => Element;
  const wrap = (x: Element): Element => (big ? BigInt.asIntN(64, x as bigint) : x);
  const own = values.map((list) => list[rank] as Element);
  const expected = ringOrder(own, rank, (a, b) => wrap(apply(a, b)));
  assert.ok(Object.is(got, expected), `expected ${expected}, got ${String(got)}`);
}
