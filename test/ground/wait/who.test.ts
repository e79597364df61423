/** PEs in texts. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { amount, labelled, pesText, ranksOf, ranksText, runsOf, sentences } from "../../../src/ground/wait/who.ts";

const test = suite("PEs in texts");

test("runs of four ranks and more are shortened, in the order that is given", () => {
  assert.is(pesText([3]), "PE 3");
  assert.is(pesText([0, 1, 2]), "PE 0, 1, 2");
  assert.is(pesText([40, 3, 4, 5, 6, 1]), "PE 40, 3-6, 1");
  assert.is(pesText([2, 1, 0]), "PE 2, 1, 0");
});

test("of a long list its first parts are named, and the other ranks are counted", () => {
  const even = Array.from({ length: 100 }, (_, i) => 2 * i);
  assert.is(ranksText(even), "0, 2, 4, 6, 8, 10, 12, 14 and 92 more");
  assert.is(
    ranksText([...even.slice(0, 8), ...Array.from({ length: 20 }, (_, i) => 100 + i)]),
    `${even.slice(0, 8).join(", ")} and 20 more`,
  );
  assert.is(ranksText(Array.from({ length: 200 }, (_, i) => i)), "0-199");
});

test("runs are the ranks", () => {
  const ranks = [5, 6, 7, 9, 1, 2];
  assert.equal(runsOf(ranks), [
    [5, 7],
    [9, 9],
    [1, 2],
  ]);
  assert.equal(ranksOf(runsOf(ranks)), ranks);
  assert.equal(ranksOf(runsOf([])), []);
});

const says = (rank: number, s: string, more = "") => ({ rank, text: `waits for ${amount(s)} s${more}` });

test("what is said of several PEs is said once, with the range of its amounts", () => {
  const all = [says(2, "3.0"), says(0, "10.2"), says(1, "4.0", ", and more"), says(5, "9.9")];
  assert.equal(sentences(all, 8), ["Each of PE 0, 2, 5 waits for 3.0 to 10.2 s", "PE 1 waits for 4.0 s, and more"]);
  assert.equal(labelled(all.slice(0, 1), 8), ["PE 2: waits for 3.0 s"]);
  assert.equal(labelled([], 8), []);
});

test("there are so many sentences at most; the rest is counted", () => {
  const all = Array.from({ length: 200 }, (_, rank) => says(rank, "1.0", `, ${rank >> 1}`));
  const told = sentences(all, 3);
  assert.is(told.length, 4);
  assert.is(told[3], "And 97 more of the kind, about 194 PEs.");
});

test.run();
