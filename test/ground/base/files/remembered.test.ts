/** Results that are kept between runs: what another process finds, and what is not believed. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { keep, recall } from "../../../../src/ground/base/files/remembered.ts";

const test = suite("remembered");
const folder = mkdtempSync(join(tmpdir(), "tundish-remembered-"));
process.env.TUNDISH_CACHE = folder;
test.after(() => rmSync(folder, { recursive: true, force: true }));

/** This process forgets what it holds itself: it holds the last few. */
function forget(): void {
  for (let i = 0; i < 16; i++) keep("other", `${i}`, i);
  for (let i = 0; i < 16; i++) keep(`other-${i}`, "", i);
}

test("a process finds what it and others have kept under the key, and nothing else", () => {
  const value = { list: [1, 2, 3], text: "line\nline" };
  keep("one", "key", value);
  assert.is(recall("one", "key"), value, "held");
  assert.is(recall("one", "another key"), undefined);
  assert.is(recall("two", "key"), undefined);
  forget();
  assert.equal(recall("one", "key"), value, "read");
  assert.is(recall("one", "another key"), undefined);
  keep("one", "another key", 7);
  assert.is(recall("one", "key"), undefined, "in its place");
  forget();
  assert.is(recall("one", "another key"), 7);
});

test("a file that was changed, cut off, or cannot be read is none", () => {
  const file = join(folder, "frail.json");
  keep("frail", "key", { pes: 16 });
  const text = readFileSync(file, "utf8");
  const forms = [text.replace("16", "17"), text.slice(0, -1), "", "\n", "{}", "null\nnull", "\0".repeat(64)];
  for (const form of forms) {
    writeFileSync(file, form);
    forget();
    assert.is(recall("frail", "key"), undefined, form);
  }
  writeFileSync(file, text);
  assert.equal(recall("frail", "key"), { pes: 16 });
});

test("without a folder, or where none can be written, this process still holds its own", () => {
  for (const place of ["off", join(folder, "frail.json/below"), "/proc/none"]) {
    process.env.TUNDISH_CACHE = place;
    keep("held", place, 1);
    assert.is(recall("held", place), 1);
    forget();
    assert.is(recall("held", place), undefined);
  }
  process.env.TUNDISH_CACHE = folder;
  assert.is(readdirSync(folder).filter((name) => name.endsWith(".tmp")).length, 0);
  chmodSync(folder, 0o700);
});

test.run();
