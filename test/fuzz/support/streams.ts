/** Conveyors, and what is made of them, in random programs. */

import { array, containers as containersOf, countingMap, map, set } from "../../../src/containers.ts";
import {
  biconveyor as biconveyorOf,
  calls as callsOf,
  conveyor as conveyorOf,
  elasticConveyor,
  selector as selectorOf,
} from "../../../src/conveyor.ts";
import { exchange as exchangeOf } from "../../../src/exchange.ts";
import { f64, struct, u32 } from "../../../src/index.ts";
import { type Play, Received, ranksOf, type Seat, same } from "./seat.ts";

const ITEM = struct({ value: u32, weight: f64 });
const LENGTHS = [0, 8, 30, 2000];

/** Destination of each item, and its number for that, in the order in which they are pushed. */
function itemsOf({ group, traffic }: Seat): readonly (readonly [to: number, i: number])[] {
  return ranksOf(group).flatMap((to) =>
    Array.from({ length: traffic.count(group.rank, to) }, (_, i) => [to, i] as const),
  );
}

/** The session of a conveyor: what is pushed before the others go on, and the rest. */
interface Session {
  begin(): unknown;
  beginAsync(): Promise<unknown>;
  advance(done: boolean): number | boolean;
  advanceAsync(done: boolean): Promise<number | boolean>;
  pull(): boolean;
  reset(): void;
}

async function session(
  seat: Seat,
  c: Session,
  push: (to: number, i: number) => boolean,
  take: () => void,
  end: () => void,
) {
  const items = itemsOf(seat);
  let at = 0;
  const pushAll = () => {
    for (; at < items.length; at++) {
      const [to, i] = items[at] as readonly [number, number];
      if (!push(to, i)) return;
    }
  };
  if (seat.awaits) await c.beginAsync();
  else c.begin();
  pushAll();
  return async () => {
    for (;;) {
      const isOver = at === items.length;
      if (!(seat.awaits ? await c.advanceAsync(isOver) : c.advance(isOver))) break;
      pushAll();
      while (c.pull()) take();
    }
    c.reset();
    end();
  };
}

export const conveyor: Play = async (seat) => {
  const { group, step, traffic } = seat;
  const c = await seat.object(() => conveyorOf(group, ITEM, step.options));
  const received = new Received(seat);
  return session(
    seat,
    c,
    (to, i) => c.push(to, traffic.value(group.rank, to, i), i),
    () => {
      const { value } = c.item;
      received.take(c.from, value);
    },
    () => received.end(),
  );
};

export const elastic: Play = async (seat) => {
  const { group, step, traffic } = seat;
  const c = await seat.object(() => elasticConveyor(group, step.options));
  const received = new Received(seat);
  return session(
    seat,
    c,
    (to, i) => c.push(to, traffic.content(group.rank, to, i, traffic.bytes(group.rank, to, i, LENGTHS))),
    () => received.takeBytes(c.from, c.bytes, LENGTHS),
    () => received.end(),
  );
};

export const exchange: Play = async (seat) => {
  const { group, step, traffic, awaits } = seat;
  const { rank } = group;
  const x = await seat.object(() => exchangeOf(group, step.options));
  for (const [to, i] of itemsOf(seat))
    x.schedule(to, traffic.content(rank, to, i, traffic.bytes(rank, to, i, LENGTHS)), i);
  const got = new Map<string, { bytes: Uint8Array; left: number }>();
  const take = ({ from, tag, offset, total, bytes }: Parameters<Parameters<typeof x.finish>[0]>[0]) => {
    const key = `${from} ${tag}`;
    const block = got.get(key) ?? { bytes: new Uint8Array(total), left: total };
    got.set(key, block);
    block.bytes.set(bytes, offset);
    block.left -= bytes.length;
  };
  // some send before they come back to it
  if (traffic.value(rank, rank, 9) % 2 === 0) awaits ? await x.serviceQueueAsync(take) : x.serviceQueue(take);
  return async () => {
    if (awaits) await x.finishAsync(take);
    else x.finish(take);
    let count = 0;
    for (const from of ranksOf(group)) {
      for (let i = 0; i < traffic.count(from, rank); i++, count++) {
        const expected = traffic.content(from, rank, i, traffic.bytes(from, rank, i, LENGTHS));
        same(`block ${i} from ${from}`, got.get(`${from} ${i}`), { bytes: expected, left: 0 });
      }
    }
    same("blocks", got.size, count);
  };
};

export const biconveyor: Play = async (seat) => {
  const { group, step, traffic, awaits } = seat;
  const { rank } = group;
  // the object may be used again: what it answers depends on nothing but the query
  const c = await seat.object(() => biconveyorOf(group, u32, f64, (query, from) => 3 * query + from, step.options));
  const items = itemsOf(seat);
  const queries = items.map(([to, i]) => traffic.value(rank, to, i));
  const expected = queries.map((query) => 3 * query + rank);
  if (awaits) {
    const dests = Uint32Array.from(items, ([to]) => to);
    same("replies", await c.runAsync(() => c.askAll(dests, Uint32Array.from(queries))), Float64Array.from(expected));
    return undefined;
  }
  const got: number[] = [];
  c.run(
    (push) => {
      for (const [k, [to]] of items.entries()) push(to, queries[k] as number);
    },
    (reply) => {
      got.push(reply);
    },
  );
  same("replies", got, expected);
  return undefined;
};

