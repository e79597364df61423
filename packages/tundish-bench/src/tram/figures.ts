/**
 * The figures of chapter 5 of TRAM's thesis in the simulator, and what its text says of threshold, cutoff and timeout:
 * which points, and their times.
 *
 * Limits: a pair sends few messages, {@link TramFigures.messages}, and not 10^5 or 10^6, which would take days to
 * simulate. As each batch of {@link WINDOW} is like any other, times for each message can be compared. LeanMD makes 5
 * steps, not 100.
 */
import type { Progress } from "../../../../microbench/pairs/profiled.ts";
import type { OpenTimes } from "../../../../src/machine/model/machine-model.ts";
import { ALPHA, ASSUMED, BUFFER_BYTES, MESSAGE_BYTES, THRESHOLD, TIMEOUT, type TramMachine, WINDOW } from "./model.ts";
import { CELL_BYTES, leanMD, runProgram } from "./programs.ts";
import { runTram, type TramCase, type TramRun } from "./run.ts";
import { runUpdates, UPDATE_BYTES } from "./updates.ts";

/** The curves: without aggregation, and grids of so many dimensions. */
export type TramCurve = "without" | "1D" | "2D" | "3D";

/** A figure: what it shows, and what its points differ in. */
export interface TramFigure {
  readonly machine: TramMachine;
  readonly title: string;
  /** The horizontal axis: a message's bytes, PEs, or the effective size of buffers. */
  readonly by: "bytes" | "PEs" | "buffer";
}

/** The number of a figure. */
export type FigureName = `5.${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12}`;

/** The figures of chapter 5. */
export const FIGURES: Readonly<Record<FigureName, TramFigure>> = {
  "5.1": { machine: "Summit", title: "Continuous stream of two PEs", by: "bytes" },
  "5.2": { machine: "Stampede2", title: "Continuous stream of two PEs", by: "bytes" },
  "5.3": { machine: "Summit", title: "Acknowledged stream of two PEs", by: "bytes" },
  "5.4": { machine: "Stampede2", title: "Acknowledged stream of two PEs", by: "bytes" },
  "5.5": { machine: "Summit", title: "Synthetic benchmark by PEs", by: "PEs" },
  "5.6": { machine: "Stampede2", title: "Synthetic benchmark by PEs", by: "PEs" },
  "5.7": { machine: "Summit", title: "Synthetic benchmark by size of buffers", by: "buffer" },
  "5.8": { machine: "Stampede2", title: "Synthetic benchmark by size of buffers", by: "buffer" },
  "5.9": { machine: "Summit", title: "RandomAccess by PEs", by: "PEs" },
  "5.10": { machine: "Stampede2", title: "RandomAccess by PEs", by: "PEs" },
  "5.11": { machine: "Summit", title: "RandomAccess by size of buffers", by: "buffer" },
  "5.12": { machine: "Summit", title: "LeanMD, 16 cells a PE", by: "PEs" },
};
/** A point: what it was run with, and what it came to. */
export interface TramPoint extends TramRun {
  readonly curve: TramCurve;
  readonly pes: number;
  readonly mesh: readonly number[] | null;
  /** Of a message. */
  readonly bytes: number;
  /** Bytes; 0 without aggregation. */
  readonly bufferBytes: number;
  readonly threshold: number;
  /** Null: 1 less the threshold. */
  readonly cutoff: number | null;
  /** ms */
  readonly timeout: number;
}

/** All points. */
export interface TramFigures {
  /** Messages of a pair of the synthetic benchmark. */
  readonly messages: number;
  readonly messageBytes: number;
  readonly window: number;
  /** ns */
  readonly alpha: number;
  readonly assumed: Readonly<Record<string, string>>;
  readonly drawn: Readonly<Record<FigureName, readonly TramPoint[]>>;
  readonly byThreshold: readonly TramPoint[];
  readonly byCutoff: readonly TramPoint[];
  readonly byTimeout: readonly TramPoint[];
  /** The acknowledged streams with the timeout of the other figures. */
  readonly patient: Readonly<Record<TramMachine, readonly TramPoint[]>>;
  /** RandomAccess with a table that is four times as large, on as many PEs as in figure 5.11. */
  readonly larger: Readonly<Record<TramMachine, readonly TramPoint[]>>;
  /** What shows why statements differ, on Summit: one cost or load is another. */
  readonly switched: {
    /** Figure 5.1 with messages that cost next to nothing. */
    readonly cheap: readonly TramPoint[];
    /** The synthetic benchmark on the most PEs with a tenth of the messages for an acknowledgement. */
    readonly narrow: readonly TramPoint[];
    /** RandomAccess on the most PEs with a sixteenth of the table. */
    readonly sparse: readonly TramPoint[];
  };
}

