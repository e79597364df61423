/** Plays random programs at one PE. */
import type { Group, PE } from "../../../src/index.ts";
import { mix } from "../../facilities/conveyor/support/payloads.ts";
import { collective } from "./collectives.ts";
import { append, channels, messenger, ordered } from "./messages.ts";
import type { Play } from "./seat.ts";
import { type Kind, type Program, type Step, Traffic } from "./steps.ts";
import { biconveyor, calls, containers, conveyor, elastic, exchange, selector } from "./streams.ts";

const PLAYS: Readonly<Record<Kind, Play>> = {
  ...{ collective, exchange, conveyor, elastic, biconveyor, selector, calls },
  ...{ messenger, channels, append, ordered, containers },
};

/** How PEs wait in all steps, in place of what the program says: virtual PEs can only await. */
export type Forced = "awaits" | null;

/** @param told gets the number of each step when it begins, and when it is completed */
export async function play(
  pe: PE,
  program: Program,
  forced: Forced = null,
  told: (at: number, isOver: boolean) => void = () => {},
): Promise<void> {
  const { seed, steps } = program;
  const groups = new Map<string, Group>();
  const objects = new Map<number, { free(): void }>();
  const open: { at: number; until: number; complete: () => Promise<void> }[] = [];
  const named = async <T>(at: number, body: () => Promise<T>): Promise<T> => {
    try {
      return await body();
    } catch (error) {
      const { kind } = steps[at] as Step;
      if (error instanceof Error) error.message = `PE ${pe.rank}, step ${at} (${kind}): ${error.message}`;
      throw error;
    }
  };
  for (const [at, step] of steps.entries()) {
    const { members, waits, most, object, kind } = step;
    const isIn = members?.includes(pe.rank) ?? true;
    if (isIn) {
      told(at, false);
      const awaits =
        forced === "awaits" || waits === "awaits" || (waits === "mixed" && mix(seed, at, pe.rank) % 2 === 0);
      await dawdle(pe, mix(seed, at, pe.rank, 8), forced);
      const complete = await named(at, () => {
        const key = members?.join() ?? "";
        if (members !== null && !groups.has(key)) groups.set(key, pe.group(members));
        return PLAYS[kind]({
          group: groups.get(key) ?? pe,
          step,
          traffic: new Traffic(seed, at, most),
          awaits,
          async object<T extends { free(): void }>(make: () => T | Promise<T>): Promise<T> {
            if (!objects.has(object)) objects.set(object, await make());
            return objects.get(object) as T;
          },
        });
      });
      if (complete !== undefined) open.push({ at, until: step.until, complete });
    }
    for (const one of open.filter(({ until }) => until === at)) {
      await named(one.at, one.complete);
      told(one.at, true);
      open.splice(open.indexOf(one), 1);
    }
  }
  // all have taken what was for them
  await pe.barrierAsync();
  for (const one of objects.values()) one.free();
  for (const group of groups.values()) group.leave();
}

const NOWHERE = new Int32Array(new SharedArrayBuffer(4));

/** PEs are not equally fast: one computes, one sleeps, one has something else to do. */
async function dawdle(pe: PE, random: number, forced: Forced): Promise<void> {
  const us = (random >>> 3) % 300;
  if (forced === "awaits") pe.work(1000 * us);
  else if (random % 8 === 0) Atomics.wait(NOWHERE, 0, 0, 1 + (us % 3));
  else if (random % 8 === 1) await new Promise((resolve) => setTimeout(resolve, us % 3));
  else if (random % 8 < 4) for (const end = performance.now() + us / 1000; performance.now() < end; );
}
