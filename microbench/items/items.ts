/**
 * The costs of conveyors' items: the times of one push, one pivot to the next hop, and one pull.
 *
 * The conveyors' own code runs on the virtual machine, in this thread, timed by the real clock: items of 8 and of 64
 * bytes, over one hop for push and pull, over two for the pivot. The fastest of several sessions counts; the two sizes
 * give the time of an item without bytes, and of a byte.
 *
 * Limits: buffers are read from this core's cache, not from another's, which `bandwidth` measures. Half a second at
 * most; a session that was interrupted is not the fastest.
 */

import { namedCode } from "../../src/ground/base/call-site/named-code.ts";
import { monotonic } from "../../src/ground/base/event-loop/timers.ts";
import { f64, type ItemType, struct } from "../../src/ground/item/item-type.ts";
import type { ItemTimes, MachineModel } from "../../src/machine/model/machine-model.ts";
import type { SimulatedConveyor } from "../../src/running/simulate/conveyors.ts";
import { simulate } from "../../src/running/simulate/simulate.ts";

const SESSIONS = 8;
const LEAST_SESSIONS = 4;
const ITEMS = 20_000;
const BUFFER_BYTES = 16_384;
/** Fields of 8 bytes of the two items. */
const SMALL = 1;
const LARGE = 8;

const NAMES = ["push", "pivot", "pull"] as const;

/**
 * The `items` of a machine model, of this machine.
 * @param share of the usual sessions
 */
export function measureItems(share = 1): NonNullable<MachineModel["items"]> {
  const count = Math.max(LEAST_SESSIONS, Math.round(share * SESSIONS));
  const small = timesOf(SMALL, count);
  const large = timesOf(LARGE, count);
  const slope = (name: keyof ItemTimes) => Math.max(0, (large[name] - small[name]) / (8 * (LARGE - SMALL)));
  const each = (time: (name: keyof ItemTimes) => number): ItemTimes => {
    const [push, pivot, pull] = NAMES.map((name) => Math.round(time(name) * 1000) / 1000);
    return { push, pivot, pull };
  };
  // if bytes seem to have negative costs, the smaller item's time is used
  return { ...each((name) => Math.max(0, small[name] - 8 * SMALL * slope(name))), byte: each(slope) };
}

/** ns for one item with `fields` fields. */
function timesOf(fields: number, count: number): ItemTimes {
  const item = struct(Object.fromEntries(Array.from({ length: fields }, (_, i) => [`f${i}`, f64])));
  const [{ push, pull }] = sessions(item, fields, 1, count);
  const both = sessions(item, fields, 4, count);
  return { push, pull, pivot: Math.min(...both.map(({ advance }) => advance)) };
}

interface Spent {
  push: number;
  pull: number;
  advance: number;
}

type Loop = (c: SimulatedConveyor, i: number, items: number, size: number) => number;

/** By PE: the least time of its part of a session, ns per item; 4 PEs use two hops. */
function sessions(item: ItemType, fields: number, pes: 1 | 4, count: number): Spent[] {
  const hops = pes === 1 ? ({ hops: 1 } as const) : ({ hops: 2, groupSize: 2 } as const);
  return simulate({ pes, memoryBytes: 2 ** 24 }, function* (pe) {
    const c: SimulatedConveyor = pe.conveyor(item, { ...hops, bufferBytes: BUFFER_BYTES });
    const { push, pull } = loops(fields);
    const least: Spent = { push: Infinity, pull: Infinity, advance: Infinity };
    for (let session = 0; session < count; session++) {
      const spent: Spent = { push: 0, pull: 0, advance: 0 };
      const timed = <T>(part: keyof Spent, work: () => T): T => {
        const start = monotonic();
        const result = work();
        spent[part] += monotonic() - start;
        return result;
      };
      yield* c.begin();
      for (let i = 0; ; ) {
        const turn = c.advance(i === ITEMS);
        timed("advance", () => turn.next());
        yield;
        if (!turn.next().value) break;
        i = timed("push", () => push(c, i, ITEMS, pes));
        timed("pull", () => pull(c, 0, 0, 0));
      }
      yield* c.reset();
      for (const part of ["push", "pull", "advance"] as const) {
        least[part] = Math.min(least[part], (spent[part] * 1e6) / ITEMS);
      }
    }
    return least;
  }).results as Spent[];
}

/** Loops over push and pull that no other conveyor runs, so that V8 compiles them as in a program. */
function loops(fields: number): { push: Loop; pull: Loop } {
  const values = Array.from({ length: fields }, () => "i").join(", ");
  return {
    push: new Function(
      "c",
      "i",
      "items",
      "size",
      namedCode(
        `for (; i < items; i++) if (!c.push(i % size, ${values})) break; return i;`,
        `tundish://items/push/${fields}`,
      ),
    ) as Loop,
    pull: new Function(
      "c",
      namedCode("let sum = 0; while (c.pull()) sum += c.item.f0; return sum;", "tundish://items/pull"),
    ) as Loop,
  };
}
