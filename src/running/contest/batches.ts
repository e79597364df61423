/**
 * Times operations that all PEs do together, in batches long enough that the clock's resolution and interrupts do not
 * matter. All PEs do the same number, by the clock of the PE that wants the samples.
 */
/** Those that do them: a PE, or what has as much of one. */
export interface TimedCalls {
  barrier(): void;
  broadcast(x: number, root: number): number;
  /** The time, ns. */
  readonly now: number;
}

/** Does an operation `count` times, in a loop of its own, so that V8 sees one callee in it. */
export type Operations = (count: number) => void;

/** The amount of measurement. */
export interface BatchVolume {
  readonly batches: number;
  /** Target time of one batch, ms. */
  readonly batchMs: number;
  /** Time for which each operation runs before its batches are sized: V8 compiles meanwhile. @default 0 */
  readonly warmMs?: number;
}

/** The batches of one operation. */
export interface Samples {
  readonly what: string;
  /** Operations per batch. */
  readonly batch: number;
  /** ns per operation, of each batch. */
  readonly samples: number[];
  /** The results of `probe` before and after each batch. */
  readonly probes?: readonly (readonly number[])[];
}

/**
 * Times several operations, a batch of each in turn, so that all run in the same state of the machine. All PEs call it
 * with the same operations; the first batch of each is discarded.
 * @param least batches are a multiple of it: two for operations that alternate
 * @param probe called by all PEs before and after each batch
 */
export function timeBatches(
  pe: TimedCalls,
  operations: readonly (readonly [what: string, Operations])[],
  { batches, batchMs, warmMs = 0 }: BatchVolume,
  least = 2,
  probe: (() => number) | null = null,
): Samples[] {
  const timed = operations.map(([what, run]) => {
    const batch = batchOf(pe, run, batchMs * 1e6, warmMs, least);
    return { what, run, batch, samples: [] as number[], probes: [] as number[][] };
  });
  for (let b = 0; b <= batches; b++) {
    for (const { run, batch, samples, probes } of timed) {
      const before = probe?.() ?? 0;
      const ns = time(pe, run, batch) / batch;
      if (b === 0) continue;
      samples.push(ns);
      if (probe) probes.push([before, probe()]);
    }
  }
  return timed.map(({ what, batch, samples, probes }) => ({
    what,
    batch,
    samples,
    ...(probe && { probes }),
  }));
}

function time(pe: TimedCalls, run: Operations, count: number): number {
  pe.barrier();
  const start = pe.now;
  run(count);
  return pe.now - start;
}

/** The number of operations that take `wanted` ns: a multiple of `least`. */
function batchOf(pe: TimedCalls, run: Operations, wanted: number, warmMs: number, least: number): number {
  // all PEs must do the same number, so rank 0's clock decides; the minimum excludes interrupts
  const quickest = (count: number): number =>
    pe.broadcast(Math.min(time(pe, run, count), time(pe, run, count), time(pe, run, count)), 0);
  const scaled = (count: number, ns: number): number => least * Math.ceil((count * wanted) / ns / least);
  for (let count = least; ; count *= 2) {
    const ns = quickest(count);
    if (ns < wanted / 4) continue;
    // measured again with the estimated number: by then V8 has compiled everything
    const batch = scaled(count, ns);
    const begun = pe.now;
    while (pe.broadcast(Number(pe.now - begun < warmMs * 1e6), 0)) time(pe, run, batch);
    if (warmMs > 0) return scaled(batch, quickest(batch));
    return batch > count ? scaled(batch, quickest(batch)) : batch;
  }
}
