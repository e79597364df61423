/** Plays one case at one PE and checks what comes out against a reference on one thread. */
import * as assert from "uvu/assert";
import type { Group, PE, TypedArray } from "../../../src/index.ts";
import { type Case, LOC_OPS, REDUCTIONS } from "./cases.ts";
import { callInto } from "./into.ts";
import type { Arena } from "./places.ts";
import { playLocation } from "./play-locations.ts";
import { playReduceScatter } from "./play-reduce-scatter.ts";
import { playReduction } from "./play-reductions.ts";
import { arrayOf, elements, firstDifference, zeros } from "./reference.ts";
import { call, isArrayKind, placeOf, ranksOf, type Scene } from "./scene.ts";
import { same, someEntry, someValue } from "./values.ts";

/** Elements of the part that PE `from` has for PE `to`. */
function lengthOf({ one, group }: Scene, from: number, to: number): number {
  return one.ragged ? Math.floor((one.length * ((from + to) % group.size)) / group.size) : one.length;
}

/** What PE `from` brings, or its part for PE `to`. */
function input(scene: Scene, from: number, to = 0, length: number = scene.one.length): unknown {
  const { one, seed } = scene;
  const own = seed + 64 * from + to;
  if (isArrayKind(one.kind)) return arrayOf(one.kind, length, own);
  if (one.kind === "number") return elements("Float64Array", 1, own)[0];
  if (one.kind === "bigint") return elements("BigInt64Array", 1, own)[0];
  return one.call === "scatter" || one.call === "alltoall" ? someEntry(own) : someValue(own);
}

/** Typed arrays one after the other, or a list of anything else. */
function join({ one }: Scene, parts: readonly unknown[]): unknown {
  if (!isArrayKind(one.kind)) return [...parts];
  const arrays = parts as readonly TypedArray[];
  const whole = zeros(
    one.kind,
    arrays.reduce((sum, { length }) => sum + length, 0),
  ) as Float64Array;
  let at = 0;
  for (const array of arrays) {
    whole.set(array as Float64Array, at);
    at += array.length;
  }
  return whole;
}

/** A result that is a list of parts, as one array. */
const joined = (scene: Scene, got: unknown): unknown =>
  isArrayKind(scene.one.kind) && Array.isArray(got) ? join(scene, got) : got;

/** x at the place that the case wants it, and a check that the call has left it as it was. */
function lay(scene: Scene, x: unknown): { x: unknown; kept: () => void } {
  if (!ArrayBuffer.isView(x) || !isArrayKind(scene.one.kind)) return { x, kept: () => {} };
  const content = x as TypedArray;
  const { array, untouched } = scene.arena.place(scene.one.kind, content.length, placeOf(scene, scene.group.rank));
  (array as Float64Array).set(content as Float64Array);
  return {
    x: array,
    kept: () => assert.ok(firstDifference(array, content) === -1 && untouched(), "what was given is as it was"),
  };
}

/** Fails unless a result is what it should be: a typed array of the same type and elements, the same value. */
function check(got: unknown, expected: unknown, what: string): void {
  if (ArrayBuffer.isView(expected) && !(expected instanceof DataView)) {
    const [tag, wanted] = [got, expected].map((x) => (x as TypedArray)?.[Symbol.toStringTag]);
    assert.is(tag, wanted, what);
    const at = firstDifference(got as TypedArray, expected as TypedArray);
    assert.is(at, -1, `${what}: element ${at} is ${(got as TypedArray)[at]}, not ${(expected as TypedArray)[at]}`);
  } else if (Array.isArray(expected)) {
    assert.is((got as unknown[]).length, expected.length, what);
    for (const [i, value] of expected.entries()) check((got as unknown[])[i], value, `${what}, entry ${i}`);
  } else assert.ok(same(got, expected), `${what}: got ${String(got)}, not ${String(expected)}`);
}

