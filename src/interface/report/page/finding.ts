/** What the summary of a report is made of. */

/** A number with its name. */
export type Key = readonly [value: string, name: string];

/** What is found in a report: a number, a sentence, or both. */
export interface Finding {
  /** What the reader can do, a sentence: that of the first that has one stands above all. */
  readonly headline?: string;
  readonly key?: Key;
  readonly meaning?: string;
}
