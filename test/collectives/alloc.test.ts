/** pe.alloc and pe.free: symmetric, aligned, zeroed; refused everywhere when they are refused. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MismatchError } from "../../src/ground/base/errors.ts";
import { sibling } from "../../src/ground/base/package-file.ts";
import { launchPooled } from "../support/thread-pool.ts";
import type { Part } from "./programs/alloc.program.ts";

const program = sibling("./programs/alloc.program.js", import.meta.url);

function play<T>(pes: number, part: Part): Promise<T[]> {
  const heapBytes = 8 * 1024 * 1024;
  return launchPooled(program, { pes, args: part, heapBytes, waitTimeout: 20_000 });
}

const alloc = suite("arrays in the heap");
for (const pes of [1, 2, 4]) {
  alloc(`one block for all, as far apart for each PE, no two overlap, ${pes} PEs`, async () => {
    const all = await play<[number, number][]>(pes, "symmetric");
    const taken = all.flat().filter(([, bytes]) => bytes > 0);
    taken.sort((a, b) => a[0] - b[0]);
    for (let i = 1; i < taken.length; i++) assert.ok(taken[i - 1][0] + taken[i - 1][1] <= taken[i][0]);
    for (const [i, [offset, bytes]] of all[0].entries()) {
      const apart = Math.max(128, Math.ceil(bytes / 128) * 128);
      for (let pe = 1; pe < pes; pe++) {
        assert.equal(all[pe][i], [offset + pe * apart, bytes]);
      }
    }
  });

  alloc(`freed blocks are used again, zeroed, ${pes} PEs`, async () => void (await play(pes, "reuse")));
  alloc(`2000 calls at random, ${pes} PEs`, async () => void (await play(pes, "many")));

  alloc(`a full heap is told to all PEs, and the world goes on, ${pes} PEs`, async () => {
    for (const told of await play<string[]>(pes, "full")) {
      for (const error of told) assert.match(error, /^HeapError: .*bytes.* free, \d+ in the largest piece.*heapBytes/);
    }
  });

  alloc(`what cannot be given back is refused, ${pes} PEs`, async () => {
    for (const told of await play<string[]>(pes, "foreign")) {
      assert.is(told.length, 11);
      for (const error of told) assert.match(error, /^UsageError: .*[Ee]xpected a/);
    }
  });

  alloc(`what was given back is refused by every collective, ${pes} PEs`, async () => {
    for (const told of await play<string[]>(pes, "freed")) {
      assert.is(told.length, 32);
      for (const error of told) assert.match(error, /^UsageError: .* got one that was given back with free\(\)/);
    }
  });

  alloc(`wrong lengths and types are refused, ${pes} PEs`, async () => {
    for (const told of await play<string[]>(pes, "arguments")) {
      assert.is(told.length, 17);
      for (const error of told) assert.match(error, /^UsageError: alloc: expected .* got /);
    }
  });
}

for (const pes of [2, 4]) {
  alloc(`what could not be given back is as it was, ${pes} PEs`, async () => {
    for (const told of await play<string[]>(pes, "refused")) {
      assert.match(told.pop() as string, /^UsageError: .* got one that was given back with free\(\)/);
      for (const error of told) assert.match(error, /^UsageError: An Async collective .* still under way/);
    }
  });

  for (const [part, told] of [
    ["sizes", new RegExp(`^PE .*0.* called alloc of 128 bytes; PE ${pes - 1} called alloc of 136 bytes`)],
    ["lengths", new RegExp(`^PE .*0.* called alloc of 80 bytes; PE ${pes - 1} called alloc of 88 bytes`)],
    ["apart", /^PE 0 called free of the array at byte \d+; PE \d[\d, ]* called free of the array at byte \d+/],
  ] as [Part, RegExp][]) {
    alloc(`PEs that disagree are told so: ${part}, ${pes} PEs`, async () => {
      const error = await play(pes, part).then(
        () => assert.unreachable("the run ended well"),
        (error: unknown) => error,
      );
      assert.instance(error, MismatchError);
      assert.match((error as Error).message, told);
    });
  }
}
alloc.run();
