/** Arrays, bags and disjoint sets: the same program on threads, in jobs of MPI and on virtual PEs. */

import { array, bag, containers, disjointSet, text } from "../../../src/containers.ts";
import { f64, i64, struct, u32 } from "../../../src/ground/item/item-type.ts";
import { type PE, type Spmd, spmd } from "../../../src/index.ts";
import { playInTurn } from "../../support/in-turn.ts";

interface Common {
  /** Blocking forms, or Async ones, as virtual PEs need them. */
  readonly blocks: boolean;
  readonly bufferBytes: number;
}

/** Calls by PE: an element and an amount. What is done with an element depends on its index: see {@link effectOf}. */
export interface ArrayCase extends Common {
  readonly part: "array";
  readonly values: "f64" | "i64" | "text";
  readonly length: number;
  readonly distribution: "block" | "cyclic";
  readonly calls: readonly (readonly (readonly [index: number, amount: number])[])[];
}

/** Values by PE, and the PE that each goes to; null: the one that has it. */
export interface BagCase extends Common {
  readonly part: "bag";
  readonly values: readonly (readonly (readonly [to: number | null, value: number])[])[];
}

/** Two rounds of pairs by PE: queries come between them. */
export interface DisjointCase extends Common {
  readonly part: "disjoint set";
  readonly length: number;
  readonly rounds: readonly (readonly (readonly (readonly [number, number])[])[])[];
}

export type Case = ArrayCase | BagCase | DisjointCase;

/** All effects on one element may come in any order, but those of set: only PE `index % PEs` has them, see {@link stepOf}. */
export const effectOf = (index: number): "set" | "sum" | "max" | "twice" | "chain" =>
  (["set", "sum", "max", "twice", "chain"] as const)[index % 5] as "set";

/** What a call with this amount does where the order of calls matters. */
export const stepOf = (amount: number): "set" | "add" | "negate" =>
  (["set", "add", "negate"] as const)[Math.abs(amount) % 3] as "set";

/** The element after this one in a chain. */
export const nextOf = (index: number, length: number): number => {
  const next = (7 * index + 3) % length;
  return effectOf(next) === "chain" ? next : index;
};

/** What one PE has found: all of it as numbers and strings. */
export interface Found {
  readonly gathered: unknown;
  readonly got: unknown;
  readonly visited: unknown;
  readonly sizes: readonly number[];
}

async function playArray(
  pe: PE,
  { values, length, distribution, calls, blocks, bufferBytes }: ArrayCase,
): Promise<Found> {
  if (values === "text")
    return playTexts(pe, { values, length, distribution, calls, blocks, bufferBytes, part: "array" });
  const isBig = values === "i64";
  const big = (x: number): number => (isBig ? BigInt(x) : x) as number;
  const data = containers(
    pe,
    {
      numbers: array(
        (isBig ? i64 : f64) as typeof f64,
        length,
        {
          twice: {
            args: (isBig ? i64 : f64) as typeof f64,
            run(element, amount: number) {
              element.value += amount + amount;
            },
          },
          negate: {
            run(element) {
              element.value = -element.value;
            },
          },
          chain: {
            args: u32,
            run(element, left: number) {
              element.value += big(1);
              if (left > 0) data.numbers.visit(nextOf(element.index, length), "chain", left - 1);
            },
          },
        },
        { distribution },
      ),
    },
    { bufferBytes },
  );
  const mine = calls[pe.rank] ?? [];
  const call = (
    numbers: Pick<typeof data.numbers, "set" | "add" | "combine" | "visit">,
    index: number,
    amount: number,
  ): unknown => {
    const effect = effectOf(index);
    if (effect === "set") {
      if (index % pe.size !== pe.rank) return undefined;
      const step = stepOf(amount);
      if (step === "negate") return numbers.visit(index, "negate");
      return step === "set" ? numbers.set(index, big(amount)) : numbers.add(index, big(amount));
    }
    if (effect === "sum") return numbers.add(index, big(amount));
    if (effect === "max") return numbers.combine(index, big(amount), "max");
    if (effect === "twice") return numbers.visit(index, "twice", big(amount));
    return numbers.visit(index, "chain", Math.abs(amount) % 9);
  };
  const wanted = mine.map(([index]) => index);
  const numbersOf = (list: ArrayLike<number | bigint> | undefined) => list && Array.from(list, Number);
  const visited: [number, number][] = [];
  if (blocks) {
    data.run(({ numbers }) => {
      for (const [index, amount] of mine) call(numbers, index, amount);
    });
  } else {
    await data.runAsync(async ({ numbers }) => {
      for (const [index, amount] of mine) {
        const full = call(numbers as never, index, amount);
        if (full) await full;
      }
    });
  }
  const { numbers } = data;
  numbers.forAll((index, value) => visited.push([index, Number(value)]));
  const found = {
    gathered: numbersOf(blocks ? numbers.gather() : await numbers.gatherAsync()),
    got: numbersOf(blocks ? numbers.getAll(wanted) : await numbers.getAllAsync(wanted)),
    visited,
    sizes: [blocks ? numbers.size() : await numbers.sizeAsync(), numbers.localSize, numbers.local.length],
  };
  data.free();
  return found;
}

