/** Plays a reduction by minloc or maxloc at one PE and checks it: whatever the order, the result is the same. */
import * as assert from "uvu/assert";
import type { TypedArray } from "../../../src/index.ts";
import { elements, firstDifference, isBig, isFloat, random, type TypeName, zeros } from "./reference.ts";
import { call, isArrayKind, placeOf, ranksOf, type Scene } from "./scene.ts";

interface Pair {
  readonly value: number | bigint;
  readonly index: number;
}

/** The pairs of a PE: few values, so that many are equal, the odd ones among them. */
function pairsOf({ seed }: Scene, type: TypeName, count: number, rank: number): Pair[] {
  const odd = isFloat(type) ? [[], [0, -0], [0, -0, Number.NaN]][seed % 3] : [];
  const some = seed % 3 === 1 && isFloat(type) ? odd : [...elements(type, 3, seed), ...odd];
  const next = random(seed + 64 * rank);
  return Array.from({ length: count }, () => ({
    value: some[Math.floor(next() * some.length)] as number | bigint,
    index: Math.floor(next() * 100),
  }));
}

/** Where a value stands: NaN comes first for both ops. */
function order(op: string, a: number | bigint, b: number | bigint): number {
  if (Object.is(a, b)) return 0;
  if (Number.isNaN(a)) return -1;
  if (Number.isNaN(b)) return 1;
  // -0 before 0
  const isLess = a < b || (a === b && Object.is(a, -0));
  return (isLess ? -1 : 1) * (op === "minloc" ? 1 : -1);
}

/** The first of some pairs by the order of the op, then by index. */
const best = (op: string, pairs: readonly Pair[]): Pair =>
  pairs.toSorted((a, b) => order(op, a.value, b.value) || a.index - b.index)[0] as Pair;

function arrayOf(type: TypeName, pairs: readonly Pair[]): TypedArray {
  const array = zeros(type, 2 * pairs.length);
  for (const [i, { value, index }] of pairs.entries()) {
    array[2 * i] = value;
    array[2 * i + 1] = isBig(type) ? BigInt(index) : index;
  }
  return array;
}

/** Plays a case with such an op. */
export async function playLocation(scene: Scene): Promise<void> {
  const { one, group, root } = scene;
  const { rank, size } = group;
  const isScattered = one.call === "reduceScatter";
  const isArray = isArrayKind(one.kind);
  const type: TypeName = isArrayKind(one.kind) ? one.kind : "Float64Array";
  const length = isArray ? one.length : 1;
  const count = isScattered ? size * length : length;
  const all = ranksOf(scene).map((from) => pairsOf(scene, type, count, from));
  const seen = one.call === "scan" ? all.slice(0, rank + 1) : one.call === "exscan" ? all.slice(0, rank) : all;
  const isAnswered = one.call === "reduce" ? rank === root : seen.length > 0;
  const from = isScattered ? rank * length : 0;
  const expected = Array.from({ length: isAnswered ? length : 0 }, (_, i) =>
    best(
      one.op,
      seen.map((pairs) => pairs[from + i] as Pair),
    ),
  );
  const args = one.call === "reduce" ? [one.op, root] : [one.op];
  const mine = all[rank] as Pair[];
  if (!isArray) {
    const got = await call(scene, isScattered ? mine : mine[0], ...args);
    const [pair] = expected;
    if (pair === undefined) return assert.is(got, undefined);
    const { value, index } = got as Pair;
    assert.ok(Object.is(value, pair.value) && index === pair.index, `got ${value}, ${index}`);
    return;
  }
  const given = arrayOf(type, mine);
  const { array, untouched } = scene.arena.place(type, given.length, placeOf(scene, rank));
  (array as Float64Array).set(given as Float64Array);
  const got = (await call(scene, array, ...args)) as TypedArray | undefined;
  if (!isScattered) assert.is(got, isAnswered ? array : undefined);
  const result = isScattered ? (got as TypedArray) : array;
  const wanted = isAnswered ? arrayOf(type, expected) : given;
  const at = firstDifference(result, wanted);
  assert.is(at, -1, `element ${at} is ${result[at]}, not ${wanted[at]}`);
  if (isScattered) assert.is(firstDifference(array, given), -1, "what was given is as it was");
  assert.ok(untouched(), "the surroundings are as they were");
}
