/** One line of `tundish doctor`. */
export interface Finding {
  readonly name: string;
  /**
   * `note`: works, with a limit worth knowing; `missing`: not there, or does not work; `wrong`: set to what it
   * cannot be, so that runs which read it end at once.
   */
  readonly state: "ok" | "note" | "missing" | "wrong";
  /** What was found; of something missing, what is lost. */
  readonly text: string;
  /** What to do about it. */
  readonly advice?: string;
  /** Whether nothing works without it. */
  readonly needed: boolean;
}
