/**
 * Joint conditions on the numbers of a plan: a plan whose parts do not add up was not made by a planner, and one that
 * asks for millions of turns would run for as long as nobody wants.
 */
import { UsageError } from "../../ground/base/errors.ts";
import { durationText } from "../../ground/base/units.ts";
import type { MeasuredChoice, MeasuredConveyor, PlannedExchange } from "./document.ts";

/** Sums of times in other orders. */
const NEAR = 1e-6;
/** Turns of a PE in a phase. */
const MOST_TURNS = 2 ** 26;
/** A pace makes a phase no longer than so many times the predicted time, or these ns where that is less. */
const MOST_TIMES = 1000;
const SOON = 10e9;
/** The longest phase where nothing was predicted, ns: a day. */
const MOST_TIME = 86_400e9;

/** The time is that of the work or of the network, whichever is longer, and what waits beside it. @throws UsageError */
export function checkPrediction({
  time,
  work,
  network,
  waiting,
}: Readonly<Record<"time" | "work" | "network" | "waiting", number>>): void {
  const sum = Math.max(work, network) + waiting;
  const isLess = time < sum * (1 - NEAR) && waiting > 0;
  if (!isLess && time <= sum * (1 + NEAR)) return;
  throw new UsageError(
    `time: expected ${sum}, the longer of work (${work}) and network (${network}) with waiting (${waiting}), got ${time}`,
  );
}

/** @throws UsageError */
export function checkMeasured({ others, ...measured }: MeasuredConveyor): void {
  checkQuartiles("", measured);
  for (const [i, other] of others.entries()) checkQuartiles(`others.${i}.`, other);
}

function checkQuartiles(before: string, { time, low, high }: Omit<MeasuredChoice, "choice">): void {
  if (low > time) throw new UsageError(`${before}low: expected at most ${time}, the median, got ${low}`);
  if (high < time) throw new UsageError(`${before}high: expected at least ${time}, the median, got ${high}`);
}

/** @throws UsageError */
export function checkExchangeTimes({ workload, choice, expected }: PlannedExchange): void {
  for (const name of ["chunkBytes", "packetBytes"] as const) {
    const least = Math.ceil(workload.bytes / MOST_TURNS);
    const bytes = choice[name] ?? least;
    if (bytes >= least) continue;
    const what = `for no more than ${MOST_TURNS} pieces of the ${workload.bytes} bytes of its workload`;
    throw new UsageError(`choice.${name}: expected at least ${least}, ${what}, got ${bytes}`);
  }
  const longest = expected === undefined ? MOST_TIME : Math.max(SOON, MOST_TIMES * expected.time);
  const least = Math.ceil(workload.bytes / (longest / 1e9));
  if (choice.pace !== undefined && choice.pace < least) {
    const what = `for a phase of at most ${durationText(longest)} with the ${workload.bytes} bytes of its workload`;
    throw new UsageError(`choice.pace: expected at least ${least}, ${what}, got ${choice.pace}`);
  }
  if (expected === undefined) return;
  const { time, network, crowd, rounds } = expected;
  const sum = network + crowd + rounds;
  if (time >= sum * (1 - NEAR)) return;
  const parts = `network (${network}), crowd (${crowd}) and rounds (${rounds})`;
  throw new UsageError(`expected.time: expected at least ${sum}, the sum of ${parts}, got ${time}`);
}