export const selector: Play = async (seat) => {
  const { group, step, traffic, awaits } = seat;
  const { rank } = group;
  const s = await seat.object(() => selectorOf(group, { ask: u32, reply: f64 }, step.options));
  const received = new Received(seat);
  let replies = 0;
  const handlers = {
    ask(value: number, from: number) {
      received.take(from, value);
      s.send.reply(from, 3 * value + rank);
    },
    reply(value: number) {
      replies += value;
    },
  };
  const items = itemsOf(seat);
  if (awaits) {
    await s.runAsync(async (send) => {
      for (const [to, i] of items) await send.ask(to, traffic.value(rank, to, i));
    }, handlers);
  } else {
    s.run((send) => {
      for (const [to, i] of items) send.ask(to, traffic.value(rank, to, i));
    }, handlers);
  }
  received.end();
  same(
    "replies",
    replies,
    items.reduce((sum, [to, i]) => sum + 3 * traffic.value(rank, to, i) + to, 0),
  );
  return undefined;
};

/** By object of calls: who gets what comes. */
const takerOf = new WeakMap<object, (value: number) => void>();

export const calls: Play = async (seat) => {
  const { group, step, traffic, awaits } = seat;
  const { rank } = group;
  const c = await seat.object(() => {
    const made = callsOf(
      group,
      {
        visit: {
          args: struct({ value: u32, home: u32 }),
          run(value: number, home: number) {
            made.async(home, "note", value);
          },
        },
        note(value: number) {
          takerOf.get(made)?.(value);
        },
      },
      step.options,
    );
    return made;
  });
  let sum = 0;
  // the object may be used again: what comes is for the step that uses it now
  takerOf.set(c, (value) => {
    sum += value;
  });
  const items = itemsOf(seat);
  if (awaits) {
    await c.runAsync(async (call) => {
      for (const [to, i] of items) await call(to, "visit", traffic.value(rank, to, i), rank);
    });
  } else {
    c.run((call) => {
      for (const [to, i] of items) call(to, "visit", traffic.value(rank, to, i), rank);
    });
  }
  same(
    "notes",
    sum,
    items.reduce((all, [to, i]) => all + traffic.value(rank, to, i), 0),
  );
  return undefined;
};
const KEYS = 50;

export const containers: Play = async (seat) => {
  const { group, step, traffic, awaits } = seat;
  const { rank, size } = group;
  const data = await seat.object(() =>
    containersOf(
      group,
      {
        counts: countingMap(u32),
        keys: set(u32),
        sums: map(u32, f64, {
          add: {
            args: f64,
            run(entry, amount) {
              entry.value = (entry.value ?? 0) + amount;
            },
          },
        }),
        table: array(f64, KEYS),
      },
      step.options,
    ),
  );
  data.clear();
  // nobody sends into what another one is still to clear
  if (awaits) await group.barrierAsync();
  else group.barrier();
  const keyOf = (value: number) => value % KEYS;
  const values = itemsOf(seat).map(([to, i]) => traffic.value(rank, to, i));
  if (awaits) {
    await data.runAsync(async ({ counts, keys, sums, table }) => {
      for (const value of values) {
        await counts.insert(keyOf(value));
        await keys.insert(keyOf(value));
        await sums.visit(keyOf(value), "add", value);
        await table.add(keyOf(value), value);
      }
    });
  } else {
    data.run(({ counts, keys, sums, table }) => {
      for (const value of values) {
        counts.insert(keyOf(value));
        keys.insert(keyOf(value));
        sums.visit(keyOf(value), "add", value);
        table.add(keyOf(value), value);
      }
    });
  }
  const counts = new Array<number>(KEYS).fill(0);
  const sums = new Array<number>(KEYS).fill(0);
  for (let from = 0; from < size; from++) {
    for (let to = 0; to < size; to++) {
      for (const value of traffic.values(from, to)) {
        counts[keyOf(value)]++;
        sums[keyOf(value)] += value;
      }
    }
  }
  const all = Array.from({ length: KEYS }, (_, key) => key);
  const there = (list: readonly number[]) => list.map((x, key) => (counts[key] === 0 ? undefined : x));
  const got = awaits
    ? [
        await data.counts.getAllAsync(all),
        await data.sums.getAllAsync(all),
        await data.table.getAllAsync(all),
        await data.keys.sizeAsync(),
      ]
    : [data.counts.getAll(all), data.sums.getAll(all), data.table.getAll(all), data.keys.size()];
  same("counts", got[0], there(counts));
  same("sums", got[1], there(sums));
  same("table", got[2], sums);
  same("keys", got[3], counts.filter((count) => count > 0).length);
  return undefined;
};
