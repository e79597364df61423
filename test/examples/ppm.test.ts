/** Images from files: what the reader of examples/image-histogram.ts takes, and what it says of other files. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Report } from "../../examples/support/example.ts";
import { headOf, readRows } from "../../examples/support/ppm.ts";
import { root } from "../support/paths.ts";
import { launchPooled } from "../support/thread-pool.ts";

const ppm = suite("images from files");
const folder = mkdtempSync(join(tmpdir(), "tundish-ppm-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

function write(name: string, head: string, pixels: readonly number[]): string {
  const file = join(folder, name);
  writeFileSync(file, Buffer.concat([Buffer.from(head), Buffer.from(pixels)]));
  return file;
}

const bytes = (length: number) => Array.from({ length }, (_, i) => (7 * i) % 256);

ppm("P6, with comments in its head: any rows", () => {
  const file = write("a.ppm", "P6\n# by hand\n4 3 # wide, high\n255\n", bytes(36));
  const head = headOf(file);
  assert.equal([head.width, head.height, head.channels], [4, 3, 3]);
  const rows = new Uint8Array(24);
  readRows(file, head, 1, 3, rows);
  assert.equal([...rows], bytes(36).slice(12));
});

ppm("P5: each grey is red, green and blue", () => {
  const file = write("a.pgm", "P5 2 2 255\n", [10, 20, 30, 40]);
  const rows = new Uint8Array(12);
  readRows(file, headOf(file), 0, 2, rows);
  assert.equal([...rows], [10, 10, 10, 20, 20, 20, 30, 30, 30, 40, 40, 40]);
});

ppm("other formats, images that end early and files that are not there are wrong options", () => {
  for (const head of ["P3\n1 1\n255\n", "P6\n1 1\n65535\n", "P6\n0 1\n255\n", "\x89PNG", ""])
    assert.throws(() => headOf(write("other", head, [1, 2, 3])), /^--file: expected a PPM or PGM image/);
  const short = write("short.ppm", "P6 2 2 255\n", bytes(11));
  assert.throws(() => readRows(short, headOf(short), 0, 2, new Uint8Array(12)), /expected 2 rows of 2 pixels/);
  assert.throws(() => headOf(join(folder, "none")), /expected a file that can be read, got ENOENT/);
});

ppm("the example reads one, each PE its rows, and takes no sizes beside it", async () => {
  const file = write("b.ppm", "P6 4 3 255\n", bytes(36));
  const module = pathToFileURL(join(root, "dist/examples/image-histogram.js"));
  const args = ["--turns", "1", "--warm", "0", "--file", file];
  const [report] = (await launchPooled(module, { pes: 2, args })) as Report[];
  assert.equal([report?.size, report?.image, report?.checked], [12, "4 x 3", true]);
  const error = (await launchPooled(module, { pes: 2, args: [...args, "--sizes", "1,2"] }).then(
    () => assert.unreachable(),
    (thrown) => thrown,
  )) as Error;
  assert.match((error.cause as Error).message, /^--file: expected no --sizes beside it/);
});
ppm.run();