/** Options of a run. */
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
  /** Messages of each of two PEs, and their bytes. */
  readonly streamed: number;
  readonly bytes: readonly number[];
  /** Of figures 5.5 and 5.6; the last one is that of all others but the cutoffs. */
  readonly pes: readonly number[];
  /** Effective bytes of a buffer. */
  readonly effective: readonly number[];
  /** Effective bytes that several buffers make up. */
  readonly madeUp: readonly number[];
  readonly timeouts: readonly number[];
  /** Words of the table of RandomAccess, as a power of two; its PEs and effective buffers. */
  readonly log2: number;
  readonly accessing: readonly number[];
  readonly accessed: readonly number[];
  /** PEs of LeanMD, and steps. */
  readonly moving: readonly number[];
  readonly steps: number;
}

const SIZES: Sizes = {
  messages: 2 * WINDOW,
  streamed: 20 * WINDOW,
  bytes: [16, 50, 100, 200, 400, 700, 1000, 1400, 2000],
  pes: [2, 4, 8, 16, 32, 64],
  effective: [1024, 2048, 4096, 8192, 16_384, 32_768, 65_536],
  madeUp: [2048, 8192],
  timeouts: [0.01, 0.05, 0.2, 1],
  log2: 14,
  accessing: [2, 4, 8, 16, 32, 64],
  accessed: [128, 512, 2048, 8192, 32_768],
  moving: [4, 8, 16, 32, 64],
  steps: 5,
};
const QUICK: Sizes = {
  messages: WINDOW,
  streamed: 2 * WINDOW,
  bytes: [100, 1000, 1400],
  pes: [2, 4, 8],
  effective: [1024, 8192, 32_768],
  madeUp: [8192],
  timeouts: [0.05, 1],
  log2: 9,
  accessing: [4, 16],
  accessed: [128, 1024],
  moving: [4],
  steps: 0,
};
const CURVES: readonly TramCurve[] = ["without", "1D", "2D", "3D"];
/** The thesis has these in all figures but those of two PEs. */
const PLAIN: readonly TramCurve[] = ["without", "1D", "2D"];
const GRIDS: readonly TramCurve[] = ["1D", "2D"];
const OF_TWO: readonly TramCurve[] = ["without", "1D"];
const THRESHOLDS: readonly number[] = [0.25, 0.5, 0.9];
/** Fractions of {@link BUFFER_BYTES}; the first one is less than a message. */
const CUTOFFS: readonly number[] = [0.004, 0.01, 0.1, 0.25, 0.5];
/** Without aggregation 64 would take a minute. */
const CUTOFF_PES = 16;
/** ms of a message in the buffers of two PEs, which fill in a few us: that of the example in appendix B. */
const STREAM_TIMEOUT = 0.01;
/** The larger table has so many times the words, as a power of two. */
const LARGER = 2;
/** Of {@link TramFigures.switched}: ns of a message, messages of a window, and the smaller table as a power of two. */
const CHEAP = 20;
const NARROW = WINDOW / 10;
const SPARSER = 4;

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

/** What the points of a list have in common, or not; its grid is that of the curve. */
type Case = Omit<TramCase, "mesh" | "messages"> & { readonly messages?: number };
/** Runs a case on its grid. */
type Run = (of: TramCase) => TramRun | Promise<TramRun>;

