/** Arrays that a PE gives for the result of a call, and what they are afterwards. */
import * as assert from "uvu/assert";
import type { TypedArray } from "../../../src/index.ts";
import type { Placed } from "./places.ts";
import { callWith, isArrayKind, placeOf, type Scene } from "./scene.ts";

/** Elements more than are needed. */
const MORE = 5;

/**
 * Makes the call with arrays for its result, if the case says so.
 * @param length elements of the result, or of the part of each PE where a list of arrays may be given
 */
export async function callInto(
  scene: Scene,
  length: number | readonly number[],
  ...args: readonly unknown[]
): Promise<unknown> {
  const { arena, group, one } = scene;
  const { kind, into: way } = one;
  const isList = way === "list";
  if (way === "nothing" || !isArrayKind(kind) || (isList && typeof length === "number"))
    return callWith(scene, {}, ...args);
  const lengths = typeof length === "number" ? [length] : length;
  const all = lengths.reduce((sum, n) => sum + n, 0);
  const rooms = isList ? lengths.map((n, i) => n + (i % 2)) : [way === "longer" ? all + MORE : all];
  const place = placeOf(scene, group.rank + 1);
  const placed: readonly Placed[] = rooms.map((n) => arena.place(kind, n, place));
  const arrays = placed.map(({ array }) => array);
  const [first] = arrays as [TypedArray];
  const got = await callWith(scene, { into: isList ? arrays : first }, ...args);
  assert.ok(
    placed.every(({ untouched }) => untouched()),
    "what is around the result is as it was",
  );
  if (isList) assert.ok(Array.isArray(got) && got.length === lengths.length, "a list for a list");
  let at = first.byteOffset;
  for (const [i, part] of (Array.isArray(got) ? (got as TypedArray[]) : [got as TypedArray]).entries()) {
    const home = isList ? (arrays[i] as TypedArray) : first;
    assert.ok(part.buffer === home.buffer, "the result lies in what was given");
    assert.is(part.byteOffset, isList ? home.byteOffset : at);
    at += part.byteLength;
    if (way === "fits" && part === got) assert.ok(part === home, "the result is what was given");
  }
  return got;
}
