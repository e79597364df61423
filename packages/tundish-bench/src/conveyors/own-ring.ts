/**
 * The loops of a program without any conveyor: each PE passes its items through a ring in memory of its own, which does
 * the least that there is to do. What these loops take in a fresh process, V8 takes to get the program's own code
 * going; no library can make a first session faster.
 */

import type { LoopKind, Sessions } from "../../../../microbench/conveyors/job.ts";
import { BLOCK, destsOf } from "../../../../microbench/conveyors/stream.ts";
import type { Conveyor } from "../../../../src/conveyor.ts";
import type { f64, PE } from "../../../../src/index.ts";
import { eightBytes } from "./mixed.ts";

/** Items that it holds: as many as a buffer of a conveyor of two PEs. */
const ROOM = 2048;

/** As much of a conveyor as the loops call, all items to oneself. */
class OwnRing {
  item = 0;
  readonly #items = new Float64Array(ROOM);
  readonly #dests = new Uint32Array(ROOM);
  #head = 0;
  #tail = 0;

  begin(): void {}

  reset(): void {}

  advance(done: boolean): boolean {
    if (this.#head < this.#tail) return true;
    this.#head = 0;
    this.#tail = 0;
    return !done;
  }

  push(dest: number, item: number): boolean {
    const at = this.#tail;
    if (at === ROOM) return false;
    this.#dests[at] = dest;
    this.#items[at] = item;
    this.#tail = at + 1;
    return true;
  }

  pull(): boolean {
    const at = this.#head;
    if (at === this.#tail) return false;
    this.item = this.#items[at];
    this.#head = at + 1;
    return true;
  }

  pushAll(_dests: Uint32Array, column: Float64Array, first: number, end: number): number {
    const stop = Math.min(end, first + ROOM - this.#tail);
    this.#items.set(column.subarray(first, stop), this.#tail);
    this.#tail += stop - first;
    return stop;
  }

  pullAll(): { columns: Float64Array; count: number } | null {
    if (this.#head === this.#tail) return null;
    const columns = this.#items.subarray(this.#head, this.#tail);
    this.#head = this.#tail;
    return { columns, count: columns.length };
  }
}

/** The sessions of 8 B of {@link mixedSessions} over such a ring. */
export function ownSessions(pe: PE, way: Exclude<LoopKind, "run">): Sessions {
  const dests = destsOf(pe, pe.rank);
  const ring = new OwnRing() as unknown as Conveyor<typeof f64>;
  const loop = eightBytes[way];
  let [sum, pushed] = [0, 0];
  return {
    session: (items) => {
      pushed = items;
      sum = loop(ring, dests, items);
    },
    check: () => {
      const below = (n: number): number => (n * (n - 1)) / 2;
      const right = Math.floor(pushed / BLOCK) * below(BLOCK) + below(pushed % BLOCK);
      if (sum !== right) throw new Error(`PE ${pe.rank}: own ring: expected the sum ${right}, got ${sum}`);
    },
  };
}
