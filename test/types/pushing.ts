/** Types of the values of items: what everything takes that takes the fields of an item. */

import { expectTypeOf } from "expect-type";
import { type Bytes, bytes, f32, f64, type ItemType, i64, type PE, type Struct, struct, u8, u32, u64 } from "tundish";
import { appendRecords } from "tundish/append";
import { biconveyor, type Conveyor, calls as callsOf, conveyor, type ItemArguments, selector } from "tundish/conveyor";
import { tasks } from "tundish/loop";
import { channel as channelOf, orderedBroadcast } from "tundish/messages";

// names that this program, and libraries, mention in another order than the fields
export const mentioned: readonly ("value" | "apple" | "key" | "zoo" | "slot")[] = ["value", "key"];

const pair = struct({ key: u64, value: f64 });
const turned = struct({ value: f64, key: u64 });
const alike = struct({ slot: u32, value: f64 });
const mixed = struct({ zoo: u64, apple: bytes(3), at: struct({ y: i64, x: f32 }), n: u8 });
type Mixed = readonly [bigint, Uint8Array, { readonly y: bigint; readonly x: number }, number];

expectTypeOf<ItemArguments<typeof pair>>().toEqualTypeOf<readonly [bigint, number]>();
expectTypeOf<ItemArguments<typeof turned>>().toEqualTypeOf<readonly [number, bigint]>();
expectTypeOf<ItemArguments<typeof alike>>().toEqualTypeOf<readonly [number, number]>();
expectTypeOf<ItemArguments<typeof mixed>>().toEqualTypeOf<Mixed>();
expectTypeOf<ItemArguments<typeof u64>>().toEqualTypeOf<readonly [value: bigint]>();
expectTypeOf<ItemArguments<Bytes>>().toEqualTypeOf<readonly [value: Uint8Array]>();
expectTypeOf<ItemArguments<Struct<{ zoo: typeof u64; apple: typeof u8 }>>>().toEqualTypeOf<readonly [bigint, number]>();

// the fields of several objects, which a spread would put in another order for TypeScript
const common = { zoo: u8, big: u64 };
const parts = struct(common, { at: f64 }, { after: i64 });
expectTypeOf<ItemArguments<typeof parts>>().toEqualTypeOf<readonly [number, bigint, number, bigint]>();

/** Conveyors. Compiled only. */
export function conveyors(pe: PE, anyItem: ItemType): void {
  const c = conveyor(pe, pair);
  expectTypeOf(c.push).parameters.toEqualTypeOf<[dest: number, bigint, number]>();
  c.push(0, 1n, 2);
  c.pushUrgent(0, 1n, 2);
  c.send(0, 1n, 2);
  // @ts-expect-error too few
  c.push(0);
  // @ts-expect-error too few
  c.push(0, 1n);
  // @ts-expect-error too many
  c.push(0, 1n, 2, 3);
  // @ts-expect-error swapped
  c.push(0, 2, 1n);
  // @ts-expect-error swapped
  c.pushUrgent(0, 2, 1n);
  // @ts-expect-error swapped
  c.send(0, 2, 1n);
  // @ts-expect-error fields one by one, not an object
  c.push(0, { key: 1n, value: 2 });
  expectTypeOf(c.item).toEqualTypeOf<{ readonly key: bigint; readonly value: number }>();

  const alikes = conveyor(pe, alike);
  alikes.push(0, 1, 2);
  // @ts-expect-error too few
  alikes.push(0, 1);
  // @ts-expect-error too many
  alikes.push(0, 1, 2, 3);

  const m = conveyor(pe, mixed);
  m.push(0, 1n, new Uint8Array(3), { x: 1, y: 2n }, 4);
  // @ts-expect-error bytes are no number
  m.push(0, 1n, 3, { x: 1, y: 2n }, 4);
  // @ts-expect-error a struct in a struct lacks a field
  m.push(0, 1n, new Uint8Array(3), { y: 2n }, 4);

  const bare = conveyor(pe, f64);
  bare.push(0, 1);
  // @ts-expect-error a bigint
  bare.push(0, 1n);
  // @ts-expect-error a struct of one field is one argument as well
  conveyor(pe, struct({ only: u32 })).push(0);

  c.run(
    (push) => push(0, 1n, 2),
    (item) => {
      expectTypeOf(item.key).toBeBigInt();
    },
  );
  const [dests, key, value] = [new Uint32Array(1), new BigUint64Array(1), new Float64Array(1)];
  c.run(
    { dests, columns: { key, value } },
    {
      takeAll({ columns }) {
        expectTypeOf(columns.key).toEqualTypeOf<BigUint64Array>();
      },
    },
  );
  // @ts-expect-error a column of another type
  c.run({ dests, columns: { key: value, value } }, () => {});
  // @ts-expect-error a promise
  c.run({ dests, columns: { key, value } }, { takeAll: async () => {} });
  // @ts-expect-error columns send nothing later
  c.run({ dests, columns: { key, value } }, () => {}, { ends: "quiescence" });
  c.run(
    // @ts-expect-error swapped, in a source
    (push) => push(0, 2, 1n),
    () => {},
  );
  c.run(
    (push) => push(0, 1n, 2),
    // @ts-expect-error swapped, in a sink that sends
    (_item, _from, send) => send(0, 2, 1n),
    { ends: "quiescence" },
  );
  c.batches(async (push) => {
    await push(0, 1n, 2);
    // @ts-expect-error too few
    await push(0, 1n);
  });
  c.pushAll(new Uint32Array(1), { key: new BigUint64Array(1), value: new Float64Array(1) });
  // @ts-expect-error columns of other types
  c.pushAll(new Uint32Array(1), { key: new Float64Array(1), value: new BigUint64Array(1) });
  // @ts-expect-error a column is missing
  c.pushAll(new Uint32Array(1), { key: new BigUint64Array(1) });

  expectTypeOf(c.begin(turned).push).parameters.toEqualTypeOf<[dest: number, number, bigint]>();

  // any conveyor, and one of items that are not known
  const anyOne: Conveyor = c;
  anyOne.reset();
  conveyor(pe, anyItem).push(0, 1, 2n, new Uint8Array(1));
}

