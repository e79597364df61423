/**
 * Barrier and numbers over nodes, blocking: what backend.ts does by routines, step for step and message for message, with
 * nothing allocated. So some PEs may make a call in this form, and others the same one in its Async form.
 */
import type { Engine } from "../calls/engine.ts";
import { type ExchangePartners, exchangePartners } from "../team/links.ts";
import type { Combine } from "../team/payload.ts";
import type { Hierarchy } from "./hierarchy.ts";

/** One PE's calls of numbers in a group over several nodes. */
export class HotNumbers {
  readonly #engine: Engine;
  readonly #hierarchy: Hierarchy;
  readonly #partners: ExchangePartners;

  constructor(engine: Engine, hierarchy: Hierarchy) {
    this.#engine = engine;
    this.#hierarchy = hierarchy;
    this.#partners = exchangePartners(hierarchy.parts.length, hierarchy.own);
  }

  /** The number of the root, at each; `word` is the call's. */
  broadcast(word: number, tag: number, x: number, root: number): number {
    const hierarchy = this.#hierarchy;
    const { broadcast } = this.#engine;
    const leader = hierarchy.leader(hierarchy.own, root);
    if (leader !== hierarchy.rank) {
      const value = broadcast.number(tag, x, hierarchy.teamRank(leader));
      const { children } = hierarchy.place(root, true);
      if (children.length > 0) hierarchy.begin(tag, word, 1, root);
      for (let i = 0; i < children.length; i++) hierarchy.giveNumber(children[i], value);
      return value;
    }
    hierarchy.begin(tag, word, 1, root);
    const { parent, children } = hierarchy.place(root, true);
    const value = parent < 0 ? x : hierarchy.takeNumber(parent);
    for (let i = 0; i < children.length; i++) hierarchy.giveNumber(children[i], value);
    return hierarchy.isAlone ? value : broadcast.number(tag, value, hierarchy.teamRank(leader));
  }

  /** The numbers of all combined, at the root; what the others get may be anything. */
  reduce(word: number, tag: number, x: number, combine: Combine<number>, root: number): number {
    const hierarchy = this.#hierarchy;
    const leader = hierarchy.leader(hierarchy.own, root);
    const { reduce } = this.#engine;
    let value = hierarchy.isAlone ? x : reduce.number(tag, x, combine, hierarchy.teamRank(leader));
    if (leader !== hierarchy.rank) return value;
    hierarchy.begin(tag, word, 1, root);
    const { parent, children } = hierarchy.place(root, false);
    for (let i = children.length - 1; i >= 0; i--) value = combine(value, hierarchy.takeNumber(children[i]));
    if (parent >= 0) hierarchy.giveNumber(parent, value);
    return value;
  }

  /** The numbers of all combined, at each. */
  allreduce(word: number, tag: number, x: number, combine: Combine<number>): number {
    const hierarchy = this.#hierarchy;
    const { reduce, broadcast } = this.#engine;
    if (hierarchy.isAlone) {
      hierarchy.begin(tag, word, 1, -1);
      return this.#exchange(x, combine);
    }
    const leader = hierarchy.teamRank(hierarchy.leader(hierarchy.own));
    let value = reduce.number(tag, x, combine, leader);
    if (hierarchy.leads(-1)) {
      hierarchy.begin(tag, word, 1, -1);
      value = this.#exchange(value, combine);
    }
    return broadcast.number(tag, value, leader);
  }

  /** As meet of numbers.ts, with a step up to the leader before it and one down from it after. */
  barrier(word: number, tag: number): void {
    const hierarchy = this.#hierarchy;
    const { reduce, broadcast } = this.#engine;
    if (hierarchy.isAlone) {
      this.#meet(word, tag);
      return;
    }
    const leader = hierarchy.teamRank(hierarchy.leader(hierarchy.own));
    reduce.number(tag, 0, Math.max, leader);
    if (hierarchy.leads(-1)) this.#meet(word, tag);
    broadcast.number(tag, 0, leader);
  }

  #meet(word: number, tag: number): void {
    const hierarchy = this.#hierarchy;
    hierarchy.begin(tag, word, 0, -1);
    const { own, parts } = hierarchy;
    const count = parts.length;
    for (let step = 1; step < count; step *= 2) {
      hierarchy.giveNumber(hierarchy.leader((own + step) % count), 0);
      hierarchy.takeNumber(hierarchy.leader((own - step + count) % count));
    }
  }

  /** As exchangeNumbers of numbers.ts. */
  #exchange(x: number, combine: Combine<number>): number {
    const hierarchy = this.#hierarchy;
    const { own } = hierarchy;
    const { core, folded, rounds } = this.#partners;
    if (own >= core) {
      hierarchy.giveNumber(hierarchy.leader(folded), x);
      return hierarchy.takeNumber(hierarchy.leader(folded));
    }
    let value = folded >= 0 ? combine(x, hierarchy.takeNumber(hierarchy.leader(folded))) : x;
    for (let i = 0; i < rounds.length; i++) {
      const peer = hierarchy.leader(rounds[i]);
      hierarchy.giveNumber(peer, value);
      const other = hierarchy.takeNumber(peer);
      value = rounds[i] > own ? combine(value, other) : combine(other, value);
    }
    if (folded >= 0) hierarchy.giveNumber(hierarchy.leader(folded), value);
    return value;
  }
}
