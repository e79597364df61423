/** Queue pairs between PEs of a node: channels of cache lines (channel/), and blocks beside their slots (layout.ts). */

import type { ReceivingEnd, SendingEnd } from "../../collectives/team/medium.ts";
import type { ChannelKind } from "../../ground/base/channel-kinds.ts";
import { backends } from "../../ground/channel/backends.ts";
import type { EndOptions } from "../../ground/channel/end.ts";
import { PAYLOAD_BYTES } from "../../ground/channel/layout.ts";
import type { Heap } from "../../ground/memory/heap.ts";
import type { Waiter } from "../../ground/wait/waiter.ts";
import type { Wakers } from "../../ground/wait/wakers.ts";
import { bytesIn, CLOSED, FREED, isLastIn, type PairShape, pairPlaces, tagOf } from "./layout.ts";
import type { Pair, PartReceiver, PartSender } from "./parts.ts";

/** Blocks of one direction. */
export interface PairBlocks extends PairShape {
  /** Byte offset of the first one. */
  readonly at: number;
}

/** How the two PEs tell each other that they have closed. */
export interface Closing {
  readonly isPeerClosed: boolean;
  /** The same, seen late perhaps: for who looks before each message. */
  readonly isPeerKnownClosed: boolean;
  /** See Pair. */
  readonly isPeerFreed: boolean;
  /** Called once. @param keepsMemory see Pair.close */
  close(keepsMemory: boolean): void;
}

/** The parts of a pair. */
export interface NodePairParts {
  readonly sending: SendingEnd;
  readonly receiving: ReceivingEnd;
  /** Beside the slots of what is sent, and of what is received. */
  readonly out: PairBlocks;
  readonly into: PairBlocks;
  readonly closing: Closing;
}

class NodePartSender implements PartSender {
  readonly most: number;
  readonly peer: number;
  readonly #end: SendingEnd;
  readonly #blocks: PairBlocks;
  readonly #closing: Closing;
  /** Slot of the next part. */
  #slot = 0;

  constructor(end: SendingEnd, blocks: PairBlocks, closing: Closing) {
    this.most = Math.max(PAYLOAD_BYTES, blocks.blockBytes);
    this.peer = end.peer;
    this.#end = end;
    this.#blocks = blocks;
    this.#closing = closing;
  }

  get isClosed(): boolean {
    return this.#closing.isPeerKnownClosed;
  }

  tryClaim(bytes: number): number {
    const at = this.#end.tryClaim();
    if (at < 0 || bytes <= PAYLOAD_BYTES) return at;
    return this.#blocks.at + this.#slot * this.#blocks.blockBytes;
  }

  publish(bytes: number, isLast: boolean): void {
    this.#slot = (this.#slot + 1) & (this.#blocks.slots - 1);
    this.#end.publish(tagOf(bytes, isLast));
  }

  ready(): boolean {
    return this.#end.ready();
  }

  spin(looks: number): boolean {
    return this.#end.spin(looks);
  }
}

class NodePartReceiver implements PartReceiver {
  readonly peer: number;
  readonly #end: ReceivingEnd;
  readonly #blocks: PairBlocks;
  readonly #closing: Closing;
  #slot = 0;

  constructor(end: ReceivingEnd, blocks: PairBlocks, closing: Closing) {
    this.peer = end.peer;
    this.#end = end;
    this.#blocks = blocks;
    this.#closing = closing;
  }

  get isOver(): boolean {
    return this.#closing.isPeerClosed;
  }

