/** Programs and rates that the option `adapt` is judged by, and the fixed sizes of buffers beside it. */
import { sibling } from "../../../../src/ground/base/package-file.ts";

/** Programs of apps/. */
export type AdaptedApp = "stream" | "synthetic" | "random-access";

/** One program at one rate. */
export interface AdaptCase {
  readonly app: AdaptedApp;
  /** Time for which a PE computes before each message, ns. */
  readonly gap: number;
  readonly pes: number;
  readonly nodes: number;
  /** The words of its command line, but for those of its conveyor. */
  readonly words: readonly string[];
}

/** The largest is the usual one, and what `adapt` has for its memory. */
export const SIZES: readonly number[] = [16_384, 8192, 4096, 2048, 1024, 512, 256];
const GAPS = [0, 200, 1000, 5000];
const APPS: readonly AdaptedApp[] = ["stream", "synthetic", "random-access"];

/** A fixed size, or `adapt`. */
export type AdaptChoice = number | "adapt";

/** The words for a choice on the command line of a program. */
export const wordsOf = (choice: AdaptChoice): string[] =>
  choice === "adapt" ? ["--adapt"] : ["--buffer-bytes", String(choice)];

/** @param pushes messages of a PE at each rate, by the gap */
export function adaptCases(
  pes: number,
  nodes: number,
  pushes: (gap: number) => number,
  gaps: readonly number[] = GAPS,
): AdaptCase[] {
  const wordsFor = (app: AdaptedApp, gap: number): string[] => {
    const each = Math.max(1, Math.round(pushes(gap) / Math.max(1, pes - 1)));
    const paced = ["--gap", String(gap)];
    if (app === "stream") return ["--messages", String(each), ...paced];
    if (app === "synthetic")
      return ["--messages", String(each), "--sizes", "bimodal", "--gaps", "exponential", ...paced];
    // updates are four times the table
    const log2 = Math.max(1, Math.round(Math.log2((pushes(gap) * pes) / 4)));
    return ["--log2-table", String(log2), ...paced];
  };
  return gaps.flatMap((gap) => APPS.map((app) => ({ app, gap, pes, nodes, words: wordsFor(app, gap) })));
}

/** Where a program is. */
export const appFile = (app: AdaptedApp): URL => sibling(`../../../../apps/${app}.js`, import.meta.url);
