/**
 * The time of a push by the number of open buffers and by their size: what more of them take is due to the caches. And
 * the time of a look at a link: each advance looks at those of all open buffers.
 *
 * Items of 8 bytes go into 1 to 1024 buffers of 512 B, 4 KiB and 32 KiB, each as often as the others, in an order drawn
 * at random, by the code that conveyors generate for a push, or by their kernel for columns. A full buffer is begun
 * anew: what sending takes is in other costs. Of each case a pass over all buffers is not timed, of the others the
 * median counts, and of interleaved turns the least.
 *
 * Limits: the lines of a buffer are where this PE has left them, in a cache of its own or in memory, and no other PE
 * has read them meanwhile, nor competes for a cache. A second at most.
 *
 * Source: Maley, DeVinney, "Conveyors for Streaming Many-To-Many Communication", section 4.1: scattering into many
 * buffers thrashes the caches.
 */
import { itemMembers } from "../../src/facilities/conveyor/codegen/code.ts";
import { itemClass } from "../../src/facilities/conveyor/codegen/item-class.ts";
import { Outbox } from "../../src/facilities/conveyor/engine/outbox.ts";
import { conveyorKernels } from "../../src/facilities/conveyor/kernels/kernels.ts";
import { monotonic } from "../../src/ground/base/event-loop/timers.ts";
import { median } from "../../src/ground/base/math.ts";
import { randomNumbers } from "../../src/ground/base/random.ts";
import { f64 } from "../../src/ground/item/item-type.ts";
import { type Views, viewsOf } from "../../src/ground/item/views.ts";
import { reserveMemory } from "../../src/ground/memory/new-heap.ts";
import { WORKING } from "../../src/links/status/state.ts";
import type { Porter } from "../../src/links/transport/contract.ts";
import type { OpenTimes } from "../../src/machine/model/machine-model.ts";
import { type LinkTable, linkTables } from "../../src/route/geometry/link-table.ts";

const SIZES = [512, 4096, 32_768];
const BUFFERS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
const TURNS = 5;
const LEAST_TURNS = 2;
const ITEM = f64.bytes;
/** Items of a pass. */
const ITEMS = 4096;
const LEAST_PASSES = 16;
const LOOKS = 1000;

/** Byte offsets in the memory: the link table (geometry/link-table.ts), destinations, rows of items, buffers. */
const TABLE = 128;
const DESTS = 65_536;
const ROWS = 2 * DESTS;
const FIRST = 3 * DESTS;
const MEMORY = FIRST + Math.max(...SIZES) * Math.max(...BUFFERS);

/** Whether items are pushed one by one, or in columns. */
export type Pushing = "items" | "columns";

/** What generated code needs of a conveyor (ItemSeat), with one hop and without a link that is ever full. */
class OpenBuffers {
  readonly phase = WORKING;
  readonly places = TABLE / 4;
  readonly cursor = { at: 0 };
  readonly view = null;
  readonly size: number;
  readonly links: number;
  readonly makesRoom: (dest: number, link: number) => boolean;

  constructor(links: number, begin: (link: number) => void) {
    this.size = links;
    this.links = links;
    this.makesRoom = (_, link) => {
      begin(link);
      return true;
    };
  }
}

/**
 * The `items.open` of a machine model, of this machine.
 * @param share of the usual turns, and of their passes
 */
export function measureOpen(by: Pushing = "items", share = 1): OpenTimes {
  const turns = Math.max(LEAST_TURNS, Math.round(share * TURNS));
  const memory = reserveMemory(MEMORY);
  const { views, pass } = passes(memory);
  const least = SIZES.map(() => BUFFERS.map(() => Number.POSITIVE_INFINITY));
  // in the first turn V8 compiles: the code is still made for its first cases
  for (let turn = -1; turn < turns; turn++) {
    for (const [i, bytes] of SIZES.entries()) {
      for (const [k, count] of BUFFERS.entries()) {
        fill(views.u32, count, bytes);
        const time = timeOf(pass(by, count, bytes), (share * count * bytes) / ITEM / ITEMS);
        if (turn >= 0) least[i][k] = Math.min(least[i][k], time);
      }
    }
  }
  const rounded = (ns: number) => Math.round(ns * 1000) / 1000;
  const sizes = SIZES.map((bytes, i) => ({ bytes, push: least[i].map(rounded) }));
  return { look: rounded(lookTime(views)), buffers: BUFFERS, sizes };
}

/** ns of a link: an outbox looks at many, none of whose buffers is full. */
function lookTime(views: Views): number {
  const links = Math.max(...BUFFERS);
  const [table] = linkTables(views, TABLE, [links]) as [LinkTable];
  const porter = { links, open: () => FIRST } as unknown as Porter;
  const all = Uint8Array.from({ length: links }, () => 1);
  const outbox = new Outbox(porter, table, all, { links: Int32Array.from(all.keys()), start: 0 });
  outbox.begin({ stride: ITEM, tagBytes: 0, capacity: SIZES[0] / ITEM, base: 0, unit: ITEM });
  for (let link = 0; link < links; link++) outbox.open(link);
  return timeOf(() => outbox.sendFull(), LOOKS) * (ITEMS / links);
}

/** ns of an item. @param around passes that fill all buffers once */
function timeOf(pass: () => void, around: number): number {
  const count = Math.max(LEAST_PASSES, Math.ceil(around));
  for (let i = 0; i < count; i++) pass();
  const times = Array.from({ length: count }, () => {
    const start = monotonic();
    pass();
    return monotonic() - start;
  });
  return (1e6 * median(times)) / ITEMS;
}

/** Opens buffers, with a random part of each full, as they would all be full at once; draws destinations. */
function fill(u32: Uint32Array, count: number, bytes: number): void {
  const random = randomNumbers(1);
  const dests = u32.subarray(DESTS / 4, DESTS / 4 + ITEMS);
  for (let i = 0; i < ITEMS; i++) {
    // shuffled (Fisher, Yates)
    const other = Math.floor(random() * (i + 1));
    dests[i] = dests[other] as number;
    dests[other] = i % count;
  }
  for (let link = 0; link < count; link++) {
    const start = FIRST + link * bytes;
    u32[TABLE / 4 + link] = start + ITEM * Math.floor((random() * bytes) / ITEM);
    u32[TABLE / 4 + count + link] = start + bytes;
  }
}

/** Makes what pushes all items once. */
function passes(memory: ReturnType<typeof reserveMemory>) {
  const views = viewsOf(memory.buffer);
  const { u32 } = views;
  const { scatter } = conveyorKernels(memory);
  const dests = u32.subarray(DESTS / 4, DESTS / 4 + ITEMS);
  const OfItem = itemClass(OpenBuffers, f64, views, "open", () => itemMembers(f64, 0, 0, true, views));
  const pushes = (links: number, begin: (link: number) => void) => {
    const c = new OfItem(links, begin) as OpenBuffers & { push(dest: number, value: number): boolean };
    return () => {
      for (let i = 0; i < ITEMS; i++) c.push(dests[i], i);
    };
  };
  const columns = (links: number, begin: (link: number) => void) => () => {
    for (let i = 0; i < ITEMS; ) {
      i = scatter(DESTS, ROWS, i, ITEMS, ITEM, links, TABLE, links);
      const last = dests[i - 1];
      if (u32[TABLE / 4 + last] === u32[TABLE / 4 + links + last]) begin(last);
    }
  };
  return {
    views,
    pass: (by: Pushing, links: number, bytes: number) =>
      (by === "items" ? pushes : columns)(links, (link) => {
        u32[TABLE / 4 + link] = FIRST + link * bytes;
      }),
  };
}
