/** What containers check: that the PEs make the same calls, when calls are legal, and that loops and memory have an end. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { array, bag, containers, countingMap, disjointSet, map, set, text, value } from "../../../src/containers.ts";
import { bytes, f64, i64, type PE, struct, u8, u32, u64 } from "../../../src/index.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";

const rules = suite("rules of containers");

/** Runs a program on virtual PEs. */
const play = async <T>(pes: number, program: (pe: PE) => Promise<T>): Promise<T[]> =>
  (await simulateAsync({ pes, memoryBytes: 2 ** 26 }, program as never)).results as T[];

/** The message of an error, with its code before it. */
async function told(act: () => unknown): Promise<string> {
  try {
    await act();
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code} ${message}`;
  }
  return "nothing";
}

rules("calls that differ are an error at all PEs, and later ones go on", async () => {
  const results = await play(3, async (pe) => {
    const data = containers(pe, { counts: countingMap(text), stock: map(text, f64) });
    const other = containers(pe, { counts: countingMap(text) });
    await data.runAsync(({ counts }) => counts.insert("tin"));
    const { counts, stock } = data;
    const [isFirst, isLast] = [pe.rank === 0, pe.rank === 2];
    return [
      await told(() => (isLast ? counts.allgatherAsync() : stock.allgatherAsync())),
      await told(() => (isFirst ? counts.sizeAsync() : counts.totalAsync())),
      await told(() => counts.topKAsync(pe.rank)),
      await told(() => (isLast ? other : data).counts.sizeAsync()),
      await told(() => counts.gatherAsync(isLast ? 1 : 0)),
      await counts.totalAsync(),
    ];
  });
  const expected = [
    /^ERR_TUNDISH_MISMATCH .* got stock\.allgather\(\) of containers 1 at PE 0 and counts\.allgather\(\) of containers 1 at PE 2/,
    /^ERR_TUNDISH_MISMATCH .* got counts\.size\(\) .* at PE 0 and counts\.total\(\) .* at PE 1/,
    /^ERR_TUNDISH_MISMATCH .* got counts\.topK\(0\) .* at PE 0 and counts\.topK\(1\) .* at PE 1/,
    /^ERR_TUNDISH_MISMATCH .* got counts\.size\(\) of containers 1 at PE 0 and counts\.size\(\) of containers 2 at PE 2/,
    /^ERR_TUNDISH_MISMATCH .* got counts\.gather\(0\) .* at PE 0 and counts\.gather\(1\) .* at PE 2/,
  ];
  for (const messages of results) {
    for (const [i, pattern] of expected.entries()) assert.match(messages[i] as string, pattern);
    assert.is(messages[5], 3);
  }
});

rules("forAll ends, whatever it inserts", async () => {
  await play(1, async (pe) => {
    const data = containers(pe, { keys: set(u32), counts: countingMap(u32), values: bag(u32) });
    const visited = [0, 0, 0];
    await data.runAsync(({ keys, counts, values }) => {
      for (let i = 0; i < 10_000; i++) keys.insert(i);
      counts.insert(0);
      values.insert(0);
    });
    await data.runAsync(async ({ keys, counts, values }) => {
      const all: unknown[] = [];
      data.keys.forAll((key) => {
        visited[0]++;
        all.push(keys.insert(key + 10_000));
      });
      data.counts.forAll((key) => {
        visited[1]++;
        all.push(counts.insert(key + 1));
      });
      data.values.forAll((one) => {
        visited[2]++;
        all.push(values.insert(one + 1));
      });
      await Promise.all(all);
    });
    assert.equal(visited, [10_000, 1, 1]);
    assert.equal([data.keys.localSize, data.counts.localSize, data.values.localSize], [20_000, 2, 2]);
  });
});

rules("freed containers say so, and give their memory back", async () => {
  await play(1, async (pe) => {
    const make = () => containers(pe, { words: set(text), items: bag(u32), parts: disjointSet(4) });
    const data = make();
    const before = data.words.localBytes;
    await data.runAsync(({ words }) => {
      for (let i = 0; i < 5000; i++) words.insert(`word ${i}`);
      words.insert("x".repeat(2 ** 20));
    });
    assert.ok(data.words.localBytes > 50 * before);
    data.clear();
    assert.is(data.words.localBytes, before);
    await data.runAsync(({ words }) => words.insert("again"));
    data.free();
    data.free();
    assert.equal([data.words.localBytes, data.words.localSize], [before, 0]);
    const disposed = make();
    await disposed.runAsync(({ words }) => words.insert("tin"));
    disposed[Symbol.dispose]();
    assert.is(disposed.words.localSize, 0);
    for (const freed of [data, disposed]) {
      const messages = [
        await told(() => freed.words.sizeAsync()),
        await told(() => freed.parts.forAllAsync(() => {})),
        await told(() => freed.runAsync()),
        await told(() => freed.clear()),
        await told(() => freed.words.insert("tin")),
        await told(() => freed.items.insertAt(0, 1)),
      ];
      const calls = ["words.sizeAsync", "parts.forAllAsync", "runAsync", "clear", "words.insert", "items.insertAt"];
      for (const [i, call] of calls.entries()) {
        assert.match(messages[i] as string, `ERR_TUNDISH_STATE ${call}: these containers were freed; make others.`);
      }
    }
  });
});

rules("nothing is cleared, freed or run while a collective call is under way", async () => {
  await play(2, async (pe) => {
    const data = containers(pe, { stock: map(u32, f64) });
    await data.runAsync(({ stock }) => stock.insert(pe.rank, 1));
    const all = data.stock.allgatherAsync();
    const expected = "a collective call of these containers is under way; await it before.";
    assert.match(await told(() => data.clear()), `ERR_TUNDISH_STATE clear: ${expected}`);
    assert.match(await told(() => data.free()), `ERR_TUNDISH_STATE free: ${expected}`);
    assert.match(await told(() => data.runAsync()), `ERR_TUNDISH_STATE runAsync: ${expected}`);
    data[Symbol.dispose]();
    assert.is((await all).size, 2);
    data.clear();
    assert.is(await data.stock.sizeAsync(), 0);
  });
});

rules("unions outside a session are refused, and change nothing", async () => {
  await play(1, async (pe) => {
    const data = containers(pe, { parts: disjointSet(4) });
    assert.match(await told(() => data.parts.union(0, 1)), /^ERR_TUNDISH_STATE parts\.union: there is no session/);
    assert.is(await data.parts.countSetsAsync(), 4);
    await data.runAsync(({ parts }) => parts.union(0, 1));
    assert.match(await told(() => data.parts.union(2, 3)), /^ERR_TUNDISH_STATE parts\.union: there is no session/);
    assert.is(await data.parts.countSetsAsync(), 3);
  });
});

rules("bytes and structs that visitors assign are copied", async () => {
  await play(1, async (pe) => {
    const buffer = Uint8Array.of(1, 2);
    const pair = { a: 1, b: 300 };
    const data = containers(pe, {
      keys: map(u32, bytes(2), {
        keep: {
          run(entry) {
            buffer[0] = entry.key;
            entry.value = buffer;
          },
        },
      }),
      pairs: array(struct({ a: f64, b: u8 }), 2, {
        keep: {
          run(element) {
            pair.a = element.index;
            element.value = pair;
          },
        },
        spoil: {
          run(element) {
            element.value = { a: "x" } as never;
          },
        },
      }),
    });
    await data.runAsync(async ({ keys, pairs }) => {
      for (const i of [0, 1]) {
        await keys.visit(i, "keep");
        await pairs.visit(i, "keep");
      }
    });
    assert.equal(await data.keys.getAllAsync([0, 1]), [Uint8Array.of(0, 2), Uint8Array.of(1, 2)]);
    // as in an operation, numbers have the bits of their type
    assert.equal(
      [...data.pairs.local],
      [
        { a: 0, b: 44 },
        { a: 1, b: 44 },
      ],
    );
  });
});

rules("numbers in keys have the range of their type, and keys no hidden parts", async () => {
  await play(1, async (pe) => {
    const data = containers(pe, {
      pairs: set(struct({ a: u8, in: struct({ b: i64 }) })),
      bigs: set(u64),
      any: set(value<unknown>()),
      sums: array(f64, 0),
      stock: map(text, value<undefined>()),
    });
    const messages: string[] = [];
    await data.runAsync(async ({ pairs, bigs, any, stock }) => {
      const key = (a: number, b: bigint) => ({ a, in: { b } });
      await pairs.insert(key(255, -5n));
      messages.push(await told(() => pairs.insert(key(257, 0n))));
      messages.push(await told(() => pairs.insert(key(1.5, 0n))));
      messages.push(await told(() => pairs.insert(key(1, 2n ** 63n))));
      messages.push(await told(() => bigs.insert(-1n)));
      const sparse: number[] = [];
      sparse[2 ** 25] = 1;
      const extra = Object.assign([1], { x: 1 });
      for (const one of [sparse, new Array(3), extra, Math, { [Symbol("s")]: 1 }]) {
        messages.push(await told(() => any.insert(one)));
      }
      await any.insert([1, undefined]);
      await stock.insert("tin", undefined);
    });
    messages.push(await told(() => data.sums.owner(0)));
    const hidden = /^ERR_TUNDISH_USAGE any\.insert: expected .* \(without holes and other properties\)/;
    const expected = [
      /^ERR_TUNDISH_USAGE pairs\.insert: expected a whole number from 0 to 255 \(u8\) as a of the key, got 257/,
      /as a of the key, got 1\.5/,
      /expected a bigint from -9223372036854775808 to 9223372036854775807 \(i64\) as in\.b of the key/,
      /^ERR_TUNDISH_USAGE bigs\.insert: expected a bigint from 0 to 18446744073709551615 \(u64\) as the key, got -1n/,
      ...[hidden, hidden, hidden, hidden, hidden],
      /^ERR_TUNDISH_USAGE sums\.owner: expected no index, as it has no elements, got 0/,
    ];
    assert.is(messages.length, expected.length);
    for (const [i, pattern] of expected.entries()) assert.match(messages[i] as string, pattern);
    assert.equal([data.pairs.localSize, data.any.localSize], [1, 1]);
    assert.equal(await data.stock.hasAllAsync(["tin", "lead"]), [true, false]);
    assert.is((await data.sums.gatherAsync())?.length, 0);
  });
});

rules("what is refused names the container", async () => {
  await play(1, async (pe) => {
    const data = containers(pe, {
      counts: countingMap(u32),
      sums: array(f64, 3),
      items: bag(u32),
      parts: disjointSet(5),
    });
    const { counts, sums, items, parts } = data;
    const none = undefined as never;
    const messages = [
      await told(() => counts.topKAsync(-1)),
      await told(() => counts.gatherAsync(7)),
      await told(() => sums.gatherAsync(-1)),
      await told(() => items.gatherAsync(0.5)),
      await told(() => parts.gatherAsync(1)),
      await told(() => sums.getAllAsync(none)),
      await told(() => parts.findAllAsync(5 as never)),
      await told(() => counts.getAllAsync(none)),
      await told(() => counts.reserve(-1)),
      await told(() => counts.reserve("10" as never)),
      await told(() => counts.reserve(1e12)),
    ];
    const expected = [
      /^ERR_TUNDISH_USAGE counts\.topKAsync: expected a whole number >= 0, got -1/,
      /^ERR_TUNDISH_RANGE counts\.gather: expected a rank from 0 to 0, got 7/,
      /^ERR_TUNDISH_RANGE sums\.gather: expected a rank from 0 to 0, got -1/,
      /^ERR_TUNDISH_RANGE items\.gather: expected a rank from 0 to 0, got 0.5/,
      /^ERR_TUNDISH_RANGE parts\.gather: expected a rank from 0 to 0, got 1/,
      /^ERR_TUNDISH_USAGE sums\.getAllAsync: expected indices \(an array, a Set, …\), got undefined/,
      /^ERR_TUNDISH_USAGE parts\.findAllAsync: expected elements \(an array, a Set, …\), got 5/,
      /^ERR_TUNDISH_USAGE counts\.getAllAsync: expected keys \(an array, a Set, …\), got undefined/,
      /^ERR_TUNDISH_USAGE counts\.reserve: expected a number >= 0, got -1/,
      /^ERR_TUNDISH_USAGE counts\.reserve: expected a number >= 0, got "10"/,
      /^ERR_TUNDISH_OFLO counts\.reserve: expected entries for which a PE has room, got 1000000000000 of 1 PE: table: /,
    ];
    for (const [i, pattern] of expected.entries()) assert.match(messages[i] as string, pattern);
  });
});

rules(
  "room for entries of all PEs together: the same results, and no more memory than for a share of each",
  async () => {
    await play(3, async (pe) => {
      const data = containers(pe, { counts: countingMap(u32), names: map(text, u32), keys: set(u32) });
      const { counts, names, keys } = data;
      for (const one of [counts, names, keys]) one.reserve(3000);
      const bytes = counts.localBytes;
      await data.runAsync(async (ops) => {
        for (let i = pe.rank; i < 3000; i += pe.size) {
          await ops.counts.insert(i);
          await ops.names.insert(String(i), i);
          await ops.keys.insert(i);
        }
      });
      assert.is(counts.localBytes, bytes);
      assert.ok(bytes <= 8 * 4096, `${bytes}`);
      assert.equal([await counts.sizeAsync(), await names.sizeAsync(), await keys.sizeAsync()], [3000, 3000, 3000]);
      data.clear();
      assert.ok(counts.localBytes < bytes);
    });
  },
);

rules.run();
