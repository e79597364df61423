/** One line of `tundish doctor`. */
export interface Finding {
  readonly name: string;
  /** `note`: works, with a limit worth knowing; `missing`: not there, or does not work. */
  readonly state: "ok" | "note" | "missing";
  /** What was found; of something missing, what is lost. */
  readonly text: string;
  /** What to do about it. */
  readonly advice?: string;
  /** Whether nothing works without it. */
  readonly needed: boolean;
}
