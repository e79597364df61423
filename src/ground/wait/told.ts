/** Waits in words: what is reported of a wait that goes beyond its spins, and what errors say of it. */
import type { Watcher } from "./watcher.ts";
import { amount, pesText } from "./who.ts";

/** A wait, as others see it. */
export interface ToldWait {
  /** The call and what it is a call of: `receive of the channel to PE 0`. */
  readonly call: string;
  /** The PEs that it waits for, by rank in the world; none if that is not known. */
  readonly whom: readonly number[];
  /** Whether any one of them can end it; else all are needed. */
  readonly needsOne: boolean;
  /** For how long, ms. */
  readonly for: number;
}

/** Where the waits of a PE are reported. */
export interface WaitReports {
  /**
   * A wait has lasted for a while, and is about to sleep. @param elapsed since it began, ms @param blocks whether it
   * blocks the thread
   * @returns its report, for the other calls; NO_REPORT if there is no room, or it is reported in another way
   */
  begin(watcher: Watcher, whom: readonly number[], elapsed: number, blocks: boolean): number;
  /** It still waits, perhaps for others. */
  update(report: number, whom: readonly number[]): void;
  over(report: number): void;
}

export const NO_REPORT = -1;

/** Time after which a wait that sleeps is reported, and after which it is said anew for whom it is, ms. */
export const REPORT_MS = 20;

const NOBODY: readonly number[] = [];

/** The PEs that a wait is for, by rank in the world; none if not known. @param peer and peers of its condition */
export const awaitedBy = (watcher: Watcher, peer: number, peers: readonly number[] | undefined): readonly number[] =>
  watcher.awaited ?? (peer >= 0 ? [peer] : (peers ?? NOBODY));

/** The hint of a TimeoutError if no PE is known to be missing. */
export const ALL_THERE = "A PE does not make the call that the others make, or it needs more time.";

/** A sentence of a TimeoutError, before others: the call. @param ms how long it waited, if not said yet */
export function inCall(watcher: Watcher | null, ms?: number): string {
  if (watcher === null || watcher.call === "") return "";
  const { call, awaited = NOBODY, needsOne = false } = watcher;
  const time = ms === undefined ? "" : ` for ${Math.ceil(ms)} ms`;
  return `It was in ${call}${time}${awaited.length === 0 ? "" : `, where it waits for ${whomText(awaited, needsOne)}`}. `;
}

/** `PE 0`, `any of PE 0, 2`. */
export const whomText = (whom: readonly number[], needsOne: boolean): string =>
  `${needsOne && whom.length > 1 ? "any of " : ""}${pesText(whom)}`;

/** A time as text, to be said of several PEs. */
export const seconds = (ms: number): string => `${amount((ms / 1000).toFixed(1))} s`;

/** What a PE does that waits, without its subject: `waits for PE 0 in receive of the channel to PE 0, for 3.0 s`. */
export const waitText = ({ call, whom, needsOne, for: ms }: ToldWait, time: (ms: number) => string = seconds): string =>
  `waits ${whom.length === 0 ? "" : `for ${whomText(whom, needsOne)} `}in ${call}, for ${time(ms)}`;
