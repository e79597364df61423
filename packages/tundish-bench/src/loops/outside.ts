/**
 * Uneven work from a main thread: by a loop of an open world of two PEs, beside pools of as many threads and the main
 * thread alone, each in a process of its own.
 */
import type { FreshProcesses } from "../../../../microbench/launch/processes.ts";
import type { OurPart } from "../../../../microbench/turns/part.ts";
import type { Contender, Entry } from "../../../../microbench/turns/turns.ts";
import { requireFrom, sibling } from "../../../../src/ground/base/package-file.ts";
import { selectPEs } from "../../../../src/machine/model/select.ts";
import { FIRST, LATER } from "./job.ts";
import type { OutsideAnswer, OutsideOrder, OutsideWay } from "./outside-node.ts";
import { UNEVEN_NAMES, type UnevenName } from "./works.ts";

/** The names of the contenders. */
export const OUTSIDE: Readonly<Record<OutsideWay, string>> = {
  alone: "one thread",
  tundish: "tundish, from outside",
  piscina: "npm piscina",
  multithreading: "npm multithreading",
};

const WAYS = Object.keys(OUTSIDE) as readonly OutsideWay[];

/** The best chunks that a sweep has found, one for each turn, by contender and work. */
export type BestChunks = Record<string, number[]>;

/** When quick two of the works: other ones for each way. */
export const worksOf = (way: OutsideWay, quick: boolean): readonly UnevenName[] =>
  UNEVEN_NAMES.filter((_, i) => !quick || [0, 1].some((k) => i === (WAYS.indexOf(way) + k) % UNEVEN_NAMES.length));

/** @param chunks gets those that are found */
export function outside(part: OurPart, processes: FreshProcesses, chunks: BestChunks): Contender[] {
  const { quick } = part;
  const pes = Math.min(2, part.cpus.length);
  const cpus = part.cpus.slice(0, pes);
  const machine = selectPEs(part.machine, [...cpus.keys()]);
  return UNEVEN_NAMES.flatMap((name) =>
    WAYS.filter((way) => worksOf(way, quick).includes(name)).map(
      (way): Contender => ({
        name: OUTSIDE[way],
        required: way === "alone" || way === "tundish",
        run: async () => {
          const library = way === "alone" || way === "tundish" ? "" : find(way);
          const volume = quick ? { warmMs: 5, runs: 1 } : { warmMs: 500, runs: 9 };
          const order: OutsideOrder = { way, library, cpus, machine, name, quick, ...volume };
          const file = sibling("./outside-node.js", import.meta.url);
          const { bound, chunk, first, later } = await processes.node<OutsideAnswer>(part, file, order);
          part.sawBound(bound);
          if (chunk > 0) {
            const title = `${OUTSIDE[way]}, ${name}`;
            chunks[title] = [...(chunks[title] ?? []), chunk];
          }
          const entry = (when: string, samples: readonly number[]): Entry => {
            return { name: OUTSIDE[way], what: `${name}, ${when}`, batch: 1, samples };
          };
          return [entry(FIRST, [first]), entry(LATER, later)];
        },
      }),
    ),
  );
}

/**
 * The file of a package, of the working folder or beside this one.
 * @throws Error if it is not installed, or does not run here
 */
function find(name: string): string {
  if (name === "multithreading" && !("navigator" in globalThis)) throw new Error("it needs Node.js 21 or later");
  for (const from of [`${process.cwd()}/`, import.meta.url]) {
    try {
      return requireFrom(from).resolve(name);
    } catch {
      // the next place
    }
  }
  throw new Error(`it is not installed: npm install ${name}`);
}
