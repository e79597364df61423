/** The porter that keeps what is sent until it is its turn. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Porter } from "../../../src/links/transport/contract.ts";
import { DisciplinedPorter } from "../../../src/route/disciplines/disciplined-porter.ts";

/** Three links, with room always; the PE itself is at link 1. */
function porter() {
  const sent: number[][] = [];
  const inner = {
    links: 3,
    open: (link: number) => 1000 * link,
    send: (...args: number[]) => void sent.push(args),
    settled: () => true,
    handedOver: () => true,
  };
  return { sent, porter: new DisciplinedPorter(inner as unknown as Porter, 1) };
}

const test = suite("porters under a discipline");

test("a link with a kept buffer is full", () => {
  const { sent, porter: one } = porter();
  one.send(2, 2000, 64, 5, 4, 77);
  assert.equal([one.open(2), one.open(0), one.kept, sent.length], [-1, 0, 1, 0]);
  one.sendKept(2);
  assert.equal([one.open(2), one.kept], [2000, 0]);
  assert.equal(sent, [[2, 2000, 64, 5, 4, 77]]);
});

test("what is kept is not read yet, and not handed over", () => {
  const { porter: one } = porter();
  assert.equal([one.settled(), one.handedOver()], [true, true]);
  one.send(0, 0, 0, 1, 0);
  assert.equal([one.settled(), one.handedOver()], [false, false]);
  one.sendKept(0);
  assert.equal([one.settled(), one.handedOver()], [true, true]);
});

test("the one that was kept first", () => {
  const { porter: one } = porter();
  assert.is(one.oldest, -1);
  one.send(2, 2000, 1, 1, 1);
  one.send(0, 0, 1, 1, 1);
  assert.is(one.oldest, 2);
  one.sendKept(2);
  one.send(2, 2000, 1, 1, 1);
  assert.is(one.oldest, 0);
});

test("what a PE sends to itself is sent", () => {
  const { sent, porter: one } = porter();
  one.send(1, 1000, 8, 2, 2);
  assert.equal([one.kept, one.open(1), sent], [0, 1000, [[1, 1000, 8, 2, 2, 0]]]);
});

test.run();
