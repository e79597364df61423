/** Items to random PEs, including the sender: the loops that users write, of three kinds. */
import { type Columns, type Conveyor, conveyor } from "../../src/conveyor.ts";
import type { ItemType, PE } from "../../src/index.ts";
import { randomArray } from "../turns/random.ts";
import type { ConveyorJob, LoopKind, Sessions } from "./job.ts";
import { PAYLOADS, type Payload, type Size } from "./payloads.ts";

/** Number of items of which a PE has the destinations; then they repeat, as in the C program. */
export const BLOCK: number = 2 ** 14;

/** Bytes of the columns of a PE, at most. */
const COLUMNS_BYTES = 2 ** 18;

/**
 * Number of items of which a PE has the columns. They stay in its caches, so that the conveyor is measured and not the
 * memory that its user reads from: the C program makes its items in registers.
 */
export const blockOf = (size: Size): number => Math.min(BLOCK, COLUMNS_BYTES / size);

/** A session; returns the sum of the received items. `dests` has a destination for each item of a block. */
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
    // a power of two
    const mask = dests.length - 1;
    c.begin();
    for (let i = 0; c.advance(i === count); ) {
      for (; i < count; i++) {
        const k = i & mask;
        if (!payload.push(c as never, dests[k], k)) break;
      }
      while (c.pull()) sum += payload.worth(c.item);
    }
    c.reset();
    return sum;
  },
  "batch-wise": (c, payload, count, dests, columns) => {
    let sum = 0;
    c.begin();
    for (let i = 0; c.advance(i === count); ) {
      const k = i % dests.length;
      i += c.pushAll(dests, columns, k, Math.min(dests.length, k + count - i)) - k;
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
    const mask = dests.length - 1;
    c.run(
      (push) => {
        for (let i = 0; i < count; i++) payload.send(push as never, dests[i & mask], i & mask);
      },
      (item) => {
        sum[0] += payload.worth(item);
      },
    );
    return sum[0];
  },
};

/** Prepares everything that is not timed. Collective. */
export const stream = (pe: PE, size: Size, { way, options }: Pick<ConveyorJob, "way" | "options">): Sessions =>
  streamThrough(pe, conveyor(pe, PAYLOADS[size].item, options), size, way);

/** The same over an existing conveyor, with items of that size. */
export function streamThrough(pe: PE, c: Conveyor<ItemType>, size: Size, way: LoopKind): Sessions {
  const payload = PAYLOADS[size];
  const loop = LOOPS[way];
  const block = blockOf(size);
  const dests = destsOf(pe, pe.rank, block);
  const columns = payload.columns(way === "batch-wise" ? block : 0);
  const worths = worthsFor(pe, payload, block);
  let sum = 0;
  let pushed = 0;
  return {
    session: (items) => {
      pushed = items;
      sum = loop(c, payload, items, dests, columns);
    },
    check: () => {
      const expected = Math.floor(pushed / block) * worths[block] + worths[pushed % block];
      if (sum === expected) return;
      throw new Error(`PE ${pe.rank}: expected items with the sum ${expected}, got ${sum}`);
    },
  };
}

/** The destinations of a PE's items. */
export const destsOf = ({ size }: PE, rank: number, block: number = BLOCK): Uint32Array =>
  randomArray(block, size, rank);

/** The sum that this PE should receive, by the number of items of a block that each PE has pushed. */
function worthsFor(pe: PE, payload: Payload, block: number): Float64Array {
  const worths = new Float64Array(block + 1);
  for (let rank = 0; rank < pe.size; rank++) {
    const dests = destsOf(pe, rank, block);
    let sum = 0;
    for (let i = 0; i < block; i++) {
      if (dests[i] === pe.rank) sum += payload.expected(i);
      worths[i + 1] += sum;
    }
  }
  return worths;
}
