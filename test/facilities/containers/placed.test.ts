/** Arrays, bags and disjoint sets against serial ones, on threads, on virtual PEs and in jobs of MPI. */
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { array, containers, disjointSet, text } from "../../../src/containers.ts";
import { bag, movesOf } from "../../../src/facilities/containers/kinds/bag.ts";
import { Placement } from "../../../src/facilities/containers/placement.ts";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { f64, u8, u32 } from "../../../src/ground/item/item-type.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";
import { eachMpi, type Kind } from "../../machine/mpi/launchers.ts";
import { job } from "../../nodes/jobs.ts";
import { inTurn } from "../../nodes/some-of.ts";
import { rounds } from "../../support/long.ts";
import { SEED } from "../../support/sample.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import program, {
  type ArrayCase,
  type BagCase,
  type Case,
  type DisjointCase,
  effectOf,
  type Found,
  nextOf,
  stepOf,
} from "./placed.program.ts";

const file = sibling("./placed.program.js", import.meta.url);
const placed = suite("arrays, bags and disjoint sets");

const MOST_PES = 8;
const common = { blocks: fc.boolean(), bufferBytes: fc.constantFrom(256, 4096) };

/** Lists of something, one for each PE. */
const byPE = <T>(one: fc.Arbitrary<T>, most: number): fc.Arbitrary<T[][]> =>
  fc.array(fc.array(one, { maxLength: most }), { minLength: MOST_PES, maxLength: MOST_PES });

const anyArray: fc.Arbitrary<ArrayCase> = fc.integer({ min: 1, max: 60 }).chain((length) =>
  fc.record({
    ...{ part: fc.constant("array" as const), length: fc.constant(length), ...common },
    values: fc.constantFrom("f64", "i64", "text"),
    distribution: fc.constantFrom("block", "cyclic"),
    calls: byPE(fc.tuple(fc.nat(length - 1), fc.integer({ min: -1000, max: 1000 })), 60),
  }),
);
const anyBag: fc.Arbitrary<BagCase> = fc.record({
  ...{ part: fc.constant("bag" as const), ...common },
  values: byPE(fc.tuple(fc.option(fc.nat(99), { nil: null }), fc.integer()), 40),
});
const anyDisjoint: fc.Arbitrary<DisjointCase> = fc.integer({ min: 1, max: 300 }).chain((length) => {
  const element = fc.nat(length - 1);
  // pairs of neighbours make long ways
  const pair = fc.oneof(
    fc.tuple(element, element),
    element.map((a): [number, number] => [a, Math.min(length - 1, a + 1)]),
  );
  return fc.record({
    ...{ part: fc.constant("disjoint set" as const), length: fc.constant(length), ...common },
    rounds: fc.tuple(byPE(pair, 60), byPE(pair, 5)),
  });
});
const anyCase: fc.Arbitrary<Case> = fc.oneof(anyArray, anyBag, anyDisjoint);

function checkArray({ length, values, calls }: ArrayCase, pes: number, found: readonly Found[]): void {
  const isText = values === "text";
  const expected: unknown[] = new Array(length).fill(isText ? null : 0);
  const numbers = expected as number[];
  for (const [rank, list] of calls.slice(0, pes).entries()) {
    for (const [index, amount] of list) {
      const effect = effectOf(index);
      if (effect === "set" && index % pes === rank) {
        const step = stepOf(amount);
        if (isText) expected[index] = `${amount}`;
        else if (step === "set") numbers[index] = amount;
        else if (step === "add") numbers[index] += amount;
        else numbers[index] = 0 - (numbers[index] as number);
      }
      if (isText || effect === "set") continue;
      if (effect === "sum") numbers[index] += amount;
      else if (effect === "max") numbers[index] = Math.max(numbers[index] as number, amount);
      else if (effect === "twice") numbers[index] += 2 * amount;
      else {
        let at = index;
        for (let left = Math.abs(amount) % 9; left >= 0; left--) {
          numbers[at]++;
          at = nextOf(at, length);
        }
      }
    }
  }
  assert.equal(found[0]?.gathered, expected);
  const visited = found.flatMap((one) => one.visited as [number, unknown][]).sort(([a], [b]) => a - b);
  assert.equal(
    visited,
    expected.map((value, index) => [index, value]),
  );
  for (const [rank, { got, sizes, gathered }] of found.entries()) {
    if (rank > 0) assert.is(gathered ?? undefined, undefined);
    assert.equal(
      got,
      (calls[rank] as [number, number][]).map(([index]) => expected[index]),
    );
    assert.is(sizes[0], length);
    assert.is(sizes[1], sizes[2]);
  }
  assert.is(
    found.reduce((all, { sizes }) => all + (sizes[1] as number), 0),
    length,
  );
}

