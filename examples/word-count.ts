// Word count of text files: each PE reads a share of the bytes as a stream; the counts are in a map over all PEs.
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isEntry, launch, type PE, type Spmd, spmd } from "tundish";
import { type Containers, type ContainersOf, containers, text as content, countingMap } from "tundish/containers";
import { example, type Problem, type Told } from "./support/example.ts";
import { share } from "./support/input.ts";
import { input, whole } from "./support/options.ts";
import { print } from "./support/print.ts";
import { COLOURS, element, svg, words } from "./support/svg.ts";
import { filesOf, type TextFile, textOf, wordsOf, writeText } from "./support/texts.ts";

/** Words that are told and drawn: the most frequent ones. */
const TOP = 20;

type Top = (readonly [word: string, count: number])[];
type Result = { readonly counts: Map<string, number>; readonly top: Top };

const KINDS = { counts: countingMap(content) };
type Data = Containers<typeof KINDS> & ContainersOf<typeof KINDS>;

/** Counts at one PE: objects, so that a word is looked up once. */
type Counters = Map<string, { count: number }>;

/** Different words that a PE counts by itself before it sends them: this limits the memory that a share takes. */
const MOST_HERE = 2 ** 17;

/** Every PE runs this function, with the same files and its own rank. */
async function onAll(pe: PE, files: readonly TextFile[], data: Data): Promise<Top> {
  data.clear();
  await data.runAsync(async ({ counts }) => {
    const here: Counters = new Map();
    const sendAll = async () => {
      for (const [word, { count }] of here) {
        const full = counts.insert(word, count); // added up at the PE of the word
        if (full) await full; // no room: what others have sent is received meanwhile
      }
      here.clear();
    };
    for await (const piece of textOf(files, ...share(bytesOf(files), pe.rank, pe.size))) {
      countWords(piece, here);
      if (here.size > MOST_HERE) await sendAll();
    }
    await sendAll();
  });
  return data.counts.topKAsync(TOP);
}

/** The same on one thread. */
async function onOne(files: readonly TextFile[]): Promise<Result> {
  const here: Counters = new Map();
  for await (const piece of textOf(files, 0, bytesOf(files))) countWords(piece, here);
  const counts = new Map<string, number>();
  for (const [word, { count }] of here) counts.set(word, count);
  return { counts, top: topOf(counts) };
}

function countWords(piece: string, counters: Counters): void {
  for (const word of wordsOf(piece)) {
    const known = counters.get(word);
    if (known === undefined) counters.set(word, { count: 1 });
    else known.count++;
  }
}

function topOf(counts: ReadonlyMap<string, number>): Top {
  let top: Top = [];
  let least = 0;
  for (const entry of counts) {
    if (entry[1] < least) continue;
    top.push(entry);
    if (top.length < 10 * TOP) continue;
    top = first(top);
    least = top[TOP - 1][1];
  }
  return first(top);
}

/** The largest counts; of equal ones the word that is first by its code units. */
const first = (top: Top): Top =>
  top.sort(([a, counted], [b, other]) => other - counted || (a < b ? -1 : 1)).slice(0, TOP);

const bytesOf = (files: readonly TextFile[]): number => files.reduce((sum, { bytes }) => sum + bytes, 0);

/** The files of the options, the same at every PE. Collective. */
function filesFor(pe: PE, files: string | undefined): Promise<TextFile[]> {
  const docs = () => join(createRequire(import.meta.url).resolve("tundish/package.json"), "../docs");
  return pe.broadcastAsync(pe.rank === 0 ? filesOf(files?.split(",") ?? [docs()]) : []);
}

/** A file of random words, which every node writes. @param written gets its path where this PE has written it. Collective. */
async function randomFile(pe: PE, size: number, seed: number, written: string[]): Promise<TextFile> {
  const path = join(tmpdir(), await pe.broadcastAsync(`tundish-word-count-${randomUUID()}.txt`));
  if (pe.nodeRank === 0) written.push(path);
  const bytes = pe.nodeRank === 0 ? writeText(path, size, seed) : 0;
  return { path, bytes: await pe.allreduceAsync(bytes, "max") }; // after it all may read
}

function differs(found: Result, expected: Result): string | undefined {
  if (found.counts.size !== expected.counts.size)
    return `${found.counts.size} different words, not ${expected.counts.size}`;
  for (const [word, count] of expected.counts)
    if (found.counts.get(word) !== count) return `${word} comes ${found.counts.get(word)} times, not ${count}`;
  const place = found.top.findIndex(([word], i) => word !== expected.top[i][0]);
  return place < 0 ? undefined : `word ${place} of the top is ${found.top[place][0]}, not ${expected.top[place][0]}`;
}

/** A bar for each of the most frequent words. */
function draw(top: Top): string {
  if (top.length === 0) return svg(540, 40, "Word count: no words", [words(20, 25, "no words")]);
  const most = top[0][1];
  const bars = top.flatMap(([word, count], i) => {
    const [y, width] = [30 + 18 * i, (340 * count) / most];
    return [
      words(112, y + 11, word.length > 16 ? `${word.slice(0, 15)}…` : word, "end"),
      element("rect", { x: 120, y, width, height: 14, fill: COLOURS[0] }),
      words(126 + width, y + 11, `${count}`),
    ];
  });
  return svg(540, 40 + 18 * top.length, "Word count: how often the most frequent words come", bars);
}

const OPTIONS = {
  size: whole(0, 0, 1e9, "random words, or 0 for the words of files"),
  files: input("files, folders (their .md and .txt) or names with *, with commas between; default: docs of tundish"),
};

const program: Spmd = spmd(async (pe, args) => {
  const written: string[] = [];
  const make = async (told: Told<typeof OPTIONS>): Promise<Problem<Result, Top>> => {
    const { size, seed, files: given } = told;
    const files = size > 0 ? [await randomFile(pe, size, seed, written)] : await filesFor(pe, given);
    const data = containers(pe, KINDS);
    return {
      parallel: () => onAll(pe, files, data),
      serial: () => onOne(files),
      collect: async (top) => ({ counts: (await data.counts.gatherAsync(0)) ?? new Map(), top }),
      differs,
      spoil: ({ counts, top: [[word, count]] }) => void counts.set(word, count + 1),
      tell({ counts, top }) {
        let total = 0;
        for (const count of counts.values()) total += count;
        const more = { files: files.length, bytes: bytesOf(files), different: counts.size };
        return { size: total, ...more, top: top.map(([word, count]) => `${word} ${count}`) };
      },
      draw: ({ top }) => draw(top),
      free: async () => data.free(),
    };
  };
  try {
    return await example(pe, args, "word-count", OPTIONS, make);
  } finally {
    for (const path of written) rmSync(path, { force: true });
  }
});
export default program;

// every PE imports this file as well: only the main thread starts them, one on each core
if (isEntry(import.meta)) await print(launch(new URL(import.meta.url), { args: process.argv.slice(2) }));
