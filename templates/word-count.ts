// Word count of text files: each PE counts the words of some files; the counts are added up in a map over all PEs.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { isEntry, launch, spmd } from "tundish";
import { containers, countingMap, text } from "tundish/containers";

type Result = { top: (readonly [word: string, count: number])[]; total: number };

/** Every PE runs this function, with the same names of files and its own rank. */
export default spmd<string[], Result>((pe, files) => {
  const data = containers(pe, { counts: countingMap(text) });
  data.run(({ counts }) => {
    for (let i = pe.rank; i < files.length; i += pe.size) {
      for (const [word, count] of countWords(readFileSync(files[i], "utf8"))) counts.insert(word, count);
    }
  });
  return { top: data.counts.topK(10), total: data.counts.total() };
});

/** How often each word comes, in lower case. */
function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/\p{L}+/gu)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** The pages of this package, where no files are named. */
function pages(): string[] {
  const folder = join(createRequire(import.meta.url).resolve("tundish/package.json"), "../docs");
  return readdirSync(folder).flatMap((name) => (name.endsWith(".md") ? [join(folder, name)] : []));
}

// every PE imports this file as well: only the main thread starts them
if (isEntry(import.meta)) {
  const given = process.argv.slice(2);
  const files = given.length > 0 ? given : pages();
  const [{ top, total }] = await launch<Result>(new URL(import.meta.url), { args: files }); // one PE per core
  console.log(`${total} words of ${files.length} files`);
  for (const [word, count] of top) console.log(`${count} ${word}`);
}
