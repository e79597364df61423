/** A loop from its call to its end: blocking, and not. */
import { UsageError } from "../../ground/base/errors.ts";
import { awaitOn, blockOn, type Task } from "../../ground/wait/task.ts";
import type { Group } from "../../pe/group.ts";
import type { Seat } from "../../pe/seat.ts";
import { seatOf } from "../../pe/seat-of.ts";
import type { LoopJob } from "./job.ts";
import { checkOutside, closing, type Loop, loopOf } from "./loop.ts";
import { termsOf, wordOf } from "./terms.ts";
import { takeUnended } from "./unended.ts";

/** The seat for a call. @throws UsageError in the body of a loop */
export function loopSeat(pe: Group, call: string): Seat {
  checkOutside(call);
  return seatOf(pe, call);
}

/** The loops of a group, for a call. @throws as {@link loopSeat} */
export const loopAt = (pe: Group, call: string): Loop => loopOf(loopSeat(pe, call));

/** Runs a loop; the thread blocks. @throws what has stopped it, at all PEs alike */
export function runNow<T>(loop: Loop, job: LoopJob<T>): T | undefined {
  const { area } = loop;
  const { seat } = area;
  const { collectives } = seat;
  collectives.checkBlocking(job.call);
  enter(loop, job);
  try {
    const unended = takeUnended(area);
    if (unended !== null) {
      area.barrier.now();
      blockOn(seat, closing(area, unended.slot, unended.error));
    }
    const word = wordOf(job);
    const root = termsOf(job);
    collectives.team.enter(word, job.count, root);
    collectives.team.note(word, job.count, root);
    loop.begin(job);
    try {
      loop.runNow();
      if (job.ending === null) return loop.leave();
      loop.waitNow();
      job.ending.now();
      if (!loop.isClean) blockOn(seat, loop.closing());
      return job.ending.result();
    } finally {
      loop.end();
    }
  } finally {
    area.call = "";
  }
}

/** Runs a loop without blocking: between chunks others have turns. @throws as runNow */
export async function runLater<T>(loop: Loop, job: LoopJob<T>): Promise<T | undefined> {
  const { area } = loop;
  const { seat } = area;
  enter(loop, job);
  try {
    await awaitOn(seat, beginning(loop, job));
    try {
      await awaitOn(seat, loop.running(true));
      if (job.ending === null) return loop.leave();
      await loop.waitLater();
      await awaitOn(seat, job.ending.later());
      await awaitOn(seat, loop.closing());
      return job.ending.result();
    } finally {
      loop.end();
    }
  } finally {
    area.call = "";
  }
}

function* beginning(loop: Loop, job: LoopJob<unknown>): Task<void> {
  const { area } = loop;
  const unended = takeUnended(area);
  const { collectives } = area.seat;
  if (unended !== null) {
    yield* area.barrier.later();
    yield* closing(area, unended.slot, unended.error);
  }
  const silent = { word: wordOf(job), count: job.count, root: termsOf(job), *begin() {}, finish() {} };
  yield* collectives.task<void>(silent);
  loop.begin(job);
}

function enter({ area }: Loop, { call }: LoopJob<unknown>): void {
  if (area.call !== "") {
    throw new UsageError(
      `${call}: expected one loop of a group at a time, got one during ${area.call}: await that before.`,
    );
  }
  area.call = call;
}
