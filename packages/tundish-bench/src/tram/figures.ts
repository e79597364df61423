/**
 * Figures 5.5 and 5.7 of TRAM's thesis in the simulator, and what its text says of threshold, cutoff and timeout: which
 * points, and their times.
 *
 * Limits: a pair sends few messages, {@link MESSAGES}, and not 10^5 or 10^6, which would take days to simulate. As each
 * batch of {@link WINDOW} is like any other, times for each message can be compared.
 */
import type { Progress } from "../../../../microbench/pairs/profiled.ts";
import type { OpenTimes } from "../../../../src/machine/model/machine-model.ts";
import { ALPHA, ASSUMED, BUFFER_BYTES, MESSAGE_BYTES, THRESHOLD, TIMEOUT, WINDOW } from "./model.ts";
import { runTram, type TramCase, type TramRun } from "./run.ts";

/** Messages of a pair. */
const MESSAGES = 2 * WINDOW;

/** The curves: without aggregation, and grids of so many dimensions. */
export type TramCurve = "without" | "1D" | "2D" | "3D";

/** A point: what it was run with, and what it came to. */
export interface TramPoint extends TramRun {
  readonly curve: TramCurve;
  readonly pes: number;
  readonly mesh: readonly number[] | null;
  /** Bytes; 0 without aggregation. */
  readonly bufferBytes: number;
  readonly threshold: number;
  /** Null: 1 less the threshold. */
  readonly cutoff: number | null;
  /** ms */
  readonly timeout: number;
}

/** All that is drawn. */
export interface TramFigures {
  readonly messages: number;
  readonly messageBytes: number;
  readonly window: number;
  /** ns */
  readonly alpha: number;
  readonly assumed: Readonly<Record<string, string>>;
  /** Figure 5.5. */
  readonly byPes: readonly TramPoint[];
  /** Figure 5.7. */
  readonly byBuffer: readonly TramPoint[];
  readonly byThreshold: readonly TramPoint[];
  readonly byCutoff: readonly TramPoint[];
  readonly byTimeout: readonly TramPoint[];
}

export interface TramFiguresOptions {
  readonly quick?: boolean | undefined;
  /** ns */
  readonly alpha?: number | undefined;
  /** What a push takes more by open buffers. @default nothing */
  readonly open?: OpenTimes | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The run program. */
interface Sizes {
  readonly messages: number;
  /** Of figure 5.5; the last one is that of all others but the cutoffs. */
  readonly pes: readonly number[];
  /** Effective bytes of a buffer. */
  readonly effective: readonly number[];
  /** Effective bytes that several buffers make up. */
  readonly madeUp: readonly number[];
  readonly timeouts: readonly number[];
}

const SIZES: Sizes = {
  messages: MESSAGES,
  pes: [2, 4, 8, 16, 32, 64],
  effective: [1024, 2048, 4096, 8192, 16_384, 32_768, 65_536],
  madeUp: [2048, 8192],
  timeouts: [0.01, 0.05, 0.2, 1],
};
const QUICK: Sizes = {
  messages: WINDOW,
  pes: [2, 8, 16],
  effective: [1024, 8192, 32_768],
  madeUp: [8192],
  timeouts: [0.05, 1],
};
const CURVES: readonly TramCurve[] = ["without", "1D", "2D", "3D"];
const GRIDS: readonly TramCurve[] = ["1D", "2D"];
const THRESHOLDS: readonly number[] = [0.25, 0.5, 0.9];
/** Fractions of {@link BUFFER_BYTES}; the first one is less than a message. */
const CUTOFFS: readonly number[] = [0.004, 0.01, 0.1, 0.25, 0.5];
/** Without aggregation 64 would take a minute. */
const CUTOFF_PES = 16;

/**
 * A grid that is as square as possible.
 * @param pes a power of two
 * @returns null if a dimension would have one PE
 */
export function gridOf(pes: number, dimensions: number): number[] | null {
  const bits = Math.log2(pes);
  if (bits < dimensions) return null;
  return Array.from({ length: dimensions }, (_, i) => 2 ** Math.floor((bits + i) / dimensions));
}

/** Runs all points. */
export async function tramFigures(options: TramFiguresOptions = {}): Promise<TramFigures> {
  const { quick = false, alpha = ALPHA, open, onProgress, signal } = options;
  const { messages, pes: numbers, effective, madeUp, timeouts } = quick ? QUICK : SIZES;
  const pes = numbers.at(-1) as number;
  let done = 0;
  const all = numbers.length * CURVES.length + 2 * (effective.length + timeouts.length + CUTOFFS.length);
  const points = async (
    stage: string,
    curves: readonly TramCurve[],
    cases: readonly Pick<TramCase, "pes" | "bufferBytes" | "threshold" | "cutoff" | "timeout">[],
  ): Promise<TramPoint[]> => {
    const found: TramPoint[] = [];
    for (const one of cases) {
      for (const curve of curves) {
        onProgress?.({ stage: `${stage}: ${curve}, ${one.pes} PEs`, done: Math.min(1, done++ / all) });
        const point = pointOf(curve, { ...one, messages, alpha, open });
        if (point !== null) found.push(point);
        await new Promise(setImmediate); // Ctrl-C
        signal?.throwIfAborted();
      }
    }
    return found;
  };
  return {
    messages,
    messageBytes: MESSAGE_BYTES,
    window: WINDOW,
    alpha,
    assumed: ASSUMED,
    byPes: await points(
      "figure 5.5",
      CURVES,
      numbers.map((one) => ({ pes: one })),
    ),
    byBuffer: await points(
      "figure 5.7",
      GRIDS,
      effective.map((bytes) => ({ pes, bufferBytes: bytes / THRESHOLD })),
    ),
    byThreshold: await points(
      "threshold",
      GRIDS,
      madeUp.flatMap((bytes) =>
        THRESHOLDS.map((threshold) => ({ pes, bufferBytes: Math.round(bytes / threshold), threshold })),
      ),
    ),
    byCutoff: await points(
      "cutoff",
      GRIDS,
      CUTOFFS.map((cutoff) => ({ pes: Math.min(pes, CUTOFF_PES), cutoff })),
    ),
    byTimeout: await points(
      "timeout",
      GRIDS,
      timeouts.map((timeout) => ({ pes, timeout })),
    ),
  };
}

/** Null if there is no such grid. */
function pointOf(curve: TramCurve, one: Omit<TramCase, "mesh">): TramPoint | null {
  const mesh = curve === "without" ? null : gridOf(one.pes, Number(curve[0]));
  if (mesh === null && curve !== "without") return null;
  const { pes, bufferBytes = BUFFER_BYTES, threshold = THRESHOLD, cutoff, timeout = TIMEOUT } = one;
  const set = { bufferBytes: mesh === null ? 0 : bufferBytes, threshold, cutoff: cutoff ?? null, timeout };
  return { curve, pes, mesh, ...set, ...runTram({ ...one, mesh }) };
}
