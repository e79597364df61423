/** Times sessions: warm up, count the items out, measure. */
import { monotonic } from "../../src/ground/base/event-loop/timers.ts";
import type { PE } from "../../src/index.ts";
import { distanceProbe, type ProbeWords } from "../turns/distance.ts";
import { type Sessions, type SessionVolume, type TimedSessions, WARM_ITEMS } from "./job.ts";

/** A session has no fewer. */
const LEAST_ITEMS = 1000;

/** The time of a session in ns, by this PE's clock. It is checked afterwards. */
export function timeOf(pe: PE, { session, check }: Sessions, items: number): number {
  pe.barrier();
  const start = monotonic();
  session(items);
  // other PEs may still be at work, as in the C program (items.c)
  pe.barrier();
  const ns = (monotonic() - start) * 1e6;
  check();
  return ns;
}

/** Times several loops, a session of each in turn, so that all run in the same state of the machine. Collective. */
export function timeSessions(
  pe: PE,
  loops: readonly Sessions[],
  { sessions, sessionMs, warmMs, words }: SessionVolume & ProbeWords,
): TimedSessions[] {
  const distance = distanceProbe(pe, words);
  // rank 0's clock decides for all
  const begun = monotonic();
  // as many over each link whatever the number of PEs: else no buffer is ever full, and the code that waits stays cold
  const short = warmMs > 0 ? Math.ceil((WARM_ITEMS * pe.size) / 2) : LEAST_ITEMS;
  do
    for (const one of loops) {
      one.session(short);
      one.check();
    }
  while (pe.broadcast(Number(monotonic() - begun < warmMs * loops.length), 0));
  const timed = loops.map((one) => ({
    one,
    items: itemsOf(pe, one, sessionMs * 1e6),
    samples: [] as number[],
    probes: [] as number[][],
  }));
  for (let i = 0; i < sessions; i++)
    for (const { one, items, samples, probes } of timed) {
      const before = distance?.();
      samples.push(timeOf(pe, one, items) / items);
      if (distance && before !== undefined) probes.push([before, distance()]);
    }
  return timed.map(({ items, samples, probes }) => ({ items, samples, ...(words && { probes }) }));
}

/** The number of items whose session takes `wanted` ns; afterwards all memory has been touched. */
function itemsOf(pe: PE, one: Sessions, wanted: number): number {
  const { most = Number.POSITIVE_INFINITY } = one;
  // the least excludes interrupts
  const quickest = (items: number): number => pe.broadcast(Math.min(timeOf(pe, one, items), timeOf(pe, one, items)), 0);
  for (let items = LEAST_ITEMS; ; items = Math.min(4 * items, most)) {
    const ns = quickest(items);
    if (ns < wanted / 8 && items < most) continue;
    const wantedItems = Math.min(most, Math.max(LEAST_ITEMS, Math.ceil((items * wanted) / ns)));
    timeOf(pe, one, wantedItems);
    return wantedItems;
  }
}
