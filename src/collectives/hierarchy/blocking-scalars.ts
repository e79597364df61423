/**
 * Barrier and numbers over nodes, blocking: what backend.ts does by routines, step for step and message for message, with
 * nothing allocated. So some PEs may make a call in this form, and others the same one in its Async form.
 */
import type { Engine } from "../calls/engine.ts";
import { type ExchangePartners, exchangePartners } from "../team/links.ts";
import type { Combine } from "../team/payload.ts";
import type { Span } from "./hierarchy.ts";

/** One PE's calls of numbers in a group over several nodes. */
export class HotNumbers {
  readonly #engine: Engine;
  readonly #span: Span;
  readonly #partners: ExchangePartners;

  constructor(engine: Engine, span: Span) {
    this.#engine = engine;
    this.#span = span;
    this.#partners = exchangePartners(span.parts.length, span.own);
  }

  /** The number of the root, at each; `word` is the call's. */
  broadcast(word: number, tag: number, x: number, root: number): number {
    const span = this.#span;
    const { broadcast } = this.#engine;
    const speaker = span.speaker(span.own, root);
    if (speaker !== span.rank) {
      const value = broadcast.number(tag, x, span.teamRank(speaker));
      const { children } = span.place(root, true);
      if (children.length > 0) span.begin(tag, word, 1, root);
      for (let i = 0; i < children.length; i++) span.giveNumber(children[i], value);
      return value;
    }
    span.begin(tag, word, 1, root);
    const { parent, children } = span.place(root, true);
    const value = parent < 0 ? x : span.takeNumber(parent);
    for (let i = 0; i < children.length; i++) span.giveNumber(children[i], value);
    return span.isAlone ? value : broadcast.number(tag, value, span.teamRank(speaker));
  }

  /** The numbers of all combined, at the root; what the others get may be anything. */
  reduce(word: number, tag: number, x: number, combine: Combine<number>, root: number): number {
    const span = this.#span;
    const speaker = span.speaker(span.own, root);
    const { reduce } = this.#engine;
    let value = span.isAlone ? x : reduce.number(tag, x, combine, span.teamRank(speaker));
    if (speaker !== span.rank) return value;
    span.begin(tag, word, 1, root);
    const { parent, children } = span.place(root, false);
    for (let i = children.length - 1; i >= 0; i--) value = combine(value, span.takeNumber(children[i]));
    if (parent >= 0) span.giveNumber(parent, value);
    return value;
  }

  /** The numbers of all combined, at each. */
  allreduce(word: number, tag: number, x: number, combine: Combine<number>): number {
    const span = this.#span;
    const { reduce, broadcast } = this.#engine;
    if (span.isAlone) {
      span.begin(tag, word, 1, -1);
      return this.#exchange(x, combine);
    }
    const speaker = span.teamRank(span.speaker(span.own));
    let value = reduce.number(tag, x, combine, speaker);
    if (span.speaks(-1)) {
      span.begin(tag, word, 1, -1);
      value = this.#exchange(value, combine);
    }
    return broadcast.number(tag, value, speaker);
  }

  /** As meet of numbers.ts, with a step up to the speaker before it and one down from it after. */
  barrier(word: number, tag: number): void {
    const span = this.#span;
    const { reduce, broadcast } = this.#engine;
    if (span.isAlone) {
      this.#meet(word, tag);
      return;
    }
    const speaker = span.teamRank(span.speaker(span.own));
    reduce.number(tag, 0, Math.max, speaker);
    if (span.speaks(-1)) this.#meet(word, tag);
    broadcast.number(tag, 0, speaker);
  }

  #meet(word: number, tag: number): void {
    const span = this.#span;
    span.begin(tag, word, 0, -1);
    const { own, parts } = span;
    const count = parts.length;
    for (let step = 1; step < count; step *= 2) {
      span.giveNumber(span.speaker((own + step) % count), 0);
      span.takeNumber(span.speaker((own - step + count) % count));
    }
  }

  /** As exchangeNumbers of numbers.ts. */
  #exchange(x: number, combine: Combine<number>): number {
    const span = this.#span;
    const { own } = span;
    const { core, folded, rounds } = this.#partners;
    if (own >= core) {
      span.giveNumber(span.speaker(folded), x);
      return span.takeNumber(span.speaker(folded));
    }
    let value = folded >= 0 ? combine(x, span.takeNumber(span.speaker(folded))) : x;
    for (let i = 0; i < rounds.length; i++) {
      const peer = span.speaker(rounds[i]);
      span.giveNumber(peer, value);
      const other = span.takeNumber(peer);
      value = rounds[i] > own ? combine(value, other) : combine(other, value);
    }
    if (folded >= 0) span.giveNumber(span.speaker(folded), value);
    return value;
  }
}
