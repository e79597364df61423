/**
 * Ordered broadcasts at random, on any back end: each member submits messages that follow from the seed, and delivers those of all. What is
 * delivered is compared with that: the messages of each member whole, once, in its order; the order of all as a hash, which must be the same at
 * all members.
 */

import * as assert from "uvu/assert";
import type { Group } from "../../../../../src/index.ts";
import { bytes, f64, type ItemValue, struct, u16, u64 } from "../../../../../src/index.ts";
import type { OrderedBroadcast, OrderedItems } from "../../../../../src/messages.ts";
import { orderedBroadcast } from "../../../../../src/messages.ts";
import { mix } from "../../../conveyor/support/payloads.ts";

export interface Play {
  readonly seed: number;
  /** Messages of a member, at most; and bytes of a message, at most. */
  readonly messages: number;
  readonly most: number;
  readonly slots: number;
  readonly partBytes: number;
  readonly backend?: "ump" | "fastforward" | undefined;
  readonly items: boolean;
  /** `try`: nothing waits, and messages go in one part; `blocking`: in the thread; or the Async forms. */
  readonly forms: "try" | "blocking" | "async";
  /** Members stop at random for some time. */
  readonly stalls: boolean;
}

export function playOf(seed: number, more: Partial<Play> = {}): Play {
  const partBytes = [64, 100, 1000, 8192][mix(seed, 4) % 4] as number;
  const { forms = "try" } = more;
  const lengths = [0, 48, 49, 300, 5000, 40_000].filter((length) => forms !== "try" || length < partBytes);
  const most = lengths[mix(seed, 1) % lengths.length] as number;
  return {
    seed,
    messages: 1 + (mix(seed, 2) % (most > 1000 ? 30 : 200)),
    most,
    slots: 2 ** (1 + (mix(seed, 3) % 6)),
    partBytes,
    backend: mix(seed, 5) % 2 === 0 ? "ump" : "fastforward",
    items: mix(seed, 6) % 3 === 0,
    forms,
    stalls: mix(seed, 7) % 2 === 0,
    ...more,
  };
}

/** What a member has delivered: the same at all. */
export interface Delivered {
  readonly count: number;
  readonly hash: number;
}

const STEP = struct({ number: u16, text: bytes(70), at: struct({ x: f64, big: u64 }) });
type Step = ItemValue<typeof STEP>;

function fill(out: Uint8Array, seed: number, from: number, i: number): Uint8Array {
  for (let k = 0; k < out.length; k++) out[k] = seed + from * 13 + i * 7 + k;
  return out;
}

const NOWHERE = new Int32Array(new SharedArrayBuffer(4));

/** One member: what it submits, and what it checks of what comes. */
abstract class Side<Message> {
  protected readonly how: Play;
  protected readonly rank: number;
  readonly #size: number;
  readonly #own: number;
  submitted = 0;
  /** By member: messages of it that were delivered. */
  protected readonly of: number[];
  #count = 0;
  #hash = 0;

  constructor(group: { readonly rank: number; readonly size: number }, how: Play) {
    this.how = how;
    this.rank = group.rank;
    this.#size = group.size;
    this.#own = this.#countOf(group.rank);
    this.of = new Array<number>(group.size).fill(0);
  }

