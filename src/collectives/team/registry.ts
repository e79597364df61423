/**
 * The registry of groups: how the PEs of a group find its block of the heap without a message.
 *
 * What: the first of them to come takes a block and enters it; the others find it by the group's ranks
 * and by how many groups of the same ranks they had before. The last one takes the entry out. Ranks in
 * another order are the same ranks: whoever comes with another order than the first is told so.
 *
 *     control   ┌────────────┬─────────────┐
 *               │ LOCK i32   │ FIRST u32   │
 *               └────────────┴─────────────┘
 *     entry     ┌──────────┬──────────┬──────────┬──────────────┬──────────┬──────────┬─────────────┬───────────┐
 *               │ NEXT u32 │ KEY0 i32 │ KEY1 i32 │ INSTANCE i32 │ SIZE i32 │ CAME i32 │ ADDRESS u32 │ ORDER i32 │
 *               └──────────┴──────────┴──────────┴──────────────┴──────────┴──────────┴─────────────┴───────────┘
 *
 * NEXT and FIRST are byte offsets of entries, 0 at the end; an entry is a block of its own. A thread
 * that dies in here leaves the lock held; whoever waits for it gives up after a while.
 */
import { HeapError, MismatchError } from "../../base/errors.ts";
import type { Heap } from "../../memory/heap.ts";
import { LINE } from "../../memory/heap-layout.ts";

const LOCK = 0;
const FIRST = 1;

const NEXT = 0;
const KEY0 = 1;
const KEY1 = 2;
const INSTANCE = 3;
const SIZE = 4;
const CAME = 5;
const ADDRESS = 6;
const ORDER = 7;

const LOCK_PATIENCE_MS = 5000;

/** What PEs ask for together. */
export interface Claim {
  readonly bytes: number;
  /** What else they must agree about; not empty for a conveyor, which has instances of its own. @default "" */
  readonly terms?: string;
  /** Sets apart what is not theirs alone. @default "" */
  readonly scope?: string;
}

/** Bytes of the registry's control line. */
export const REGISTRY_BYTES: number = LINE;

/** The registry, seen from one PE. */
export class Registry {
  readonly #heap: Heap;
  readonly #control: number;
  readonly #instances = new Map<string, number>();

  constructor(heap: Heap, offset: number) {
    this.#heap = heap;
    this.#control = offset / 4;
  }

  /**
   * The byte offset of the block of the group of `ranks`: a new one for each call that the PEs of the
   * group make together, zeroed.
   * @throws HeapError when the heap is full; MismatchError when another PE has the ranks in another order, or
   *   other terms
   */
  claim(ranks: readonly number[], { bytes, terms = "", scope = "" }: Claim): number {
    const sorted = ranks.toSorted((a, b) => a - b);
    const name = scope + (terms === "" ? "" : "conveyor ") + sorted.join(",");
    const instance = this.#instances.get(name) ?? 0;
    this.#instances.set(name, instance + 1);
    const keyed = [...Buffer.from(scope), ...(terms === "" ? sorted : [-1, ...sorted])];
    const [key0, key1] = [hash(keyed, 0x811c9dc5), hash(keyed, 0x2f0b4a27)];
    const order = hash([...ranks, ...Buffer.from(terms)], 0x811c9dc5);
    this.#lock();
    try {
      const { i32 } = this.#heap;
      let link = this.#control + FIRST;
      for (let entry = i32[link] >>> 0; entry !== 0; entry = i32[link] >>> 0) {
        const at = entry / 4;
        if (i32[at + KEY0] === key0 && i32[at + KEY1] === key1 && i32[at + INSTANCE] === instance) {
          if (i32[at + ORDER] !== order) throw terms === "" ? otherOrder(ranks) : otherTerms(terms);
          const address = i32[at + ADDRESS] >>> 0;
          i32[at + CAME]++;
          if (i32[at + CAME] === i32[at + SIZE]) {
            i32[link] = i32[at + NEXT];
            this.#heap.free(entry);
          }
          return address;
        }
        link = at + NEXT;
      }
      const address = this.#heap.allocate(bytes);
      if (ranks.length > 1) this.#enter([key0, key1, instance, ranks.length, 1, address, order]);
      return address;
    } finally {
      Atomics.store(this.#heap.i32, this.#control + LOCK, 0);
      Atomics.notify(this.#heap.i32, this.#control + LOCK, 1);
    }
  }

  #enter(fields: readonly number[]): void {
    const { i32 } = this.#heap;
    const entry = this.#heap.allocate(LINE);
    i32.set([i32[this.#control + FIRST], ...fields], entry / 4);
    i32[this.#control + FIRST] = entry;
  }

  #lock(): void {
    const { i32 } = this.#heap;
    const until = performance.now() + LOCK_PATIENCE_MS;
    // pairs with the store in claim()
    while (Atomics.compareExchange(i32, this.#control + LOCK, 0, 1) !== 0) {
      Atomics.wait(i32, this.#control + LOCK, 1, 1);
      if (performance.now() > until) {
        throw new HeapError(
          `The registry of groups was locked for ${LOCK_PATIENCE_MS} ms: the thread that held it was probably killed.`,
        );
      }
    }
  }
}

const otherOrder = (ranks: readonly number[]): MismatchError =>
  new MismatchError(
    `group([${ranks.join(", ")}]): another PE of this group has called it with the same ranks in another order. ` +
      "All PEs of a group must call it with the same ranks in the same order.",
  );

const otherTerms = (terms: string): MismatchError =>
  new MismatchError(
    `conveyor: another PE has made its conveyor otherwise than with ${terms}. All PEs of a group make their ` +
      "conveyors in the same order, with the same item and options.",
  );

/** FNV-1a over the ranks. Source: Fowler, Noll, Vo; draft-eastlake-fnv. */
function hash(ranks: readonly number[], basis: number): number {
  let value = basis | 0;
  for (const rank of ranks) value = Math.imul(value ^ rank, 0x01000193);
  return value;
}