/** What else takes the fields of an item. Compiled only. */
export function others(pe: PE): void {
  const b = biconveyor(pe, pair, alike, ({ key, value }) => ({ slot: Number(key), value }));
  b.push(0, 1n, 2);
  // @ts-expect-error swapped
  b.push(0, 2, 1n);
  b.run(
    (push) => push(0, 1n, 2),
    (reply) => {
      expectTypeOf(reply).toEqualTypeOf<{ readonly slot: number; readonly value: number }>();
    },
  );
  // @ts-expect-error too few
  b.ask(0, 1n);
  // @ts-expect-error the answer lacks a field
  biconveyor(pe, pair, alike, ({ value }) => ({ value }));

  const s = selector(pe, { ask: pair, reply: alike });
  s.run(
    (send) => {
      send.ask(0, 1n, 2);
      // @ts-expect-error swapped
      send.ask(0, 2, 1n);
      // @ts-expect-error no such mailbox
      send.other(0, 1);
    },
    {
      ask: ({ value }, from) => s.send.reply(from, 1, value),
      // @ts-expect-error too few
      reply: (_, from) => s.send.reply(from, 1),
    },
  );
  // @ts-expect-error a handler is missing
  s.run(() => {}, { ask() {} });

  const calls = callsOf(pe, {
    visit(vertex: number, name: string) {
      return `${vertex} ${name}`;
    },
    add: { args: pair, run(_key: bigint, _value: number) {} },
  });
  calls.run((call) => {
    call(0, "visit", 1, "a");
    call(0, "add", 1n, 2);
    // @ts-expect-error swapped
    call(0, "add", 2, 1n);
    // @ts-expect-error too few
    call(0, "visit", 1);
    // @ts-expect-error no such handler
    call(0, "sub", 1);
  });
  // @ts-expect-error the handler takes the fields in another order
  callsOf(pe, { add: { args: pair, run(_value: number, _key: bigint) {} } });

  const channel = channelOf(pe, 1, { item: pair });
  channel.send(1n, 2);
  channel.trySend(1n, 2);
  // @ts-expect-error swapped
  channel.send(2, 1n);
  // @ts-expect-error too few
  channel.trySend(1n);
  // @ts-expect-error swapped
  channel.sendAsync(2, 1n);
  expectTypeOf(channel.receive()).toEqualTypeOf<{ readonly key: bigint; readonly value: number }>();

  const ordered = orderedBroadcast(pe, { item: pair });
  ordered.submit(1n, 2);
  // @ts-expect-error swapped
  ordered.submit(2, 1n);
  // @ts-expect-error too many
  ordered.trySubmit(1n, 2, 3);

  const records = appendRecords(pe, pair, 10);
  records.push(0, 1n, 2);
  // @ts-expect-error swapped
  records.push(0, 2, 1n);
  // @ts-expect-error too few
  records.pushAsync(0, 1n);
}

/** Tasks. Compiled only. */
export function tasksOfTypes(pe: PE): void {
  const all = tasks(pe, {
    visit: { args: pair, run(_key: bigint, _value: number) {} },
    plain(_a: number, _b: number) {},
  });
  all.run((spawn) => {
    spawn.visit(1n, 2);
    spawn.plain(1, 2);
    // @ts-expect-error swapped
    spawn.visit(2, 1n);
    // @ts-expect-error too few
    spawn.plain(1);
  });
  // @ts-expect-error a handler of other arguments
  tasks(pe, { add: { args: pair, run(_value: number, _key: bigint) {} } });
}

/** The order of fields is part of a struct's type. */
export const right: Struct<{ key: typeof u64; value: typeof f64 }> = pair;
// @ts-expect-error another order
export const wrong: Struct<{ key: typeof u64; value: typeof f64 }> = turned;
export const anyStruct: Struct = pair;
export const items: readonly ItemType[] = [pair, turned, u32, bytes(2)];

/** A function for any items. */
export function pushOne<I extends ItemType>(pe: PE, item: I, ...values: ItemArguments<I>): boolean {
  return conveyor(pe, item)
    .begin()
    .push(0, ...values);
}
export const pushed = (pe: PE): boolean => pushOne(pe, pair, 1n, 2);
// @ts-expect-error swapped, through a function for any items
export const swapped = (pe: PE): boolean => pushOne(pe, pair, 2, 1n);

// @ts-expect-error no fields
struct({ a: 1 });
