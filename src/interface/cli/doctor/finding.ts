/** One line of `tundish doctor`. */
export interface DoctorFinding {
  readonly name: string;
  /** `note`: works, with a limitation; `missing`: absent or broken; `wrong`: an invalid value, so runs fail. */
  readonly state: "ok" | "note" | "missing" | "wrong";
  /** The finding; for something missing, the consequence. */
  readonly text: string;
  /** The advice. */
  readonly advice?: string;
  /** Whether Tundish requires it. */
  readonly needed: boolean;
}
