/**
 * Streams of messages through channels, on any back end: every pair of PEs has one, in both directions at the same time. What comes is compared
 * with what the other PE sends, which follows from the seed; so the reference is a function.
 */

import * as assert from "uvu/assert";
import { bytes, f64, type ItemValue, type PE, struct, u16, u64 } from "../../../../src/index.ts";
import { type ByteChannel, channel, type ItemChannel } from "../../../../src/messages.ts";
import { mix } from "../../conveyor/support/payloads.ts";

export interface Streams {
  readonly seed: number;
  /** Messages of a direction, at most; and bytes of a message, at most. */
  readonly messages: number;
  readonly most: number;
  readonly slots: number;
  readonly partBytes: number;
  readonly backend?: "ump" | "fastforward" | undefined;
  /** `try`: nothing waits, and messages go in one part; `blocking`: two PEs; or the Async forms. */
  readonly forms: "try" | "blocking" | "async";
}

export function streamsOf(seed: number, more: Partial<Streams> = {}): Streams {
  const partBytes = [64, 100, 1000, 8192][mix(seed, 4) % 4] as number;
  const { forms = "try" } = more;
  const lengths = [0, 56, 57, 300, 5000, 40_000].filter((length) => forms !== "try" || length < partBytes);
  const most = lengths[mix(seed, 1) % lengths.length] as number;
  return {
    seed,
    messages: 1 + (mix(seed, 2) % (most > 1000 ? 40 : 300)),
    most,
    slots: 2 ** (1 + (mix(seed, 3) % 6)),
    partBytes,
    backend: mix(seed, 5) % 2 === 0 ? "ump" : "fastforward",
    forms,
    ...more,
  };
}

const lengthOf = ({ seed, most }: Streams, from: number, to: number, i: number): number =>
  // some are empty, and some as long as they get
  [0, most, most + 1][mix(seed, from, to, i, 1) % 9] ?? mix(seed, from, to, i, 2) % (most + 1);

function fill(out: Uint8Array, seed: number, from: number, i: number): Uint8Array {
  for (let k = 0; k < out.length; k++) out[k] = seed + from * 13 + i * 7 + k;
  return out;
}

/** One PE's messages to another one and from it, through one channel. */
abstract class Side<Message> {
  protected readonly own: number;
  protected readonly peer: number;
  protected readonly how: Streams;
  readonly #toSend: number;
  readonly #toReceive: number;
  sent = 0;
  received = 0;

  constructor(pe: PE, peer: number, how: Streams, kind: number) {
    const countOf = (from: number, to: number) => mix(how.seed, from, to, kind) % (how.messages + 1);
    this.own = pe.rank;
    this.peer = peer;
    this.how = how;
    this.#toSend = countOf(pe.rank, peer);
    this.#toReceive = countOf(peer, pe.rank);
  }

  protected abstract readonly channel: {
    canSend(): boolean;
    canReceive(): boolean;
    tryReceive(): Message | undefined;
    receive(): Message;
    receiveAsync(): Promise<Message>;
    free(): void;
  };
  protected abstract trySendNext(): boolean;
  protected abstract sendNext(): void;
  protected abstract sendNextAsync(): Promise<void>;
  protected abstract check(message: Message): void;

  get isDone(): boolean {
    return this.sent === this.#toSend && this.received === this.#toReceive;
  }

  /** One step of each, if the draw says so. */
  turn(draw: number): void {
    if (this.sent < this.#toSend && draw % 3 > 0) {
      const could = draw % 2 === 0 && this.channel.canSend();
      const isSent = this.trySendNext();
      assert.ok(isSent || !could, "canSend said that there is room");
      if (isSent) this.sent++;
    }
    if (this.received < this.#toReceive && draw % 5 > 0) {
      const could = draw % 7 === 0 && this.channel.canReceive();
      const message = this.channel.tryReceive();
      assert.ok(message !== undefined || !could, "canReceive said that there is a message");
      if (message !== undefined) this.#take(message);
    }
  }

