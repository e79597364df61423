/** The memory of a shared object in the heap of its node, as one of its PEs has it. */
import { UsageError } from "../../ground/base/errors.ts";
import { checkOptions, type OptionField } from "../../ground/base/options.ts";
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
  /** Byte offset in the heap. */
  readonly offset: number;
  readonly #left: number;
  #hasLeft = false;

  constructor(seat: Seat, what: string, bytes: number, terms: string) {
    this.seat = seat;
    this.what = what;
    const words = Math.ceil(bytes / 4);
    this.offset = blockOf(seat, words * 4 + LEFT_BYTES, `${what}${terms}`);
    this.#left = this.offset / 4 + words;
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
    release(nodeOf[rank] as number, this.offset);
  }
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
}

/**
 * Makes the block with the other PEs of the group; the n-th ones belong together. It waits for nobody if there is room.
 * @throws UsageError for bad options, and for a group over several nodes; HeapError; MismatchError, which ends the
 * world
 */
export function sharedBlock(pe: Group, making: SharedMaking, options: SharedOptions): SharedBlock {
  const { call, kind, schema, terms = "" } = making;
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
  return new SharedBlock(seat, what, making.bytes(size), terms);
}
