/** Waits for the threads of a program. */

import type { Worker } from "node:worker_threads";
import { clearTimeout, setTimeout } from "../../src/ground/base/event-loop/timers.ts";

const DEADLINE_MS = 20_000;

/** The first message of each of `asked`; all threads are ended. @param longer ms beyond the usual limit */
export async function answersOf<Answer>(
  threads: readonly Worker[],
  asked: readonly Worker[] = threads,
  longer = 0,
): Promise<Answer[]> {
  let timer: NodeJS.Timeout | undefined;
  const limit = DEADLINE_MS + longer;
  const failed = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limit} ms`)), limit);
    for (const thread of threads) thread.once("error", reject);
  });
  const answers = asked.map((thread) => new Promise<Answer>((resolve) => thread.once("message", resolve)));
  try {
    return await Promise.race([Promise.all(answers), failed]);
  } finally {
    clearTimeout(timer);
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
}
