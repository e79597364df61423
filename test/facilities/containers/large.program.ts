/** Containers so large that operations are read ahead: all kinds of tables, beside what a Map has. */

import { array, containers, map, set, text, value } from "../../../src/containers.ts";
import { randomNumbers } from "../../../src/ground/base/random.ts";
import { f64, i64, type PE, type Spmd, spmd, u32 } from "../../../src/index.ts";

export interface Args {
  readonly seed: number;
  readonly count: number;
}

/** More than is kept in a cache, at each of two PEs. */
const ELEMENTS = 300_000;
/** Few keys, so that operations that are read ahead together have the same ones. */
const KEYS = 40;

/** @returns what is wrong */
function large(pe: PE, { seed, count }: Args): string[] {
  const add = {
    args: f64,
    run(entry: { value: number | undefined }, x: number) {
      const next = (entry.value ?? 0) * 3 + x;
      entry.value = next > 1e6 ? undefined : next;
    },
  };
  using data = containers(
    pe,
    {
      elements: array(f64, ELEMENTS, {
        follow: {
          args: f64,
          run(element, x: number) {
            element.value = element.value * 3 - x;
          },
        },
      }),
      numbers: map(u32, f64, { add }),
      floats: map(f64, value<string>()),
      words: map(text, f64, { add }),
      bigs: set(i64),
    },
    { bufferBytes: 1024 },
  );
  const random = randomNumbers(seed * pe.size + pe.rank + 1);
  const elements = new Map<number, number>();
  const numbers = new Map<number, number>();
  const floats = new Map<number, string>();
  const words = new Map<string, number>();
  const bigs = new Set<bigint>();
  const added = <K>(map: Map<K, number>, key: K, x: number) => {
    const next = (map.get(key) ?? 0) * 3 + x;
    if (next > 1e6) map.delete(key);
    else map.set(key, next);
  };
  data.run((all) => {
    for (let i = 0; i < count; i++) {
      // keys of this PE alone, at any PE
      const key = Math.floor(random() * KEYS) * pe.size + pe.rank;
      const x = Math.floor(random() * 1000);
      switch (Math.floor(random() * 8)) {
        case 0:
          all.numbers.insert(key, x);
          numbers.set(key, x);
          break;
        case 1:
          all.numbers.visit(key, "add", x);
          added(numbers, key, x);
          break;
        case 2:
          all.numbers.erase(key);
          numbers.delete(key);
          break;
        case 3: {
          // some are larger than a buffer
          const long = "x".repeat(x > 900 ? 3 * x : x % 9);
          all.floats.insert(key / 2, long);
          floats.set(key / 2, long);
          break;
        }
        case 4:
          all.words.visit(`word ${key}`, "add", x);
          added(words, `word ${key}`, x);
          break;
        case 5:
          if (x < 600) {
            all.bigs.insert(BigInt(key));
            bigs.add(BigInt(key));
          } else {
            all.bigs.erase(BigInt(key));
            bigs.delete(BigInt(key));
          }
          break;
        case 6:
          all.elements.visit(key * 1000, "follow", x);
          elements.set(key * 1000, (elements.get(key * 1000) ?? 0) * 3 - x);
          break;
        default:
          all.elements.combine(key * 1000, x, "max");
          elements.set(key * 1000, Math.max(elements.get(key * 1000) ?? 0, x));
      }
    }
  });
  const keys = Array.from({ length: KEYS }, (_, k) => k * pe.size + pe.rank);
  const wrong: string[] = [];
  const compare = (what: string, found: ArrayLike<unknown>, expected: readonly unknown[]) => {
    for (const [i, one] of expected.entries()) {
      if (found[i] !== one) wrong.push(`${what}, key ${keys[i]}: expected ${one}, got ${found[i]}`);
    }
  };
  const wordKeys = keys.map((key) => `word ${key}`);
  const places = keys.map((key) => key * 1000);
  const halves = keys.map((key) => key / 2);
  compare(
    "elements",
    data.elements.getAll(places),
    places.map((at) => elements.get(at) ?? 0),
  );
  compare(
    "numbers",
    data.numbers.getAll(keys),
    keys.map((key) => numbers.get(key)),
  );
  compare(
    "floats",
    data.floats.getAll(halves),
    halves.map((key) => floats.get(key)),
  );
  compare(
    "words",
    data.words.getAll(wordKeys),
    wordKeys.map((key) => words.get(key)),
  );
  compare(
    "bigs",
    data.bigs.hasAll(keys.map(BigInt)),
    keys.map((key) => bigs.has(BigInt(key))),
  );
  return wrong;
}

const program: Spmd = spmd((pe: PE, args: unknown) => large(pe, args as Args));

export default program;
