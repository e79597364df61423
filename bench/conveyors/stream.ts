/** Items to random PEs, including the sender: the loops that users write, of three kinds. */
import type { Columns, Conveyor, ItemType, PE } from "../../src/index.ts";
import type { ConveyorJob, LoopKind, Sessions } from "./job.ts";
import { PAYLOADS, type Payload, type Size } from "./payloads.ts";
import { randomArray } from "./random.ts";

/**
 * Number of items of which a PE has the destinations and the columns; then they repeat. They stay in its caches, so
 * that the conveyor is measured and not the memory that its user reads from.
 */
export const BLOCK: number = 2 ** 14;

/** A session; returns the sum of the received items. */
type Loop = <I extends ItemType>(
  c: Conveyor<I>,
  payload: Payload<I>,
  count: number,
  dests: Uint32Array,
  columns: Columns<I>,
) => number;

const LOOPS: Readonly<Record<LoopKind, Loop>> = {
  "item-wise": (c, payload, count, dests) => {
    let sum = 0;
    c.begin();
    const { push, pull } = c;
    for (let i = 0; c.advance(i === count); ) {
      for (; i < count; i++) {
        const k = i % BLOCK;
        if (!payload.push(push as never, dests[k], k)) break;
      }
      while (pull()) sum += payload.worth(c.item);
    }
    c.reset();
    return sum;
  },
  "batch-wise": (c, payload, count, dests, columns) => {
    let sum = 0;
    c.begin();
    for (let i = 0; c.advance(i === count); ) {
      const k = i % BLOCK;
      i += c.pushAll(dests, columns, k, Math.min(BLOCK, k + count - i)) - k;
      for (let batch = c.pullAll(); batch !== null; batch = c.pullAll()) {
        sum += payload.worthAll(batch.columns, batch.count);
      }
    }
    c.reset();
    return sum;
  },
  run: (c, payload, count, dests) => {
    // not a plain number: V8 allocates an object for each value of a captured number
    const sum = new Float64Array(1);
    c.run(
      (push) => {
        for (let i = 0; i < count; i++) payload.push(push as never, dests[i % BLOCK], i % BLOCK);
      },
      (item) => {
        sum[0] += payload.worth(item);
      },
    );
    return sum[0];
  },
};

/** Prepares everything that is not timed. Collective. */
export const stream = (pe: PE, size: Size, { way, options }: ConveyorJob): Sessions =>
  streamThrough(pe, pe.conveyor(PAYLOADS[size].item, options), size, way);

/** The same over an existing conveyor, with items of that size. */
export function streamThrough(pe: PE, c: Conveyor<ItemType>, size: Size, way: LoopKind): Sessions {
  const payload = PAYLOADS[size];
  const loop = LOOPS[way];
  const dests = destsOf(pe, pe.rank);
  const columns = payload.columns(way === "batch-wise" ? BLOCK : 0);
  const worths = worthsFor(pe, payload);
  let sum = 0;
  let pushed = 0;
  return {
    session: (items) => {
      pushed = items;
      sum = loop(c, payload, items, dests, columns);
    },
    check: () => {
      const expected = Math.floor(pushed / BLOCK) * worths[BLOCK] + worths[pushed % BLOCK];
      if (sum === expected) return;
      throw new Error(`PE ${pe.rank}: expected items with the sum ${expected}, got ${sum}`);
    },
  };
}

/** The destinations of a PE's items. */
export const destsOf = ({ size }: PE, rank: number): Uint32Array => randomArray(BLOCK, size, rank);

/** The sum that this PE should receive, by the number of items of a block that each PE has pushed. */
function worthsFor(pe: PE, payload: Payload): Float64Array {
  const worths = new Float64Array(BLOCK + 1);
  for (let rank = 0; rank < pe.size; rank++) {
    const dests = destsOf(pe, rank);
    let sum = 0;
    for (let i = 0; i < BLOCK; i++) {
      if (dests[i] === pe.rank) sum += payload.expected(i);
      worths[i + 1] += sum;
    }
  }
  return worths;
}