/** Only sets. */
async function playTexts(pe: PE, { length, distribution, calls, blocks, bufferBytes }: ArrayCase): Promise<Found> {
  const data = containers(pe, { texts: array(text, length, {}, { distribution }) }, { bufferBytes });
  const mine = (calls[pe.rank] ?? []).filter(([index]) => effectOf(index) === "set" && index % pe.size === pe.rank);
  if (blocks) {
    data.run(({ texts }) => {
      for (const [index, amount] of mine) texts.set(index, `${amount}`);
    });
  } else {
    await data.runAsync(async ({ texts }) => {
      for (const [index, amount] of mine) await texts.set(index, `${amount}`);
    });
  }
  const wanted = (calls[pe.rank] ?? []).map(([index]) => index);
  const { texts } = data;
  const visited: unknown[] = [];
  texts.forAll((index, value) => visited.push([index, value ?? null]));
  const nulls = (list: readonly (string | undefined)[] | undefined) => list?.map((one) => one ?? null);
  const found = {
    gathered: nulls(blocks ? texts.gather() : await texts.gatherAsync()),
    got: nulls(blocks ? texts.getAll(wanted) : await texts.getAllAsync(wanted)),
    visited,
    sizes: [blocks ? texts.size() : await texts.sizeAsync(), texts.localSize, texts.local.length],
  };
  data.free();
  return found;
}

async function playBag(pe: PE, { values, blocks, bufferBytes }: BagCase): Promise<Found> {
  const data = containers(pe, { items: bag(struct({ value: f64, from: u32 })) }, { bufferBytes });
  const mine = values[pe.rank] ?? [];
  const { items } = data;
  if (blocks) {
    data.run(({ items }) => {
      for (const [to, value] of mine) {
        if (to === null) items.insert({ value, from: pe.rank });
        else items.insertAt(to % pe.size, { value, from: pe.rank });
      }
    });
  } else {
    await data.runAsync(async ({ items }) => {
      for (const [to, value] of mine) {
        const item = { value, from: pe.rank };
        await (to === null ? items.insert(item) : items.insertAt(to % pe.size, item));
      }
    });
  }
  const before = items.localSize;
  const got = blocks ? items.gather(pe.size - 1) : await items.gatherAsync(pe.size - 1);
  if (blocks) items.rebalance();
  else await items.rebalanceAsync();
  const visited: number[] = [];
  items.forAll(({ value }) => visited.push(value));
  const gathered = blocks ? items.gather() : await items.gatherAsync();
  const sizes = [blocks ? items.size() : await items.sizeAsync(), before, items.localSize];
  data.free();
  return { gathered, got, visited, sizes };
}

async function playDisjoint(pe: PE, { length, rounds, blocks, bufferBytes }: DisjointCase): Promise<Found> {
  const data = containers(pe, { parts: disjointSet(length) }, { bufferBytes });
  const { parts } = data;
  const sizes: number[] = [];
  const got: unknown[] = [];
  const gathered: unknown[] = [];
  const visited: [number, number][] = [];
  for (const round of rounds) {
    const mine = round[pe.rank] ?? [];
    if (blocks) {
      data.run(({ parts }) => {
        for (const [a, b] of mine) parts.union(a, b);
      });
    } else {
      await data.runAsync(async ({ parts }) => {
        for (const [a, b] of mine) await parts.union(a, b);
      });
    }
    const wanted = mine.flat();
    sizes.push(blocks ? parts.countSets() : await parts.countSetsAsync());
    got.push(Array.from(blocks ? parts.findAll(wanted) : await parts.findAllAsync(wanted)));
    const all = blocks ? parts.gather() : await parts.gatherAsync();
    gathered.push(all && Array.from(all));
  }
  const visit = (element: number, smallest: number) => visited.push([element, smallest]);
  if (blocks) parts.forAll(visit);
  else await parts.forAllAsync(visit);
  data.free();
  return { gathered, got, visited, sizes };
}

function play(pe: PE, step: Case): Promise<Found> {
  if (step.part === "array") return playArray(pe, step);
  return step.part === "bag" ? playBag(pe, step) : playDisjoint(pe, step);
}

const program: Spmd = spmd((pe: PE, args: Case | readonly Case[]) => playInTurn(args, (step: Case) => play(pe, step)));
export default program;
