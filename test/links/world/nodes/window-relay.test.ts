/** The window over the heaps of all nodes: made once, when all nodes will make it, and only then. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MpiError } from "../../../../src/ground/base/errors.ts";
import { lost } from "../../../../src/links/world/nodes/epoch.ts";
import { WindowBoard } from "../../../../src/links/world/nodes/window-board.ts";
import { relayWindow } from "../../../../src/links/world/nodes/window-relay.ts";
import { Epochs } from "./support/epochs.ts";

const NODES = 3;
const HANDLE = 2 ** 47;

/** Nodes with a relay each, which count how often they make it. */
function nodes(make: (node: number) => number = (node) => HANDLE + node) {
  const epochs = new Epochs(NODES);
  const boards = epochs.all.map(() => new WindowBoard());
  const made = new Array<number>(NODES).fill(0);
  const relays = epochs.all.map((epoch, node) =>
    relayWindow(epoch, boards[node] as WindowBoard, () => {
      made[node]++;
      return make(node);
    }),
  );
  return { epochs, boards, made, relays };
}

/** The same board, as a PE sees it. */
const atPE = (board: WindowBoard): WindowBoard => new WindowBoard(board.memory);

const test = suite("the window of a world");

test("nobody makes it unless a PE wants it; then all do, once", () => {
  const { epochs, boards, made } = nodes();
  epochs.settle();
  assert.equal(made, [0, 0, 0]);
  const pe = atPE(boards[1]);
  assert.is(pe.isSettled, false);
  pe.want();
  pe.want();
  epochs.settle();
  assert.equal(made, [1, 1, 1]);
  for (const epoch of epochs.all) assert.equal(epoch.windowsMade, [true, true, true]);
  for (const [node, board] of boards.entries()) {
    assert.ok(atPE(board).isSettled);
    assert.is(atPE(board).handle, HANDLE + node);
  }
  // a PE of another node that wants it later has it
  atPE(boards[0]).want();
  epochs.settle();
  assert.equal(made, [1, 1, 1]);
  assert.is(atPE(boards[0]).handle, HANDLE);
});

test("a node does not make it before it has heard all others", () => {
  const { epochs, boards, made } = nodes();
  atPE(boards[0]).want();
  const [first, second] = epochs.all;
  for (const look of first.looks) look();
  epochs.deliver();
  for (const look of second.looks) look();
  // the third has heard of it and has not looked yet
  epochs.deliver();
  for (const look of first.looks) look();
  assert.equal(made, [0, 0, 0]);
  epochs.settle();
  assert.equal(made, [1, 1, 1]);
});

test("nobody makes it if the world ends before all have said that they will", () => {
  const { epochs, boards, made } = nodes();
  epochs.all[2].reportEnd(lost(5, "PE 5 is lost"));
  atPE(boards[0]).want();
  for (const look of epochs.all[0].looks) look();
  epochs.settle();
  assert.equal(made, [0, 0, 0]);
  assert.is(atPE(boards[0]).isSettled, false);
});

test("all make it if the world ends after all have said that they will", () => {
  const { epochs, boards, made } = nodes();
  atPE(boards[0]).want();
  for (const look of epochs.all[0].looks) look();
  epochs.deliver();
  for (const one of [1, 2]) for (const look of epochs.all[one].looks) look();
  epochs.all[1].reportEnd(lost(1, "PE 1 is lost"));
  epochs.settle();
  assert.equal(made, [1, 1, 1]);
});

test("a node whose library makes none says why, also at length", () => {
  const { epochs, boards } = nodes((node) => {
    if (node === 1) throw new MpiError(`MPI_Win_create: ${"§".repeat(2000)}`);
    return HANDLE;
  });
  atPE(boards[2]).want();
  epochs.settle();
  const [first, second] = boards.map(atPE);
  assert.is(first.handle, HANDLE);
  assert.ok(second.isSettled);
  assert.is(second.handle, null);
  assert.match(second.reason, /^MPI_Win_create: §+$/);
  // so nobody frees it, which all would have to do
  for (const epoch of epochs.all) assert.equal(epoch.windowsMade, [true, false, true]);
});

test("what else goes wrong is not taken for that", () => {
  const { epochs, boards } = nodes(() => {
    throw new TypeError("no number");
  });
  atPE(boards[0]).want();
  assert.throws(() => epochs.settle(), TypeError);
});

test("it is not made any more when the world has gone", () => {
  const { epochs, boards, made, relays } = nodes();
  for (const relay of relays) relay[Symbol.dispose]();
  atPE(boards[0]).want();
  epochs.settle();
  assert.equal(made, [0, 0, 0]);
});
test.run();
