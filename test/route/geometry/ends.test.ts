/** Which conveyors' sessions begin with a vote, and which hops end with one. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { beginsByVote, endOf } from "../../../src/route/geometry/ends.ts";

const ends = suite("ends of hops");

ends("few links send last messages, many vote", () => {
  const kinds = [2, 16, 17, 1000].map((links) => endOf(links, 0));
  assert.equal(kinds, ["last messages", "last messages", "vote", "vote"]);
  assert.equal(
    [1, 4, 5].map((remote) => endOf(8, remote)),
    ["last messages", "last messages", "vote"],
  );
});

ends(
  "a session begins with a vote where votes are cast anyway, and where oversized items share a heap with others' way",
  () => {
    assert.is(beginsByVote("tensor", ["last messages", "last messages"], false), false);
    assert.is(beginsByVote("trivial", ["last messages"], false), false);
    assert.is(beginsByVote("tensor", ["last messages", "vote"], false), true);
    assert.is(beginsByVote("simple", ["last messages"], false), true);
    assert.is(beginsByVote("tensor", ["last messages"], true), true);
  },
);

ends.run();
