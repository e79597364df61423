/** The parts of the summary of a report. */

/** A number with its name. */
export type Key = readonly [value: string, name: string];

/** A finding of a report: a number, a sentence, or both. */
export interface ReportFinding {
  /** Advice for the reader, a sentence: that of the first that has one stands above all. */
  readonly headline?: string;
  readonly key?: Key;
  readonly meaning?: string;
}
