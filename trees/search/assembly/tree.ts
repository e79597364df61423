/*
 * A tree that can be changed and judged quickly; what is computed is said in ../soft-tree.ts.
 *
 * Children are lists linked through their members, always sorted, and what a child's edge costs lies with the
 * child: a walk to the root touches a line of the cache for each member and no matrix.
 */
import { factors, former, into, relays, send, size, walk } from "./costs";

/** A member of the group, in one tree. */
@unmanaged
export class Member {
  parent: Member | null;
  first: Member | null;
  next: Member | null;
  previous: Member | null;
  /** E of the member. */
  weight: f64;
  /** Of the edge to it: exp(b send), exp(b tail), and the factor of its place in the order. */
  growth: f64;
  reach: f64;
  rank: f64;
  /** rank and reach times weight. */
  key: f64;
  share: f64;
  /** When it is done with its sends. */
  idle: f64;
  index: i32;
  mark: i32;
}

/** A tree: in the memory this, then its members. */
@unmanaged
export class SoftTree {
  root: Member;
  /** State of the random numbers. */
  random: u32;
  /** Changes since the last {@link clock}. */
  age: i32;
  stamp: i32;
  /** The values that the last change has overwritten. */
  changes: i32;
  padding: i32;
}

/** The member with an index. */
export function memberOf(tree: SoftTree, index: i32): Member {
  return changetype<Member>(changetype<usize>(tree) + offsetof<SoftTree>() + <usize>index * offsetof<Member>());
}

/** Makes a tree of parents by index, -1 for the root, which lie where walks do; {@link sharpen} it before use. */
export function plant(tree: SoftTree, seed: u32): void {
  tree.random = seed;
  tree.age = 0;
  tree.stamp = 0;
  tree.changes = 0;
  for (let i = 0; i < size; i++) {
    const member = memberOf(tree, i);
    memory.fill(changetype<usize>(member), 0, offsetof<Member>());
    member.index = i;
  }
  for (let i = 0; i < size; i++) {
    const above = load<i32>(walk + ((<usize>i) << 2));
    if (above < 0) tree.root = memberOf(tree, i);
    else link(memberOf(tree, i), memberOf(tree, above));
  }
}

/** Works everything out anew: the factors have changed. */
export function sharpen(tree: SoftTree): void {
  for (let i = walkDown(tree) - 1; i >= 0; i--) {
    const v = changetype<Member>(load<usize>(walk + ((<usize>i) << 2)));
    const child = v.first;
    v.first = null;
    linkAll(child, v);
    v.weight = sumOf(v);
  }
  clock(tree);
}

/** All members, parents first; how many there are. */
function walkDown(tree: SoftTree): i32 {
  let end = walk;
  store<usize>(end, changetype<usize>(tree.root));
  end += 4;
  for (let at = walk; at < end; at += 4) {
    let child = changetype<Member>(load<usize>(at)).first;
    while (child) {
      store<usize>(end, changetype<usize>(child));
      end += 4;
      child = child.next;
    }
  }
  return <i32>((end - walk) >> 2);
}

/** The sum of exponentials over the whole tree, which is to be small. */
export function sum(tree: SoftTree): f64 {
  return tree.root.weight;
}

/** Works out anew when each member is done with its sends, for {@link delivery}. */
export function clock(tree: SoftTree): void {
  tree.age = 0;
  const count = walkDown(tree);
  tree.root.idle = 0;
  for (let i = 0; i < count; i++) {
    const v = changetype<Member>(load<usize>(walk + ((<usize>i) << 2)));
    let time = v.idle;
    if (v.parent) time += load<f64>(relays + ((<usize>v.index) << 4));
    let child = v.first;
    while (child) {
      child.idle = time + load<f64>(into + ((<usize>(child.index * size + v.index)) << 3));
      time += load<f64>(send + ((<usize>(v.index * size + child.index)) << 3));
      child = child.next;
    }
    v.idle = time;
  }
}

/** When `from` could deliver to `to` after its own sends, as of the last {@link clock}. */
export function delivery(from: Member, to: Member): f64 {
  return from.idle + load<f64>(into + ((<usize>(to.index * size + from.index)) << 3));
}

/** Whether `above` is `v` or lies on its path to the root. */
export function isAbove(above: Member, v: Member): bool {
  let at: Member | null = v;
  while (at) {
    if (at === above) return true;
    at = at.parent;
  }
  return false;
}

/** Makes `v`, with all below it, a child of `to`, which is not below `v`. */
export function relocate(tree: SoftTree, v: Member, to: Member): void {
  const from = changetype<Member>(v.parent);
  unlink(v);
  link(v, to);
  update(tree, from, to);
}

/** Undoes {@link relocate}. */
export function putBack(tree: SoftTree, v: Member, from: Member): void {
  unlink(v);
  link(v, from);
  restore(tree);
}

/** Exchanges two members with all below them; neither is below the other, nor the root. */
export function graft(tree: SoftTree, u: Member, v: Member): void {
  swapBranches(u, v);
  update(tree, changetype<Member>(u.parent), changetype<Member>(v.parent));
}

/** Undoes {@link graft} of the same two. */
export function graftBack(tree: SoftTree, u: Member, v: Member): void {
  swapBranches(u, v);
  restore(tree);
}