/** Runs all points. */
export async function tramFigures(options: TramFiguresOptions = {}): Promise<TramFigures> {
  const { quick = false, alpha = ALPHA, open, onProgress, signal } = options;
  const sizes = quick ? QUICK : SIZES;
  const { messages, streamed, effective, madeUp, timeouts, log2, accessing, accessed, moving, steps } = sizes;
  const pes = sizes.pes.at(-1) as number;
  const most = accessing.at(-1) as number;
  let done = 0;
  const all =
    6 * accessing.length +
    2 * accessed.length +
    3 * moving.length +
    14 * sizes.bytes.length +
    7 * sizes.pes.length +
    2 * (2 * effective.length + 3 * madeUp.length + timeouts.length + CUTOFFS.length);
  const points = async (
    stage: string,
    curves: readonly TramCurve[],
    cases: readonly Case[],
    run: Run = runTram,
  ): Promise<TramPoint[]> => {
    const found: TramPoint[] = [];
    for (const one of cases) {
      for (const curve of curves) {
        onProgress?.({ stage: `${stage}: ${curve}, ${one.pes} PEs`, done: Math.min(1, done++ / all) });
        const point = await pointOf(curve, { messages, alpha, open, ...one }, run);
        if (point !== null) found.push(point);
        await new Promise(setImmediate); // Ctrl-C
        signal?.throwIfAborted();
      }
    }
    return found;
  };
  const figure = (name: FigureName, curves: readonly TramCurve[], cases: readonly Case[], run?: Run) =>
    points(
      `figure ${name}`,
      curves,
      cases.map((one) => ({ ...one, machine: FIGURES[name].machine })),
      run,
    );
  const twoPEs = (window: number, timeout: number): Case[] =>
    sizes.bytes.map((bytes) => ({ pes: 2, bytes, messages: streamed, window, timeout }));
  const byPEs = (numbers: readonly number[]): Case[] =>
    numbers.map((one) => (one === 2 ? { pes: one, timeout: STREAM_TIMEOUT } : { pes: one }));
  const byBuffer = (number: number, list: readonly number[]): Case[] =>
    list.map((bytes) => ({ pes: number, bufferBytes: bytes / THRESHOLD }));
  const small = (cases: readonly Case[]): Case[] => cases.map((one) => ({ ...one, bytes: UPDATE_BYTES }));
  const access: Run = (place) => runUpdates(place, log2);
  const accessMore: Run = (place) => runUpdates(place, log2 + LARGER);
  const moleculars: Run = (place) => runProgram(leanMD(place, steps));
  const both = async (run: (machine: TramMachine) => Promise<TramPoint[]>) => ({
    Summit: await run("Summit"),
    Stampede2: await run("Stampede2"),
  });
  return {
    ...{ messages, messageBytes: MESSAGE_BYTES, window: WINDOW, alpha, assumed: ASSUMED },
    drawn: {
      "5.1": await figure("5.1", OF_TWO, twoPEs(streamed, STREAM_TIMEOUT)),
      "5.2": await figure("5.2", OF_TWO, twoPEs(streamed, STREAM_TIMEOUT)),
      "5.3": await figure("5.3", OF_TWO, twoPEs(WINDOW, STREAM_TIMEOUT)),
      "5.4": await figure("5.4", OF_TWO, twoPEs(WINDOW, STREAM_TIMEOUT)),
      "5.5": await figure("5.5", CURVES, byPEs(sizes.pes)),
      "5.6": await figure("5.6", PLAIN, byPEs(sizes.pes)),
      "5.7": await figure("5.7", GRIDS, byBuffer(pes, effective)),
      "5.8": await figure("5.8", GRIDS, byBuffer(pes, effective)),
      "5.9": await figure("5.9", PLAIN, small(byPEs(accessing)), access),
      "5.10": await figure("5.10", PLAIN, small(byPEs(accessing)), access),
      "5.11": await figure("5.11", GRIDS, small(byBuffer(most, accessed)), access),
      "5.12": await figure(
        "5.12",
        PLAIN,
        byPEs(moving).map((one) => ({ ...one, bytes: CELL_BYTES })),
        moleculars,
      ),
    },
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
    patient: await both((machine) =>
      points(
        `timeout of ${machine}`,
        OF_TWO,
        twoPEs(WINDOW, TIMEOUT).map((one) => ({ ...one, machine })),
      ),
    ),
    switched: {
      cheap: await points(
        "cheap messages",
        OF_TWO,
        twoPEs(streamed, STREAM_TIMEOUT).map((one) => ({ ...one, alpha: CHEAP })),
      ),
      narrow: await points("small windows", GRIDS, [{ pes, window: NARROW, messages: 2 * NARROW }]),
      sparse: await points("small table", GRIDS, small([{ pes: most }]), (place) => runUpdates(place, log2 - SPARSER)),
    },
    larger: await both((machine) =>
      points(`larger table, ${machine}`, PLAIN, small([{ pes: most, machine }]), accessMore),
    ),
  };
}

/** Null if there is no such grid. */
async function pointOf(curve: TramCurve, one: Omit<TramCase, "mesh">, run: Run): Promise<TramPoint | null> {
  const mesh = curve === "without" ? null : gridOf(one.pes, Number(curve[0]));
  if (mesh === null && curve !== "without") return null;
  const {
    pes,
    bufferBytes = BUFFER_BYTES,
    threshold = THRESHOLD,
    cutoff,
    timeout = TIMEOUT,
    bytes = MESSAGE_BYTES,
  } = one;
  const set = { bufferBytes: mesh === null ? 0 : bufferBytes, threshold, cutoff: cutoff ?? null, timeout };
  return { curve, pes, mesh, bytes, ...set, ...(await run({ ...one, mesh })) };
}
