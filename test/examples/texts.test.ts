/** What word-count reads: no word and no character is cut, wherever the shares of PEs and the chunks of a stream end. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { share } from "../../examples/support/input.ts";
import { filesOf, type TextFile, textOf, wordsOf, writeText } from "../../examples/support/texts.ts";
import { rounds } from "../support/long.ts";

const folder = mkdtempSync(join(tmpdir(), "tundish-texts-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const test = suite("texts");

const bytesOf = (files: readonly TextFile[]): number => files.reduce((sum, { bytes }) => sum + bytes, 0);

async function wordsBetween(files: readonly TextFile[], first: number, end: number): Promise<string[]> {
  const words: string[] = [];
  for await (const text of textOf(files, first, end)) words.push(...wordsOf(text));
  return words;
}

/** Words and what is between them, in one to four bytes for each character. */
const pieces = fc.array(
  fc.constantFrom("a", "Tin", "  ", " ", "\n", "\r\n", "é", "Straße", "слово", "語", "—", "😀", "x2", "'", "\u2003"),
  { maxLength: 40 },
);

test("all shares together have the words of all files, in order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(pieces, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 9 }),
      async (parts, size) => {
        const files = parts.map((part, i) => {
          const path = join(folder, `${i}.txt`);
          writeFileSync(path, part.join(""));
          return { path, bytes: Buffer.byteLength(part.join("")) };
        });
        const found: string[] = [];
        for (let rank = 0; rank < size; rank++)
          found.push(...(await wordsBetween(files, ...share(bytesOf(files), rank, size))));
        const expected = parts.flatMap(
          (part) =>
            part
              .join("")
              .toLowerCase()
              .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [],
        );
        assert.equal(found, expected);
      },
    ),
    { numRuns: rounds(60, 2000), endOnFailure: true },
  );
});

test("texts longer than a chunk of a stream, and one without any white space", async () => {
  const path = join(folder, "long.txt");
  const line = "größer 語 ";
  writeFileSync(path, line.repeat(50_000));
  const files = filesOf([path]);
  const halves = await Promise.all([0, 1, 2].map((rank) => wordsBetween(files, ...share(bytesOf(files), rank, 3))));
  assert.is(halves.flat().length, 100_000);
  assert.ok(halves.flat().every((word, i) => word === (i % 2 === 0 ? "größer" : "語")));
  assert.ok(halves.every((words) => words.length > 30_000));

  writeFileSync(path, "é".repeat(400_000));
  const whole = filesOf([path]);
  assert.equal(
    (await wordsBetween(whole, 0, 1000)).map(({ length }) => length),
    [400_000],
  );
  assert.equal(await wordsBetween(whole, 1000, bytesOf(whole)), []);
});

test("files of a name, of a folder and of those below it, and of a pattern", () => {
  const root = join(folder, "tree");
  mkdirSync(join(root, "below"), { recursive: true });
  for (const name of ["b.md", "a.txt", "c.bin", "below/d.md"]) writeFileSync(join(root, name), "tin");
  const named = (...paths: string[]) =>
    filesOf(paths.map((path) => join(root, path))).map(({ path }) => basename(path));
  assert.equal(named("."), ["a.txt", "b.md", "d.md"]);
  assert.equal(named("c.bin", "below"), ["c.bin", "d.md"]);
  assert.equal(named("*.*"), ["a.txt", "b.md", "c.bin"]);
  assert.equal(named("*.md"), ["b.md"]);
  assert.throws(() => named("nothing"), /--files: expected files and folders, got ENOENT/);
  assert.throws(() => named("*.none"), /--files: expected files, or folders with files/);
});

test("a text of random words is the same for a seed, and has as many words as were asked for", async () => {
  const path = join(folder, "random.txt");
  const bytes = writeText(path, 2500, 7);
  const words = await wordsBetween([{ path, bytes }], 0, bytes);
  assert.is(words.length, 2500);
  writeText(path, 2500, 7);
  assert.equal(await wordsBetween([{ path, bytes }], 0, bytes), words);
  writeText(path, 2500, 8);
  assert.not.equal(await wordsBetween(filesOf([path]), 0, Infinity), words);
});
test.run();