function swapBranches(u: Member, v: Member): void {
  const above = changetype<Member>(u.parent);
  const beside = changetype<Member>(v.parent);
  unlink(u);
  unlink(v);
  link(u, beside);
  link(v, above);
}

/** Exchanges the places of two members; what is below a place stays there. */
export function exchange(tree: SoftTree, u: Member, v: Member): void {
  swapPlaces(tree, u, v);
  update(tree, u, v);
}

/** Undoes {@link exchange} of the same two. */
export function exchangeBack(tree: SoftTree, u: Member, v: Member): void {
  swapPlaces(tree, u, v);
  restore(tree);
}

function swapPlaces(tree: SoftTree, one: Member, other: Member): void {
  // if one is the parent of the other, it is v
  const isTurned = other.parent === one;
  const u = isTurned ? other : one;
  const v = isTurned ? one : other;
  const above = u.parent;
  const beside = v.parent;
  if (above) unlink(u);
  if (beside) unlink(v);
  const below = u.first;
  const others = v.first;
  u.first = null;
  v.first = null;
  linkAll(below, v);
  linkAll(others, u);
  place(tree, u, beside);
  place(tree, v, above === v ? u : above);
}

/** Links a child and all that come after it. */
function linkAll(first: Member | null, to: Member): void {
  let child = first;
  while (child) {
    const next = child.next;
    link(child, to);
    child = next;
  }
}

function place(tree: SoftTree, v: Member, to: Member | null): void {
  if (to) link(v, to);
  else {
    tree.root = v;
    v.parent = null;
  }
}

function unlink(v: Member): void {
  const before = v.previous;
  const after = v.next;
  if (before) before.next = after;
  else changetype<Member>(v.parent).first = after;
  if (after) after.previous = before;
}

/** Makes `v` a child of `to`, by its weight. */
function link(v: Member, to: Member): void {
  const edge = factors + ((<usize>(to.index * size + v.index)) << 4);
  const growth = load<f64>(edge);
  const reach = load<f64>(edge, 8);
  const weight = v.weight;
  // a send that costs nothing comes first
  const rank = growth > 1 ? (reach * growth) / (growth - 1) : f64.MAX_VALUE;
  v.parent = to;
  v.growth = growth;
  v.reach = reach;
  v.rank = rank;
  v.share = reach * weight;
  v.key = rank * weight;
  insert(v, null, to.first);
}

/** Puts `v` between two siblings, or as far behind them as its key is less. */
function insert(v: Member, from: Member | null, to: Member | null): void {
  const key = v.key;
  let before = from;
  let after = to;
  while (after) {
    if (after.key < key) break;
    before = after;
    after = after.next;
  }
  v.next = after;
  v.previous = before;
  if (before) before.next = v;
  else changetype<Member>(v.parent).first = v;
  if (after) after.previous = v;
}

/** Gives `v` another weight, and its place among its siblings. */
function settle(v: Member, weight: f64): void {
  v.weight = weight;
  if (v.parent === null) return;
  const key = v.rank * weight;
  v.key = key;
  v.share = v.reach * weight;
  let before = v.previous;
  if (before) {
    if (before.key < key) {
      unlink(v);
      let after: Member | null = before;
      do {
        after = before;
        before = before.previous;
      } while (before !== null && before.key < key);
      insert(v, before, after);
      return;
    }
  }
  const after = v.next;
  if (after) {
    if (after.key > key) {
      unlink(v);
      insert(v, before, after);
    }
  }
}

/** Weighs `a`, `b` and everything above them. */
function update(tree: SoftTree, a: Member, b: Member): void {
  const stamp = ++tree.stamp;
  tree.changes = 0;
  let at: Member | null = a;
  while (at) {
    at.mark = stamp;
    at = at.parent;
  }
  // up to where the two paths meet, then on from there
  at = b;
  while (at) {
    if (at.mark === stamp) break;
    reweigh(tree, at);
    at = at.parent;
  }
  const meeting = at;
  at = a;
  while (at) {
    if (at === meeting) break;
    reweigh(tree, at);
    at = at.parent;
  }
  at = meeting;
  while (at) {
    reweigh(tree, at);
    at = at.parent;
  }
}

function reweigh(tree: SoftTree, v: Member): void {
  const entry = former + ((<usize>tree.changes) << 4);
  tree.changes++;
  store<usize>(entry, changetype<usize>(v));
  store<f64>(entry, v.weight, 8);
  settle(v, sumOf(v));
}

function restore(tree: SoftTree): void {
  for (let i = tree.changes - 1; i >= 0; i--) {
    const entry = former + ((<usize>i) << 4);
    settle(changetype<Member>(load<usize>(entry)), load<f64>(entry, 8));
  }
  tree.changes = 0;
}

/** The factor of a member's relay, which delays all that is below it; a root has none. */
export function delayOf(v: Member): f64 {
  return v.parent ? load<f64>(relays + ((<usize>v.index) << 4), 8) : 1;
}

function sumOf(v: Member): f64 {
  let grown = delayOf(v);
  let total: f64 = 1;
  let child = v.first;
  while (child) {
    grown *= child.growth;
    total += grown * child.share;
    child = child.next;
  }
  return total;
}
