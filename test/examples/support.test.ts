/** What the examples have in common: options, times, input and pictures. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { curves } from "../../examples/support/curves.ts";
import { randomAt, share } from "../../examples/support/input.ts";
import { flag, listOf, oneOf, read, real, text, WrongOption, whole } from "../../examples/support/options.ts";
import { COLOURS, element, heat, svg, words } from "../../examples/support/svg.ts";
import { breakEven, duration, median, type Times } from "../../examples/support/times.ts";
import { faultIn } from "./support/well-formed.ts";

const test = suite("what examples have in common");
const size = whole(7, 1, 1e6);
const OPTIONS = {
  size,
  sizes: listOf(size),
  maxRate: real(0.5, 0, 1),
  by: oneOf("rows", "columns"),
  file: text("a file"),
  fast: flag,
};

test("options: defaults, and all that can be given", () => {
  for (const none of [undefined, []]) {
    const usual = { size: 7, sizes: [], maxRate: 0.5, by: "rows", file: undefined, fast: false };
    assert.equal(read(none, OPTIONS), usual);
  }
  const args = "--size 1e3 --sizes 1,20 --max-rate=0 --by columns --file a,b --fast".split(" ");
  const given = { size: 1000, sizes: [1, 20], maxRate: 0, by: "columns", file: "a,b", fast: true };
  assert.equal(read(args, OPTIONS), given);
});

test("options that are wrong: what was expected, and what came", () => {
  for (const [args, message] of [
    [["--size", "1.5"], "--size: expected a whole number from 1 to 1000000, got 1.5"],
    [["--size="], "--size: expected a whole number from 1 to 1000000, got "],
    [["--sizes", "2,,3"], "--sizes: expected a whole number from 1 to 1000000, got "],
    [["--max-rate", "x"], "--max-rate: expected a number from 0 to 1, got x"],
    [["--by", "row"], "--by: expected rows or columns, got row"],
    [["--bye"], "Unknown option '--bye'. Options: --size, --sizes, --max-rate, --by, --file, --fast"],
    [["--size", "-1"], "Option '--size' argument is ambiguous. Options: --size"],
    [{ size: 2 }, 'args: expected a list of words such as ["--size", "1000"], got {"size":2}'],
  ] as const) {
    try {
      read(args, OPTIONS);
      assert.unreachable();
    } catch (error) {
      assert.instance(error, WrongOption);
      assert.ok((error as Error).message.startsWith(message), (error as Error).message);
    }
  }
});

const row = (of: number, speedup: number | null): Times => ({
  size: of,
  seconds: 1,
  serialSeconds: speedup ?? 0,
  speedup,
});

test("the break-even is the least size from which on no larger one is slower", () => {
  assert.is(breakEven([row(1, 0.5), row(10, 1.2), row(100, 1.9)]), 10);
  assert.is(breakEven([row(100, 1.9), row(1, 1.5), row(10, 0.9)]), 100);
  assert.is(breakEven([row(1, 2), row(10, 0.9)]), null);
  assert.is(breakEven([row(1, 1.1)]), 1);
  assert.is(breakEven([row(1, null)]), null);
});

test("median and units", () => {
  assert.is(median([3, 1, 2]), 2);
  assert.is(median([4, 1, 2, 3]), 2.5);
  assert.equal([2, 0.0123, 4.56e-5].map(duration), ["2.00 s", "12.3 ms", "45.6 us"]);
});

test("blocks: each element has one PE, and blocks differ by one at most", () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.integer({ min: 1, max: 40 }), (n, pes) => {
      const blocks = Array.from({ length: pes }, (_, rank) => share(n, rank, pes));
      assert.is(blocks[0]?.[0], 0);
      assert.is(blocks.at(-1)?.[1], n);
      blocks.forEach(([first, end], rank) => {
        if (rank > 0) assert.is(first, blocks[rank - 1]?.[1]);
        assert.ok(Math.abs(end - first - n / pes) < 1);
      });
    }),
  );
});

test("random numbers are spread over 0 to 1, and depend on seed and index only", () => {
  const drawn = Array.from({ length: 10_000 }, (_, i) => randomAt(3, i));
  assert.ok(drawn.every((x) => x >= 0 && x < 1));
  assert.ok(Math.abs(drawn.reduce((sum, x) => sum + x) / drawn.length - 0.5) < 0.01);
  assert.is(new Set(drawn).size, drawn.length);
  assert.is(randomAt(3, 77), drawn[77]);
  assert.is.not(randomAt(4, 77), drawn[77]);
});

test("pictures are well formed, whatever the words and the times", () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.array(fc.tuple(fc.integer({ min: 1, max: 1e7 }), fc.nat(3)), { minLength: 1 }),
      (name, all) => {
        const times = all.map(([of, speedup]) => row(of, speedup === 0 ? null : speedup));
        for (const picture of [curves(name, 2, times), svg(9, 9, name, [words(1, 2, name)])]) {
          assert.is(faultIn(picture), undefined);
          assert.not.match(picture.replaceAll(/<title>.*?<\/title>/gs, ""), /NaN|Infinity/);
        }
      },
    ),
  );
  assert.match(curves("x", 2, [{ ...row(1, 2), gflops: 2, serialGflops: 1 }]), />GFLOP\/s, logarithmic</);
  assert.throws(() => element("rect", { x: Number.NaN }), /rect x: expected a finite number, got NaN/);
  assert.is(faultIn("<a><b></a>"), "</a> ends no <a>");
  assert.match(String(faultIn("<a>1 < 2</a>")), /^no tag/);
});

test("colours: from blue over white to red, and eight that differ", () => {
  assert.equal([-1, 0, 0.5, 1, 2].map(heat), ["#2166ac", "#2166ac", "#f7f7dc", "#b2182b", "#b2182b"]);
  assert.is(new Set(COLOURS).size, 8);
});

test.run();