function checkBag({ values }: BagCase, pes: number, found: readonly Found[]): void {
  const all = values.slice(0, pes).flatMap((list, from) => list.map(([, value]) => ({ value, from })));
  const sorted = (list: unknown) => (list as typeof all).map(({ value, from }) => `${value} of ${from}`).sort();
  assert.equal(sorted(found[0]?.gathered), sorted(all));
  assert.equal(sorted(found[pes - 1]?.got), sorted(all));
  assert.equal(found.flatMap(({ visited }) => visited as number[]).sort(), all.map(({ value }) => value).sort());
  for (const [rank, { sizes }] of found.entries()) {
    const [whole, before, after] = sizes as [number, number, number];
    assert.is(whole, all.length);
    const here = values
      .slice(0, pes)
      .flatMap((list, from) => list.filter(([to]) => (to === null ? from : to % pes) === rank));
    assert.is(before, here.length);
    assert.ok(after === Math.floor(whole / pes) || after === Math.ceil(whole / pes));
  }
}

function checkDisjoint({ length, rounds }: DisjointCase, pes: number, found: readonly Found[]): void {
  // the simplest form: all elements of a set have its label
  let labels = Array.from({ length }, (_, element) => element);
  for (const [i, round] of rounds.entries()) {
    for (const [a, b] of round.slice(0, pes).flat()) {
      const [least, most] = [labels[a] as number, labels[b] as number].sort((x, y) => x - y);
      labels = labels.map((label) => (label === most ? (least as number) : label));
    }
    assert.equal((found[0]?.gathered as unknown[] | undefined)?.[i], labels);
    for (const [rank, { got, sizes }] of found.entries()) {
      assert.is(sizes[i], new Set(labels).size);
      const wanted = (round[rank] as [number, number][]).flat();
      assert.equal(
        (got as unknown[])[i],
        wanted.map((element) => labels[element]),
      );
    }
  }
  assert.equal(
    found.flatMap(({ visited }) => visited as [number, number][]),
    labels.map((label, element) => [element, label]),
  );
}

function check(one: Case, pes: number, found: readonly Found[]): void {
  assert.is(found.length, pes);
  if (one.part === "array") checkArray(one, pes, found);
  else if (one.part === "bag") checkBag(one, pes, found);
  else checkDisjoint(one, pes, found);
}

/** Checks what each PE has found in each case. */
function checkAll(cases: readonly Case[], results: readonly unknown[]): void {
  for (const [i, one] of cases.entries()) {
    check(
      one,
      results.length,
      results.map((list) => (list as Found[])[i] as Found),
    );
  }
}

