/**
 * What V8 counts of the heap that PEs share. While a world runs nothing, as V8 14 would collect garbage at once for 1 GiB;
 * when it has ended what it has touched, as V8 would keep the heaps of a program that launches again and again.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { TOUCHED_BYTES } from "./counted.program.ts";

const program = fileURLToPath(sibling("./counted.program.js", import.meta.url));
const run = (...args: readonly string[]): string => execFileSync(process.execPath, args, { encoding: "utf8" });
const test = suite("what V8 counts of a heap");

test("no thread collects garbage while a world starts", () => {
  const stdout = run("--trace-gc", program);
  assert.match(stdout, /"sums":\[1,1\]/);
  assert.match(stdout, /Scavenge/);
  assert.not.match(stdout, /Mark-Compact/);
});

test("the heap of a world that has ended", () => {
  const stdout = run(program, "touch");
  const { counted } = JSON.parse(stdout) as { readonly counted: number };
  assert.ok(counted >= TOUCHED_BYTES && counted < TOUCHED_BYTES + 40e6, `${counted}`);
});

test.run();