  #take(message: Message): void {
    this.check(message);
    this.received++;
  }

  /** All of a direction, in the thread. */
  send(): void {
    for (; this.sent < this.#toSend; this.sent++) this.sendNext();
  }

  receive(): void {
    while (this.received < this.#toReceive) this.#take(this.channel.receive());
  }

  async sendAsync(): Promise<void> {
    for (; this.sent < this.#toSend; this.sent++) await this.sendNextAsync();
  }

  async receiveAsync(): Promise<void> {
    while (this.received < this.#toReceive) this.#take(await this.channel.receiveAsync());
  }

  free(): void {
    this.channel.free();
  }
}

class ByteSide extends Side<Uint8Array> {
  protected readonly channel: ByteChannel;
  readonly #out: Uint8Array;
  readonly #expected: Uint8Array;

  constructor(pe: PE, peer: number, how: Streams) {
    super(pe, peer, how, 6);
    const { slots, partBytes, backend, most } = how;
    this.channel = channel(pe, peer, { slots, partBytes, backend, name: "bytes" });
    this.#out = new Uint8Array(most + 1);
    this.#expected = new Uint8Array(most + 1);
  }

  #message(): Uint8Array {
    const length = lengthOf(this.how, this.own, this.peer, this.sent);
    return fill(this.#out.subarray(0, length), this.how.seed, this.own, this.sent);
  }

  protected trySendNext(): boolean {
    return this.channel.trySend(this.#message());
  }

  protected sendNext(): void {
    this.channel.send(this.#message());
  }

  protected sendNextAsync(): Promise<void> {
    return this.channel.sendAsync(this.#message());
  }

  protected check(message: Uint8Array): void {
    const length = lengthOf(this.how, this.peer, this.own, this.received);
    assert.is(message.length, length, `message ${this.received} of PE ${this.peer}`);
    const expected = fill(this.#expected.subarray(0, length), this.how.seed, this.peer, this.received);
    assert.is(Buffer.compare(message, expected), 0, `message ${this.received} of PE ${this.peer}`);
  }
}

const STEP = struct({ number: u16, text: bytes(70), at: struct({ x: f64, big: u64 }) });
type Step = ItemValue<typeof STEP>;

class ItemSide extends Side<Step> {
  protected readonly channel: ItemChannel<typeof STEP>;

  constructor(pe: PE, peer: number, how: Streams) {
    super(pe, peer, how, 7);
    const { slots, backend } = how;
    this.channel = channel(pe, peer, { item: STEP, slots, backend });
  }

  #values(from: number, i: number): [number, Uint8Array, { x: number; big: bigint }] {
    const text = fill(new Uint8Array(70), this.how.seed, from, i);
    return [i & 0xffff, text, { x: i / 3, big: BigInt(i) << 40n }];
  }

  protected trySendNext(): boolean {
    return this.channel.trySend(...this.#values(this.own, this.sent));
  }

  protected sendNext(): void {
    this.channel.send(...this.#values(this.own, this.sent));
  }

  protected sendNextAsync(): Promise<void> {
    return this.channel.sendAsync(...this.#values(this.own, this.sent));
  }

  protected check(item: Step): void {
    const [number, text, { x, big }] = this.#values(this.peer, this.received);
    assert.equal([item.number, item.at.x, item.at.big], [number, x, big]);
    assert.is(Buffer.compare(item.text, text), 0);
  }
}

/** @returns how many messages this PE has sent and received */
export async function playStreams(pe: PE, how: Streams): Promise<[sent: number, received: number]> {
  const sides: (ByteSide | ItemSide)[] = [];
  for (let peer = 0; peer < pe.size; peer++) {
    if (peer !== pe.rank) sides.push(new ByteSide(pe, peer, how), new ItemSide(pe, peer, how));
  }
  if (how.forms === "async") {
    await Promise.all(sides.flatMap((side) => [side.sendAsync(), side.receiveAsync()]));
  } else if (how.forms === "blocking") {
    // who waits in the thread does nothing else: one direction after the other
    for (const isFirst of [true, false]) {
      for (const side of sides)
        if ((pe.rank === 0) === isFirst) side.send();
        else side.receive();
    }
  } else {
    for (let turn = 0; sides.some(({ isDone }) => !isDone); turn++) {
      for (const [i, side] of sides.entries()) side.turn(mix(how.seed, pe.rank, turn, i, 8));
    }
  }
  for (const side of sides) side.free();
  const sum = (of: (side: ByteSide | ItemSide) => number) => sides.reduce((all, side) => all + of(side), 0);
  return [sum(({ sent }) => sent), sum(({ received }) => received)];
}
