/**
 * The memory of a shared object in the heap of its node, as one of its PEs has it; or beside the heap, if it is larger
 * than that and may lie there.
 */
import { ownMemories } from "../../collectives/heap-arrays.ts";
import type { OwnMemory } from "../../collectives/own-memory.ts";
import { UsageError } from "../../ground/base/errors.ts";
import { checkOptions, type OptionField } from "../../ground/base/options.ts";
import { discardPages } from "../../ground/memory/pages.ts";
import type { Group } from "../../pe/group.ts";
import type { Seat } from "../../pe/seat.ts";
import { seatOf } from "../../pe/seat-of.ts";
import { blockOf } from "../resilient/block.ts";
import { hasLeft } from "./errors.ts";

/** Options of every shared object. */
export interface SharedOptions {
  /** For messages, and in them. The same at all PEs. @default none */
  readonly name?: string | undefined;
}

/** Most PEs of a node that share an object: their ranks have ten bits in the state of a lock. */
export const MOST_PES = 1023;

/** Bytes of a block are at its end. */
const LEFT_BYTES = 4;

/** That of one object. Several parts of it, such as two locks, may lie in it. */
export class SharedBlock {
  readonly seat: Seat;
  /** What it is, with its name: `lock "accounts"`. */
  readonly what: string;
  /** The heap, or memory of its own. */
  readonly buffer: SharedArrayBuffer;
  /** Byte offset in there. */
  readonly offset: number;
  /** Of its block in the heap. */
  readonly #block: number;
  readonly #left: number;
  readonly #own: OwnMemory | null;
  #hasLeft = false;

  /** @param call that may give it memory of its own, which waits for the other PEs; null if none may */
  constructor(seat: Seat, what: string, bytes: number, terms: string, call: string | null) {
    this.seat = seat;
    this.what = what;
    const isOwn = call !== null && bytes > seat.heap.bytes;
    const words = isOwn ? 0 : Math.ceil(bytes / 4);
    this.#block = blockOf(seat, words * 4 + LEFT_BYTES, `${what}${terms}`);
    this.#left = this.#block / 4 + words;
    this.#own = isOwn ? ownMemoryOf(seat, call, bytes) : null;
    this.buffer = this.#own?.buffer ?? seat.heap.buffer;
    this.offset = isOwn ? 0 : this.#block;
  }

  /** @throws UsageError once this PE has left */
  check(call: string): void {
    if (this.#hasLeft) throw hasLeft(call, this.what);
  }

  /** This PE uses it no more; the last one frees it. @param last called by that before */
  leave(last: () => void = () => {}): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    const { heap, size, release, nodeOf, rank } = this.seat;
    // pairs with the same addition at the other PEs: the last one knows that none uses the block any more
    if (Atomics.add(heap.i32, this.#left, 1) + 1 !== size) return;
    last();
    const node = nodeOf[rank] as number;
    release(node, this.#block);
    if (this.#own === null) return;
    discardPages(this.#own.buffer);
    release(node, this.#own.line);
  }
}

/** @throws HeapError at all PEs; of virtual PEs UsageError, as it waits */
function ownMemoryOf({ collectives }: Seat, call: string, asked: number): OwnMemory {
  const { ownMemory, runCalls } = ownMemories.now;
  return runCalls(collectives, ownMemory(collectives, asked, { call, asked, lower: () => "Make it smaller." }));
}

/** What is made, by a function over a PE or a group. */
export interface SharedMaking {
  /** The function. */
  readonly call: string;
  /** `lock` */
  readonly kind: string;
  /** The schema of its options. */
  readonly schema: OptionField;
  /** Of a group of `size` PEs. */
  bytes(size: number): number;
  /** What else all PEs must agree about, as text. @default nothing */
  readonly terms?: string;
  /** Whether it may lie beside the heap. @default false */
  readonly mayBeLarge?: boolean;
}

/**
 * Makes the block with the other PEs of the group; the n-th ones belong together. It waits for nobody if there is room
 * in the heap.
 * @throws UsageError for bad options, and for a group over several nodes; HeapError; MismatchError, which ends the
 * world
 */
export function sharedBlock(pe: Group, making: SharedMaking, options: SharedOptions): SharedBlock {
  const { call, kind, schema, terms = "", mayBeLarge = false } = making;
  const seat = seatOf(pe, call);
  checkOptions(call, schema, options);
  const { here, size } = seat;
  if (here.length !== size || size > MOST_PES) {
    const got = size > MOST_PES ? `${size} PEs` : `one with ${size - here.length} of ${size} PEs on other nodes`;
    throw new UsageError(
      `${call}: expected a group of at most ${MOST_PES} PEs of one node, whose memory they share, got ${got}. Make one in each ` +
        "node, over pe.split(pe.node); data of all nodes is in containers (tundish/containers).",
    );
  }
  const { name } = options;
  const what = name === undefined ? kind : `${kind} ${JSON.stringify(name)}`;
  return new SharedBlock(seat, what, making.bytes(size), terms, mayBeLarge ? call : null);
}
