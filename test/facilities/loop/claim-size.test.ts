/** How many iterations a PE takes at once, by a clock of the test. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ClaimSize } from "../../../src/facilities/loop/chunks/claim-size.ts";

const test = suite("sizes of claims");

function begun(seat: ConstructorParameters<typeof ClaimSize>[0], chunk: number | undefined, block: number): ClaimSize {
  const size = new ClaimSize(seat);
  size.begin(chunk, block);
  return size;
}

/** The sizes of some claims whose iterations take so many ms each. */
function sizesOf(chunk: number | undefined, each: readonly number[], block = 0): { sizes: number[]; told: string } {
  let now = 0;
  const size = begun({ waits: { now: () => now } } as never, chunk, block);
  const sizes = [size.next(0)];
  for (const ms of each) {
    const last = sizes.at(-1) as number;
    now += ms * last;
    sizes.push(size.next(last));
  }
  return { sizes, told: size.told() };
}

test("short claims are followed by longer ones, until they take some us", () => {
  assert.equal(sizesOf(undefined, new Array(6).fill(0.001)).sizes, [1, 2, 4, 8, 8, 8, 8]);
});

test("a long one is followed by one of about 5 us, of one iteration at least", () => {
  assert.equal(sizesOf(undefined, [0.001, 0.001, 0.001, 0.01, 1]).sizes, [1, 2, 4, 8, 1, 1]);
  assert.equal(sizesOf(undefined, [...new Array(9).fill(1e-6), 1e-4]).sizes.slice(-2), [512, 50]);
});

test("another range begins with one iteration, whatever the last one came to", () => {
  let now = 0;
  const size = begun({ waits: { now: () => now } } as never, undefined, 0);
  for (let last = size.next(0); last < 512; last = size.next(last)) now += 1e-6 * last;
  assert.is(size.restart(), 1);
  // the time of the search is not that of a claim
  now += 0.001;
  assert.is(size.next(1), 2);
});

test("claims are whole chunks where the program asks for some", () => {
  const { sizes, told } = sizesOf(3, [0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.001]);
  assert.equal(sizes, [3, 6, 12, 24, 48, 96, 3]);
  assert.is(told, "chunks of 3, as asked for, 1 at once at last");
});

test("virtual PEs claim one chunk at a time, as their time stands still in bodies", () => {
  const size = begun({ waits: { now: () => 0 }, step: async () => {} } as never, 5, 0);
  assert.equal([size.next(0), size.next(5), size.next(5)], [5, 5, 5]);
});

test("auto takes a block at once that its first claims say is short", () => {
  const { sizes, told } = sizesOf(undefined, [0.001], 9);
  assert.ok((sizes[1] as number) > 9);
  assert.match(told, /the block takes about 9.0 us, so it is run at once/);
  assert.match(sizesOf(undefined, [0.001], 11).told, /the block takes about 11 us, so others may steal/);
});

test.run();
