/*
 * Changes of a tree at random; which ones is said in ../anneal.ts.
 */
import { isFree, limits, STEP_BITS, size, walk } from "./costs";
import {
  clock,
  delayOf,
  delivery,
  exchange,
  exchangeBack,
  graft,
  graftBack,
  isAbove,
  Member,
  memberOf,
  putBack,
  relocate,
  SoftTree,
} from "./tree";

/** Parents that are looked at for a relocation. */
const DRAWN = 8;
/** How often a late member or one above it, how often the late one itself; how often which change, else an exchange. */
const LATE = 0.8;
const LATEST = 0.25;
const GRAFTS = 0.25;
const RELOCATIONS = 0.4;

/** Tries so many changes. */
export function move(tree: SoftTree, count: i32): void {
  for (let i = 0; i < count; i++) {
    // when members are free is only a hint, so it may be a little old
    if (++tree.age > size) clock(tree);
    const v = random(tree) < LATE ? lateMember(tree) : anyMember(tree);
    const kind = random(tree);
    if (kind < GRAFTS) tryGraft(tree, v, anyMember(tree));
    else if (kind < GRAFTS + RELOCATIONS) tryRelocation(tree, v);
    else tryExchange(tree, v, anyMember(tree));
  }
}

/** 32 random bits: mulberry32, as in src/ground/base/random.ts. */
function bits(tree: SoftTree): u32 {
  const state = tree.random + 0x6d2b79f5;
  tree.random = state;
  let z = (state ^ (state >>> 15)) * (state | 1);
  z ^= z + (z ^ (z >>> 7)) * (z | 61);
  return z ^ (z >>> 14);
}

/** From 0 (included) to 1 (excluded). */
function random(tree: SoftTree): f64 {
  return <f64>bits(tree) / 4294967296.0;
}

function below(tree: SoftTree, end: u32): u32 {
  return <u32>((<u64>bits(tree) * <u64>end) >> 32);
}

function anyMember(tree: SoftTree): Member {
  return memberOf(tree, below(tree, size));
}

/** A late member, or one on the way to it: who is late is drawn by its share of the sum. */
function lateMember(tree: SoftTree): Member {
  let v = tree.root;
  let length: u32 = 0;
  for (;;) {
    store<usize>(walk + (length << 2), changetype<usize>(v));
    length++;
    let left = random(tree) * v.weight - 1;
    if (left < 0) break;
    let grown = delayOf(v);
    let child = v.first;
    if (!child) break;
    for (;;) {
      v = child;
      grown *= v.growth;
      left -= grown * v.share;
      child = v.next;
      if (!child || left < 0) break;
    }
  }
  if (random(tree) < LATEST) return v;
  return changetype<Member>(load<usize>(walk + (below(tree, length) << 2)));
}

function tryRelocation(tree: SoftTree, v: Member): void {
  const from = v.parent;
  if (!from) return;
  let to = v;
  let first = Infinity;
  for (let drawn = 0; drawn < DRAWN; drawn++) {
    const other = anyMember(tree);
    const there = delivery(other, v);
    if (there < first && other !== v) {
      first = there;
      to = other;
    }
  }
  if (to === from || isAbove(v, to)) return;
  const before = tree.root.weight;
  relocate(tree, v, to);
  if (!isKept(tree, before)) putBack(tree, v, from);
}

function tryGraft(tree: SoftTree, u: Member, v: Member): void {
  const root = tree.root;
  if (u === root || v === root || u.parent === v.parent) return;
  if (isAbove(u, v) || isAbove(v, u)) return;
  const before = root.weight;
  graft(tree, u, v);
  if (!isKept(tree, before)) graftBack(tree, u, v);
}

function tryExchange(tree: SoftTree, u: Member, v: Member): void {
  const root = tree.root;
  if (u === v || (!isFree && (u === root || v === root))) return;
  const before = root.weight;
  exchange(tree, u, v);
  if (!isKept(tree, before)) exchangeBack(tree, u, v);
}

function isKept(tree: SoftTree, before: f64): bool {
  // the octave of a random number, and where in it
  const drawn = bits(tree);
  const octave = clz(drawn | 1);
  const limit = load<f64>(
    limits + (((octave << STEP_BITS) | (((drawn << octave) & 0x7fffffff) >>> (31 - STEP_BITS))) << 3),
  );
  // NaN, when sums have grown beyond all numbers, is refused
  return tree.root.weight <= before * limit;
}
