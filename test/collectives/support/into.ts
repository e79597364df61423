/** Arrays that a PE gives for the result of a call, and what they are afterwards. */
import * as assert from "uvu/assert";
import type { TypedArray } from "../../../src/index.ts";
import type { Placed } from "./places.ts";
import { callWith, isArrayKind, placeOf, type Scene } from "./scene.ts";

/** Elements more than are needed. */
const MORE = 5;

/** Makes the call with an array for a result of `length` elements, or of so many in each part, if the case says so. */
export async function callInto(
  scene: Scene,
  length: number | readonly number[],
  ...args: readonly unknown[]
): Promise<unknown> {
  const { arena, group, one } = scene;
  const { kind, into: way } = one;
  const inParts = typeof length !== "number";
  if (way === "nothing" || !isArrayKind(kind) || (way === "list" && !inParts))
    return callWith(scene, {}, ...args);
  const more = way === "longer" ? MORE : 0;
  const place = placeOf(scene, group.rank + 1);
  const all = (typeof length === "number" ? [length] : length).reduce((sum, n) => sum + n, 0);
  const lengths = way === "list" ? (length as readonly number[]).map((n, i) => n + (i % 2)) : [all + more];
  const placed: readonly Placed[] = lengths.map((n) => arena.place(kind, n, place));
  const arrays = placed.map(({ array }) => array);
  const [first] = arrays as [TypedArray];
  const got = await callWith(scene, { into: way === "list" ? arrays : first }, ...args);
  assert.ok(
    placed.every(({ untouched }) => untouched()),
    "what is around the result is as it was",
  );
  const parts = (inParts ? got : [got]) as TypedArray[];
  let at = first.byteOffset;
  for (const [i, part] of parts.entries()) {
    const home = way === "list" ? (arrays[i] as TypedArray) : first;
    assert.ok(part.buffer === home.buffer, "the result lies in what was given");
    assert.is(part.byteOffset, way === "list" ? home.byteOffset : at);
    at += part.byteLength;
    if (way === "fits" && !inParts) assert.ok(part === home, "the result is what was given");
  }
  return got;
}
