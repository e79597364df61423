/** PEs in texts: runs of ranks are shortened, long lists are cut, and what is said of several PEs is said once. */

/** Ranks, or runs of them, that a text names. */
const NAMED = 8;
/** Shortest run that is written as one. */
const RUN = 4;

/** Consecutive ranks as pairs, first and last, in the order of the ranks. */
export function runsOf(ranks: readonly number[]): [first: number, last: number][] {
  const runs: [number, number][] = [];
  for (const rank of ranks) {
    const run = runs.at(-1);
    if (run !== undefined && rank === run[1] + 1) run[1] = rank;
    else runs.push([rank, rank]);
  }
  return runs;
}

/** The ranks of runs. */
export const ranksOf = (runs: readonly (readonly [number, number])[]): number[] =>
  runs.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i));

/** Ranks, or other numbers, in their order: `3-17, 40`, and of many `0, 2, 4, 6, 8, 10, 12, 14 and 5 more`. */
export function ranksText(ranks: readonly number[]): string {
  const parts = runsOf(ranks).flatMap(([first, last]): (readonly [number, string])[] =>
    last - first + 1 < RUN
      ? ranksOf([[first, last]]).map((rank) => [1, String(rank)])
      : [[last - first + 1, `${first}-${last}`]],
  );
  const more = parts.slice(NAMED).reduce((sum, [count]) => sum + count, 0);
  const named = parts.slice(0, NAMED).map(([, text]) => text);
  return `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** `PE 3-17, 40`. */
export const pesText = (ranks: readonly number[]): string => `PE ${ranksText(ranks)}`;

/** What is said of a PE, without its subject: `waits in barrier`. */
export interface Said {
  readonly rank: number;
  /** With its amounts marked, see {@link amount}. */
  readonly text: string;
}

const FROM = "\u0001";
const TO = "\u0002";
const AMOUNTS = new RegExp(`${FROM}([^${TO}]*)${TO}`, "g");

/** Marks a number, or what stands for one, in a text that may be said of several PEs, each with its own. */
export const amount = (x: number | string): string => `${FROM}${x}${TO}`;

/** The same text, said of these PEs. */
interface Grouped {
  readonly ranks: readonly number[];
  readonly text: string;
}

/** Equal texts become one, in the order of the first of each; amounts that differ, the range of them. */
function grouped(all: readonly Said[]): Grouped[] {
  const groups = new Map<string, { ranks: Set<number>; texts: string[] }>();
  for (const { rank, text } of all) {
    const key = text.replace(AMOUNTS, FROM);
    const group = groups.get(key) ?? { ranks: new Set(), texts: [] };
    groups.set(key, group);
    group.ranks.add(rank);
    group.texts.push(text);
  }
  return [...groups.values()].map(({ ranks, texts }) => ({
    ranks: [...ranks].sort((a, b) => a - b),
    text: merged(texts),
  }));
}

function merged(texts: readonly string[]): string {
  const amounts = texts.map((text) => Array.from(text.matchAll(AMOUNTS), ([, value]) => value as string));
  let at = 0;
  return (texts[0] as string).replace(AMOUNTS, () => {
    const values = amounts.map((one) => one[at] as string);
    at++;
    const sorted = values.toSorted((a, b) => Number(a) - Number(b));
    const [least, most] = [sorted[0] as string, sorted.at(-1) as string];
    return least === most ? least : `${least} to ${most}`;
  });
}

/** As {@link sentences}, each after the PEs that it is about, for a list: `PE 3-17, 40: waits in barrier`. */
export const labelled = (all: readonly Said[], most: number): string[] =>
  cut(all, most, (ranks, text) => `${pesText(ranks)}: ${text}`);

/** Sentences: `PE 1 waits in barrier`, `Each of PE 3-17, 40 waits in barrier`. @param most the rest is counted */
export const sentences = (all: readonly Said[], most: number): string[] =>
  cut(all, most, (ranks, text) => `${ranks.length > 1 ? "Each of " : ""}${pesText(ranks)} ${text}`);

function cut(all: readonly Said[], most: number, write: (ranks: readonly number[], text: string) => string): string[] {
  const groups = grouped(all);
  const shown = groups.slice(0, most).map(({ ranks, text }) => write(ranks, text));
  const rest = groups.slice(most);
  if (rest.length === 0) return shown;
  const pes = new Set(rest.flatMap(({ ranks }) => ranks)).size;
  return [...shown, `And ${rest.length} more of the kind, about ${pes} ${pes > 1 ? "PEs" : "PE"}.`];
}
