/** Documents with random faults, as JSON can have them: several at a time, and larger than a reader likes. */
import type { Loose } from "./broken-documents.ts";

/** Whole numbers below n, the same ones for the same seed. */
export type Draw = (n: number) => number;

type Holder = Record<string, unknown>;

/** In place of anything. */
const VALUES: readonly unknown[] = [
  ...[0, 1, 2, 3, 7, 31, -1, 0.5, 1e-9, 5e-324, 1e3, 4096, 65_536, 1e6, 2 ** 31, 2 ** 32, 2 ** 53, 1e30, 1e308],
  ...["", "x", "constructor", "__proto__", "1", "NaN", "ns", "\u202e<b>&\n", "long".repeat(5000)],
  ...[null, true, false, [], {}, [1, 2], [[0]], { absent: "x" }, { length: 5 }],
];
const FACTORS = [0, -1, 0.5, 2, 1e3, 1e-3, 1e9, 1e-12, 1e100, 1e-300];

/** Values of a document, and characters of its strings: with more, what is tested is how much memory there is. */
const MOST = 4e6;

/** A copy of a document with one to three faults; fewer if it would be larger than {@link MOST}. */
export function mutated(document: Loose, draw: Draw): Loose {
  let copy = asJson(document);
  for (let faults = 1 + draw(3); faults > 0; faults--) {
    const holders = holdersIn(copy);
    const holder = holders[draw(holders.length)] as Holder;
    const names = Object.keys(holder);
    const name = names[draw(names.length)];
    const before = holder[name as string];
    if (name !== undefined) spoil(holder, name, names, draw);
    if (left(copy, MOST) < 0) holder[name as string] = before;
    copy = asJson(copy);
  }
  return copy;
}

/** What is left of so many values and characters; below 0, and no more is looked at, if they are not enough. */
function left(value: unknown, most: number): number {
  if (typeof value === "string") return most - value.length;
  if (typeof value !== "object" || value === null) return most - 1;
  return Object.values(value).reduce((rest: number, one) => (rest < 0 ? rest : left(one, rest - 1)), most);
}

/** What a file can have, and no part of it twice. */
const asJson = (document: Loose): Loose => JSON.parse(JSON.stringify(document)) as Loose;

function spoil(holder: Holder, name: string, names: readonly string[], draw: Draw): void {
  const value = holder[name];
  const other = names[draw(names.length)] as string;
  switch (draw(8)) {
    case 0:
      if (Array.isArray(holder)) holder.splice(Number(name), 1);
      else delete holder[name];
      break;
    case 1:
      [holder[name], holder[other]] = [holder[other], holder[name]];
      break;
    case 2:
      if (Array.isArray(value)) holder[name] = repeated(value, 2 + draw(40));
      else holder[`${name}s`] = value;
      break;
    case 3:
      // a few are very long
      if (draw(8) === 0) holder[name] = new Array(150_000).fill(typeof value === "object" ? {} : value);
      else holder[name] = [value];
      break;
    case 4:
    case 5:
      if (typeof value === "number") holder[name] = value * (FACTORS[draw(FACTORS.length)] as number);
      else holder[name] = VALUES[draw(VALUES.length)];
      break;
    default:
      holder[name] = VALUES[draw(VALUES.length)];
  }
}

const repeated = (list: readonly unknown[], times: number): unknown[] =>
  Array.from({ length: Math.min(2000, list.length * times) }, (_, i) => list[i % list.length]);

/** All objects and lists: those deep in a document are as likely as all others together. */
function holdersIn(value: unknown): Holder[] {
  if (typeof value !== "object" || value === null) return [];
  return [value as Holder, ...Object.values(value).flatMap(holdersIn)];
}
