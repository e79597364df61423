/** Diagnoses of many PEs: what holds for several is said once, and no text is longer than a screen. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { newHeap } from "../../../src/ground/memory/new-heap.ts";
import { waitAreaBytes } from "../../../src/ground/wait/layout.ts";
import { Termination } from "../../../src/ground/wait/termination.ts";
import { Wakers } from "../../../src/ground/wait/wakers.ts";
import { diagnose } from "../../../src/links/diagnose/diagnose.ts";
import { watch } from "../../../src/links/diagnose/watchdog.ts";
import * as at from "../../../src/links/status/layout.ts";
import { WORKING } from "../../../src/links/status/state.ts";
import { PEStatus } from "../../../src/links/status/status.ts";

const PES = 200;

/**
 * The status areas of a world whose PEs have begun a session so long ago, and advanced it no more, but for the first.
 */
function statuses(ago: (rank: number) => number) {
  const heap = newHeap(2 ** 22);
  const offset = heap.allocate(at.statusBytes(PES));
  const wait = heap.allocate(waitAreaBytes(PES));
  const wakers = new Wakers(heap.i32, wait, PES);
  const termination = new Termination(heap.i32, heap.u8, wait);
  for (let rank = 0; rank < PES; rank++) {
    const slot = new PEStatus(heap.i32, heap.u8, offset, rank).slot(7, "u32", { rank, size: PES, here: PES });
    slot.begin(1);
    slot.state(WORKING);
    const then = at.clock() - ago(rank);
    const word = at.slotAt(offset, rank, 0);
    for (const time of [at.STATE_SINCE, at.ADVANCED, at.MOVED, at.PULLED_AT]) heap.i32[word + time] = then;
  }
  return { heap, wakers, termination, offset, size: PES, first: 0 };
}

const test = suite("diagnoses of many PEs");

test("one sentence for all that stand still in the same way", () => {
  const { problems, text, pes } = diagnose(statuses((rank) => (rank === 0 ? 0 : rank < 100 ? 2000 : 3000)));
  assert.is(problems.length, 1);
  assert.match(
    problems[0] as string,
    /^Each of PE 1-199 breaks K3: it has not called advance of the conveyor of u32 for \d+\.\d to \d+\.\d s\. It is in its own code\.$/,
  );
  assert.is(text.split("\n").length, 2);
  assert.is(pes.length, PES);
});

test("a warning has one, too, and none again", async () => {
  const told: string[] = [];
  const listen = (warning: Error & { code?: string }) => {
    if (warning.code === "TUNDISH_STALL") told.push(warning.message);
  };
  process.on("warning", listen);
  const watching = watch(
    statuses((rank) => (rank === 0 ? 0 : 1e6)),
    40,
  );
  const interval = setInterval(() => {}, 10);
  while (told.length === 0) await new Promise(setImmediate);
  await new Promise((resolve) => setTimeout(resolve, 100));
  clearInterval(interval);
  watching[Symbol.dispose]();
  process.off("warning", listen);
  const lines = told.flatMap((one) => one.split("\n"));
  assert.match(lines[0] as string, /^Each of PE 1-199 breaks K3: /);
  // the first PE stands still, too, after a while
  for (const line of lines.slice(1)) assert.match(line, /^PE 0 /);
});

test.run();