async function playBroadcast(scene: Scene): Promise<void> {
  const { group, one, root, arena } = scene;
  const expected = input(scene, root);
  const mine = group.rank === root ? expected : input(scene, group.rank);
  if (isArrayKind(one.kind)) {
    const { array, untouched } = arena.place(one.kind, one.length, placeOf(scene, group.rank));
    (array as Float64Array).set(mine as Float64Array);
    assert.is(await call(scene, array, root), array);
    check(array, expected, "broadcast");
    assert.ok(untouched(), "the surroundings are as they were");
    return;
  }
  const got = await call(scene, mine, root);
  if (one.kind === "value" && group.rank === root) assert.is(got, mine, "the root keeps its own");
  else check(got, expected, "broadcast");
}

async function playMove(scene: Scene): Promise<void> {
  const { group, one, root } = scene;
  const { rank } = group;
  const ranks = ranksOf(scene);
  const atRoot = rank === root;
  switch (one.call) {
    case "gather":
    case "allgather": {
      const all = ranks.map((from) => input(scene, from, 0, lengthOf(scene, from, 0)));
      const { x, kept } = lay(scene, all[rank]);
      const lengths = ranks.map((from) => lengthOf(scene, from, 0));
      const got = await (one.call === "allgather"
        ? callInto(scene, lengths, x)
        : atRoot
          ? callInto(scene, lengths, x, root)
          : call(scene, x, root));
      kept();
      if (one.call === "gather" && !atRoot) assert.is(got, undefined);
      else check(joined(scene, got), join(scene, all), one.call);
      return;
    }
    case "scatter": {
      const { x, kept } = lay(
        scene,
        atRoot
          ? join(
              scene,
              ranks.map((to) => input(scene, root, to)),
            )
          : undefined,
      );
      const got = await callInto(scene, one.length, x, root);
      kept();
      check(got, input(scene, root, rank), "scatter");
      return;
    }
    case "alltoall": {
      const { x, kept } = lay(
        scene,
        join(
          scene,
          ranks.map((to) => input(scene, rank, to)),
        ),
      );
      const got = await callInto(
        scene,
        ranks.map(() => one.length),
        x,
      );
      kept();
      check(
        joined(scene, got),
        join(
          scene,
          ranks.map((from) => input(scene, from, rank)),
        ),
        "alltoall",
      );
      return;
    }
    default: {
      const part = (from: number, to: number) => input(scene, from, to, lengthOf(scene, from, to));
      const parts = ranks.map((to) => lay(scene, part(rank, to)));
      const got = await callInto(
        scene,
        ranks.map((from) => lengthOf(scene, from, rank)),
        parts.map(({ x }) => x),
      );
      for (const { kept } of parts) kept();
      check(
        got,
        ranks.map((from) => part(from, rank)),
        "alltoallv",
      );
    }
  }
}

/** Plays a case at this PE; PEs in none of its groups have nothing to do. */
export async function play(
  pe: PE,
  arena: Arena,
  groups: (ranks: readonly number[]) => Group,
  one: Case,
): Promise<void> {
  const index = one.groups.findIndex((ranks) => ranks.includes(pe.rank));
  if (one.groups.length > 0 && index < 0) return;
  const group = index < 0 ? pe : groups(one.groups[index]);
  arena.reset();
  const scene: Scene = {
    pe,
    group,
    arena,
    one,
    seed: one.seed + 4096 * (index + 1),
    root: one.root % group.size,
  };
  try {
    if (one.call === "barrier") assert.is(await call(scene), undefined);
    else if (one.call === "broadcast") await playBroadcast(scene);
    else if (LOC_OPS.includes(one.op)) await playLocation(scene);
    else if (one.call === "reduceScatter") await playReduceScatter(scene);
    else if ((REDUCTIONS as readonly string[]).includes(one.call)) await playReduction(scene);
    else await playMove(scene);
  } catch (cause) {
    const why = (cause as Error).message;
    throw new Error(`PE ${pe.rank}, ${group.rank} of ${group.size}, in ${JSON.stringify(one)}: ${why}`, {
      cause,
    });
  }
}