  tryWait(): number {
    const at = this.#end.tryWait();
    if (at < 0 || bytesIn(this.#end.tag) <= PAYLOAD_BYTES) return at;
    return this.#blocks.at + this.#slot * this.#blocks.blockBytes;
  }

  get bytes(): number {
    return bytesIn(this.#end.tag);
  }

  get isLast(): boolean {
    return isLastIn(this.#end.tag);
  }

  release(): void {
    this.#slot = (this.#slot + 1) & (this.#blocks.slots - 1);
    this.#end.release();
  }

  ready(): boolean {
    return this.#end.ready();
  }

  spin(looks: number): boolean {
    return this.#end.spin(looks);
  }
}

/** One PE's side of a pair. */
export class NodePair implements Pair {
  readonly sender: PartSender;
  readonly receiver: PartReceiver;
  isOver = false;
  readonly #closing: Closing;

  constructor({ sending, receiving, out, into, closing }: NodePairParts) {
    this.sender = new NodePartSender(sending, out, closing);
    this.receiver = new NodePartReceiver(receiving, into, closing);
    this.#closing = closing;
  }

  get isPeerFreed(): boolean {
    return this.#closing.isPeerFreed;
  }

  close(keepsMemory: boolean): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#closing.close(keepsMemory);
  }
}

/** Where a pair lies in the heap. */
export interface HeapPairPlace {
  readonly heap: Heap;
  readonly waiter: Waiter;
  readonly wakers: Wakers;
  /** The other PE, by rank in the world; and whether this one is the first. */
  readonly peer: number;
  readonly isFirst: boolean;
  readonly kind: ChannelKind;
  /** Byte offset of its block, which is zeroed up to its blocks. */
  readonly offset: number;
  readonly shape: PairShape;
}

/** One PE's side of a pair in the heap. */
export function heapPair({ heap, waiter, wakers, peer, isFirst, kind, offset, shape }: HeapPairPlace): NodePair {
  const { channels, blocks } = pairPlaces(shape);
  const [out, into] = isFirst ? ([0, 1] as const) : ([1, 0] as const);
  const end = (direction: 0 | 1): EndOptions => {
    const { slots } = shape;
    return { heap, waiter, wakers, peer, slots, offset: offset + channels[direction] };
  };
  return new NodePair({
    sending: backends[kind].sender(end(out)),
    receiving: backends[kind].receiver(end(into)),
    out: { ...shape, at: offset + blocks[out] },
    into: { ...shape, at: offset + blocks[into] },
    closing: new HeapClosing(heap, wakers, offset, out, peer),
  });
}

// values of CLOSED
const BY_PROGRAM = 1;
const AT_END = 2;

/** By words of the control line. */
class HeapClosing implements Closing {
  readonly #heap: Heap;
  readonly #wakers: Wakers;
  readonly #offset: number;
  /** The words of this PE and of the other one. */
  readonly #own: number;
  readonly #other: number;
  /** The other PE, by rank in the world. */
  readonly #peer: number;

  constructor(heap: Heap, wakers: Wakers, offset: number, own: 0 | 1, peer: number) {
    this.#heap = heap;
    this.#wakers = wakers;
    this.#offset = offset;
    this.#own = offset / 4 + CLOSED + own;
    this.#other = offset / 4 + CLOSED + 1 - own;
    this.#peer = peer;
  }

  get isPeerClosed(): boolean {
    // pairs with the store of the other PE: what it has sent before is there. One that has left, or is lost, may never
    // have made its end
    return Atomics.load(this.#heap.i32, this.#other) !== 0 || this.#wakers.hasLeft(this.#peer);
  }

  get isPeerKnownClosed(): boolean {
    // a plain load: nothing is read after it that the other PE has written before
    return this.#heap.i32[this.#other] !== 0 || this.#wakers.losses.hasLost(this.#peer);
  }

  get isPeerFreed(): boolean {
    return Atomics.load(this.#heap.i32, this.#other) === BY_PROGRAM;
  }

  close(keepsMemory: boolean): void {
    this.#wakers.post(this.#own, keepsMemory ? AT_END : BY_PROGRAM, this.#wakers.word(this.#peer));
    if (keepsMemory) return;
    // pairs with the same addition at the other PE: the last one knows that none uses the block any more
    if (Atomics.add(this.#heap.i32, this.#offset / 4 + FREED, 1) === 1) this.#heap.free(this.#offset);
  }
}
