/** The kernels on memories of every size and from several threads. */
import { Worker } from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Kernels, loadKernels } from "../../../src/ground/memory/kernels/kernels.ts";
import type { WasmMemory } from "../../../src/ground/memory/kernels/webassembly.ts";
import { testUnless } from "../../support/skip.ts";
import { equalBytes, PAGE, sharedMemory } from "./kernels-common.ts";
import { canonical, randomSource, reference, samples } from "./kernels-reference.ts";
import type { Work } from "./kernels-worker.ts";

const test = suite("memory/kernels memories and threads");

/** Reduces, copies and fills 100 f64 around `dst` and `src`, any addresses of that memory. */
function exercise({ copy, fill, reducer }: Kernels, buffer: WasmMemory["buffer"], dst: number, src: number): void {
  const random = randomSource(3);
  const [a, b] = [samples("f64", 100, random), samples("f64", 100, random)];
  const [there, other] = [new Uint8Array(buffer, dst, 800), new Uint8Array(buffer, src, 800)];
  there.set(a);
  other.set(b);
  reducer("sum", "f64")(dst, src, 100);
  equalBytes(canonical("f64", there), reference("sum", "f64", a, b), () => `sum at ${dst}, ${src}`);
  copy(dst, src, 800);
  equalBytes(there, b, () => `copy at ${dst}, ${src}`);
  fill(dst, 9, 800);
  equalBytes(there, new Uint8Array(800).fill(9), () => `fill at ${dst}`);
}

test("a memory of 16384 pages", () => {
  const large = sharedMemory(16384);
  exercise(loadKernels(large), large.buffer, 2 ** 30 - 801, 5);
});

const [huge, refusal] = (() => {
  try {
    return [sharedMemory(65536), null];
  } catch (error) {
    return [null, `no address space for a memory of 4 GiB (${(error as Error).message})`];
  }
})();

testUnless(test, refusal, "addresses above 2 GiB, up to the end of 4 GiB", () => {
  const { buffer } = huge as WasmMemory;
  const all = loadKernels(huge as WasmMemory);
  exercise(all, buffer, 2 ** 31 - 401, 3 * 2 ** 30 + 1);
  exercise(all, buffer, 2 ** 32 - 800, 2 ** 31 + 3);
  exercise(all, buffer, 11, 2 ** 32 - 800);

  // the same addresses as signed 32-bit integers
  const [dst, src] = [2 ** 32 - 4, 2 ** 31];
  new Int32Array(buffer, dst, 1)[0] = 40;
  new Int32Array(buffer, src, 1)[0] = 2;
  all.reducer("sum", "i32")(dst | 0, src | 0, 1);
  assert.is(new Int32Array(buffer, dst, 1)[0], 42);
});

test("a memory that grows", () => {
  const growing = sharedMemory(1);
  const all = loadKernels(growing);
  (growing as unknown as { grow(pages: number): number }).grow(3);
  exercise(all, growing.buffer, 4 * PAGE - 800, PAGE - 100);
});

test("two threads on neighbouring bytes of one memory", async () => {
  // parts of odd length: a kernel that wrote behind its range would undo the neighbour's additions
  const [bytes, rounds, ones, gate] = [1001, 1_000_000, 8192, 16384];
  const both = sharedMemory(1);
  const view = new Uint8Array(both.buffer);
  view.fill(1, ones, ones + bytes);
  await Promise.all([0, 1].map((part) => thread({ memory: both, dst: 1 + part * bytes, ones, bytes, rounds, gate })));
  const expected = new Uint8Array(2 * bytes + 2).fill(rounds % 256, 1, 1 + 2 * bytes);
  equalBytes(view.subarray(0, expected.length), expected, () => "both parts");
});

/** Runs kernels-worker. From source, the thread needs the loader of TypeScript registered first. */
function thread(work: Work): Promise<void> {
  const source = import.meta.url.endsWith(".ts");
  const file = new URL(`./kernels-worker${source ? ".ts" : ".js"}`, import.meta.url).href;
  const api = import.meta.resolve("tsx/esm/api");
  const register = source ? `(await import("${api}")).register();` : "";
  const worker = new Worker(`(async () => { ${register} await import("${file}"); })();`, {
    eval: true,
    workerData: work,
  });
  return new Promise((resolve, reject) => {
    worker.on("error", reject);
    worker.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`thread ended with ${code}`))));
  });
}

test.run();