const PES = fc.integer({ min: 1, max: MOST_PES });
for (const [part, any] of [
  ["arrays", anyArray],
  ["bags", anyBag],
  ["disjoint sets", anyDisjoint],
] as const) {
  placed(`${part} on threads`, async () => {
    const cases: fc.Arbitrary<Case[]> = fc.array<Case>(any, { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(PES, cases, async (pes, args) => {
        checkAll(args, await launchPooled(file, { pes, args }));
      }),
      { numRuns: rounds(4, 300) },
    );
  });
}

placed("on virtual PEs", async () => {
  const cases = fc.array(anyCase, { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(PES, fc.nat(3), cases, async (pes, jitter, given) => {
      const args = given.map((one) => ({ ...one, blocks: false }));
      const nodes = pes % 2 === 0 ? 2 : 1;
      const { results } = await simulateAsync({ pes, nodes, jitter, memoryBytes: 2 ** 26, args }, program);
      checkAll(args, results);
    }),
    { numRuns: rounds(4, 300) },
  );
});

const overNodes = async (kind: Kind): Promise<void> => {
  const args = fc.sample(anyCase, { numRuns: 12, seed: SEED });
  const { code, said, text: all } = await job(kind, { program: file.href, pes: [2, 2], args });
  assert.is(code, 0, all);
  checkAll(
    args,
    said.flatMap(({ results }) => results as unknown[]),
  );
};
eachMpi(placed, "2 + 2 PEs over nodes", overNodes, inTurn(0, "containers"));

placed("what cannot be is refused, with what to do", async () => {
  const messages: string[] = [];
  const refused = (code: string, call: () => unknown): void => {
    try {
      call();
      messages.push("nothing thrown");
    } catch (error) {
      const { code: found, message } = error as { code: string; message: string };
      messages.push(`${found === code ? "" : found} ${message}`.trim());
    }
  };
  const usage = (call: () => unknown) => refused("ERR_TUNDISH_USAGE", call);
  usage(() => array(f64, -1));
  usage(() => array(f64, 10, {}, { distribution: "blocks" as "block" }));
  usage(() => array(f64, 10, { add: () => {} } as never));
  usage(() => disjointSet(2 ** 32));
  usage(() => bag("text" as never));
  await simulateAsync({ pes: 1 }, async (pe) => {
    let kept: { readonly index: number } | undefined;
    const data = containers(pe, {
      words: array(text, 3),
      bytes: array(u8, 3, {
        keep: {
          run(element) {
            element.value += 300;
            kept = element;
          },
        },
        spoil: {
          run(element) {
            usage(() => (element.value = "x" as never));
          },
        },
      }),
      items: bag(u32),
      parts: disjointSet(5),
    });
    await data.runAsync(async ({ words, bytes, items, parts }) => {
      usage(() => words.add(0, "x" as never));
      usage(() => words.set(0, 7 as never));
      usage(() => words.set(3, "x"));
      usage(() => bytes.combine(1, 2, "mean" as "sum"));
      usage(() => bytes.visit(1, "keeps" as "keep"));
      refused("ERR_TUNDISH_RANGE", () => items.insertAt(1, 2));
      usage(() => items.insert("1" as never));
      usage(() => parts.union(1, 5));
      bytes.visit(2, "keep");
      bytes.visit(1, "spoil");
      bytes.set(0, 255);
      bytes.add(0, 2);
    });
    assert.equal([...data.bytes.local], [1, 0, 44]);
    usage(() => kept?.index);
    usage(() => data.bytes.owner(-1));
    refused("ERR_TUNDISH_STATE", () => data.items.insert(1));
    data.clear();
    assert.equal([...data.bytes.local], [0, 0, 0]);
    data.free();
  });
  const expected = [
    /^array: expected a number of elements from 0 to 4294967295, got -1/,
    /^array: unknown distribution 'blocks'; did you mean 'block'\?/,
    /^array: add: expected \{ args, run\(entry, …\) \{ … \} \} with a function that does not await/,
    /^disjointSet: expected a number of elements from 0 to 4294967295, got 4294967296/,
    /^bag: value: expected an item type .*, got "text"/,
    /^words\.add: expected an array of numbers or bigints, got one of text\. Use a visitor\./,
    /^words\.set: expected a string, got 7/,
    /^words\.set: expected an index from 0 to 2, got 3/,
    /^bytes\.combine: unknown operator 'mean'\. Known operators: sum, prod, min, max, and, or, xor/,
    /^bytes\.visit: unknown visitor 'keeps'; did you mean 'keep'\?/,
    /^items\.insertAt: expected a rank from 0 to 0, got 1/,
    /^items\.insert: expected u32, got "1"/,
    /^parts\.union: expected an index from 0 to 4, got 5/,
    /^bytes\.visit: spoil: element\.value: expected u8, got "x"/,
    /^element: expected to be used inside its visitor, .* Keep its index and its value instead\./,
    /^bytes\.owner: expected an index from 0 to 2, got -1/,
    /^items\.insert: there is no session; call it inside run/,
  ];
  assert.is(messages.length, expected.length);
  for (const [i, pattern] of expected.entries()) assert.match(messages[i] as string, pattern);
});

placed("every element has one place", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), PES, fc.constantFrom("block", "cyclic"), (n, pes, how) => {
      const placement = new Placement(n, pes, how);
      const counts = new Array(pes).fill(0);
      for (let index = 0; index < n; index++) {
        const owner = placement.ownerOf(index);
        const place = placement.placeOf(index, owner);
        counts[owner]++;
        assert.ok(place >= 0 && place < placement.countOf(owner));
        assert.is(placement.indexOf(place, owner), index);
      }
      assert.equal(
        counts,
        counts.map((_, rank) => placement.countOf(rank)),
      );
    }),
  );
});

placed("a bag moves as few values as it takes", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(30), { minLength: 1, maxLength: 9 }), (counts) => {
      const moves = movesOf(counts);
      const all = counts.reduce((a, b) => a + b, 0);
      const least = Math.floor(all / counts.length);
      let moved = 0;
      for (const [rank, row] of moves.entries()) {
        const out = row.reduce((a, b) => a + b, 0);
        const into = moves.reduce((sum, other) => sum + (other[rank] as number), 0);
        const count = (counts[rank] as number) - out + into;
        assert.ok(count === least || count === Math.ceil(all / counts.length));
        assert.ok(out === 0 || into === 0);
        moved += out;
      }
      const most = [...counts].sort((a, b) => b - a);
      const needed = most.map((count, i) => Math.max(0, count - least - Number(i < all % counts.length)));
      assert.is(
        moved,
        needed.reduce((a, b) => a + b, 0),
      );
    }),
  );
});

placed.run();
