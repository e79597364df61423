/** Types of containers: of their keys and values, of visitors and of what is awaited. */
import { expectTypeOf } from "expect-type";
import { bytes, f64, type PE, struct, u32, u64 } from "tundish";
import { array, containers, countingMap, map, set, text, value } from "tundish/containers";

/** Compiled only. */
export async function containing(pe: PE): Promise<void> {
  const data = containers(pe, {
    counts: countingMap(text),
    stock: map(text, f64, {
      add: {
        args: f64,
        run(entry, amount) {
          expectTypeOf(entry.key).toEqualTypeOf<string>();
          expectTypeOf(entry.value).toEqualTypeOf<number | undefined>();
          expectTypeOf(amount).toEqualTypeOf<number>();
          entry.value = (entry.value ?? 0) + amount;
          // @ts-expect-error the value is a number
          entry.value = "x";
        },
      },
      move: {
        args: struct({ id: u64, by: f64 }),
        run(_entry, id, by) {
          expectTypeOf(id).toEqualTypeOf<bigint>();
          expectTypeOf(by).toEqualTypeOf<number>();
        },
      },
      name: {
        args: text,
        run(_entry, name) {
          expectTypeOf(name).toEqualTypeOf<string>();
        },
      },
      drop: {
        run(entry) {
          entry.value = undefined;
        },
      },
    }),
    points: map(struct({ x: u32, tag: bytes(2) }), value<{ readonly names: string[] }>()),
    ids: set(u64),
  });

  data.run(({ counts, stock, points, ids }, turn) => {
    expectTypeOf(counts.insert("tin")).toEqualTypeOf<undefined>();
    counts.insert("tin", 3);
    stock.insert("tin", 1);
    stock.insertIfMissing("tin", 1);
    stock.erase("tin");
    stock.visit("tin", "add", 2.5);
    stock.visitIfExists("tin", "move", 7n, 2);
    stock.visit("tin", "name", "x");
    stock.visit("tin", "drop");
    points.insert({ x: 1, tag: new Uint8Array(2) }, { names: [] });
    ids.insert(5n);
    turn();
    // @ts-expect-error a number for text
    counts.insert(5);
    // @ts-expect-error text for a number
    stock.insert("tin", "1");
    // @ts-expect-error no such visitor
    stock.visit("tin", "ad", 2.5);
    // @ts-expect-error its argument is missing
    stock.visit("tin", "add");
    // @ts-expect-error one too many
    stock.visit("tin", "drop", 5);
    // @ts-expect-error in another order
    stock.visit("tin", "move", 2, 7n);
    // @ts-expect-error a field is missing
    points.insert({ x: 1 }, { names: [] });
    // @ts-expect-error a number for a bigint
    ids.insert(5);
  });
  // @ts-expect-error it awaits
  data.run(async () => {});

  await data.runAsync(async ({ counts, stock }) => {
    expectTypeOf(counts.insert("tin")).toEqualTypeOf<Promise<void> | undefined>();
    expectTypeOf(stock.visit("tin", "add", 1)).toEqualTypeOf<Promise<void> | undefined>();
    // @ts-expect-error no such visitor
    await stock.visit("tin", "ad", 2.5);
  });

  const others = containers(pe, { names: array(text, 3), sums: array(f64, 3), bits: array(u32, 3) });
  others.run(({ names, sums, bits }) => {
    sums.add(0, 1.5);
    bits.combine(0, 7, "and");
    // @ts-expect-error text cannot be added
    names.add(0, "x");
    // @ts-expect-error bits of floating-point numbers
    sums.combine(0, 1, "and");
  });
  expectTypeOf(data.stock.hasAll(["tin"])).toEqualTypeOf<boolean[]>();
  expectTypeOf(data.counts.topK(3)).toEqualTypeOf<[key: string, count: number][]>();
  expectTypeOf(data.counts.gather()).toEqualTypeOf<Map<string, number> | undefined>();
  expectTypeOf(await data.counts.allgatherAsync()).toEqualTypeOf<Map<string, number>>();
  expectTypeOf(data.stock.getAll(["tin"])).toEqualTypeOf<(number | undefined)[]>();
  expectTypeOf(data.ids.hasAll(new Set([1n]))).toEqualTypeOf<boolean[]>();
  expectTypeOf(await data.ids.gatherAsync(1)).toEqualTypeOf<Set<bigint> | undefined>();
  data.points.forAll((key, one) => {
    expectTypeOf(key.x).toEqualTypeOf<number>();
    expectTypeOf(one).toEqualTypeOf<{ readonly names: string[] }>();
  });
  // @ts-expect-error a visitor that awaits
  map(u32, f64, { wait: { args: f64, async run() {} } });
  // @ts-expect-error no content
  map(u32, "f64");
}