  #countOf(member: number): number {
    // some submit nothing
    return mix(this.how.seed, member, 11) % 5 === 0 ? 0 : mix(this.how.seed, member, 10) % (this.how.messages + 1);
  }

  protected abstract readonly broadcast: OrderedBroadcast | OrderedItems<typeof STEP>;
  protected abstract submit(): void;
  protected abstract trySubmit(): boolean;
  protected abstract submitAsync(): Promise<void>;
  protected abstract check(message: Message, from: number, i: number): void;

  get #isSubmitted(): boolean {
    return this.submitted === this.#own;
  }

  get #isDelivered(): boolean {
    return this.of.every((count, member) => count === this.#countOf(member));
  }

  get #isDone(): boolean {
    return this.#isSubmitted && this.#isDelivered;
  }

  #take(message: Message): void {
    const { from, sequence } = this.broadcast;
    assert.is(sequence, this.#count, "the number in the order");
    assert.ok(from >= 0 && from < this.#size);
    const i = this.of[from] as number;
    assert.ok(i < this.#countOf(from), `message ${i} of member ${from}`);
    this.check(message, from, i);
    this.of[from] = i + 1;
    this.#count++;
    this.#hash = (Math.imul(this.#hash, 31) + from + 1) | 0;
  }

  #stall(turn: number): void {
    if (this.how.stalls && mix(this.how.seed, this.rank, turn, 12) % 61 === 0) Atomics.wait(NOWHERE, 0, 0, 2);
  }

  /** @param isOver called between two turns: whether there are no more */
  async playTry(isOver: IsOver): Promise<void> {
    const { seed } = this.how;
    for (let turn = 0; !(await isOver(this.#isDone)); turn++) {
      const draw = mix(seed, this.rank, turn, 8);
      if (!this.#isSubmitted && draw % 3 > 0) {
        const could = draw % 2 === 0 && this.broadcast.canSubmit();
        const isSubmitted = this.trySubmit();
        assert.ok(isSubmitted || !could, "canSubmit said that there is room");
        if (isSubmitted) this.submitted++;
      }
      if (draw % 5 > 0) {
        const could = draw % 7 === 0 && this.broadcast.canDeliver();
        const message = this.broadcast.tryDeliver() as Message | undefined;
        assert.ok(message !== undefined || !could, "canDeliver said that there is a message");
        if (message !== undefined) this.#take(message);
      }
      this.#stall(turn);
    }
  }

  playBlocking(): void {
    let turn = 0;
    for (; !this.#isSubmitted; this.submitted++, turn++) {
      this.submit();
      this.#stall(turn);
      // once all is delivered another member may have freed its end
      while (!this.#isDelivered && this.broadcast.canDeliver()) this.#take(this.broadcast.deliver() as Message);
    }
    for (; !this.#isDelivered; turn++) {
      this.#take(this.broadcast.deliver() as Message);
      this.#stall(turn);
    }
  }

  async playAsync(): Promise<void> {
    const submitting = async () => {
      for (; !this.#isSubmitted; this.submitted++) await this.submitAsync();
    };
    const delivering = async () => {
      while (!this.#isDelivered) this.#take((await this.broadcast.deliverAsync()) as Message);
    };
    await Promise.all([submitting(), delivering()]);
  }

  end(): Delivered {
    this.broadcast.free();
    return { count: this.#count, hash: this.#hash };
  }
}

/** A group in which one is made. */
export type Makers = Group;

class ByteSide extends Side<Uint8Array> {
  protected readonly broadcast: OrderedBroadcast;
  readonly #out: Uint8Array;
  readonly #expected: Uint8Array;

  constructor(group: Makers, how: Play) {
    super(group, how);
    const { slots, partBytes, backend, most } = how;
    this.broadcast = orderedBroadcast(group, { slots, partBytes, backend, name: "bytes" });
    this.#out = new Uint8Array(most + 1);
    this.#expected = new Uint8Array(most + 1);
  }

  #lengthOf(from: number, i: number): number {
    const { seed, most } = this.how;
    // some are empty, and some as long as they get
    return [0, most, most + 1][mix(seed, from, i, 1) % 9] ?? mix(seed, from, i, 2) % (most + 1);
  }

  #message(): Uint8Array {
    const length = this.#lengthOf(this.rank, this.submitted);
    return fill(this.#out.subarray(0, length), this.how.seed, this.rank, this.submitted);
  }

  protected submit(): void {
    this.broadcast.submit(this.#message());
  }

  protected trySubmit(): boolean {
    return this.broadcast.trySubmit(this.#message());
  }

  protected submitAsync(): Promise<void> {
    return this.broadcast.submitAsync(this.#message());
  }

  protected check(message: Uint8Array, from: number, i: number): void {
    const length = this.#lengthOf(from, i);
    assert.is(message.length, length, `message ${i} of member ${from}`);
    const expected = fill(this.#expected.subarray(0, length), this.how.seed, from, i);
    assert.is(Buffer.compare(message, expected), 0, `message ${i} of member ${from}`);
  }
}

class ItemSide extends Side<Step> {
  protected readonly broadcast: OrderedItems<typeof STEP>;

  constructor(group: Makers, how: Play) {
    super(group, how);
    const { slots, backend } = how;
    this.broadcast = orderedBroadcast(group, { item: STEP, slots, backend });
  }

  #values(from: number, i: number): [number, Uint8Array, { x: number; big: bigint }] {
    const text = fill(new Uint8Array(70), this.how.seed, from, i);
    return [i & 0xffff, text, { x: i / 3, big: BigInt(i) << 40n }];
  }

  protected submit(): void {
    this.broadcast.submit(...this.#values(this.rank, this.submitted));
  }

  protected trySubmit(): boolean {
    return this.broadcast.trySubmit(...this.#values(this.rank, this.submitted));
  }

  protected submitAsync(): Promise<void> {
    return this.broadcast.submitAsync(...this.#values(this.rank, this.submitted));
  }

  protected check(item: Step, from: number, i: number): void {
    const [number, text, { x, big }] = this.#values(from, i);
    assert.equal([item.number, item.at.x, item.at.big], [number, x, big]);
    assert.is(Buffer.compare(item.text, text), 0);
  }
}

/** Whether turns are over. @param isDone whether they are for this member */
export type IsOver = (isDone: boolean) => boolean | Promise<boolean>;

/** @param isOver called between two turns of the forms that do not wait */
export async function play(group: Makers, how: Play, isOver: IsOver = (isDone) => isDone): Promise<Delivered> {
  const side = how.items ? new ItemSide(group, how) : new ByteSide(group, how);
  if (how.forms === "async") await side.playAsync();
  else if (how.forms === "blocking") side.playBlocking();
  else await side.playTry(isOver);
  return side.end();
}
