/** The common header of measurements: where and in which mode they were made, notes, and who is missing. */
import { countText } from "../../../ground/base/units.ts";
import type { Figures, TimeSpread } from "../document.ts";
import { textOf } from "./charts/html.ts";
import { joined, rangesText, shortDuration } from "./words.ts";

export function howMeasured({ cpus, command, missing, notes, times }: Figures<TimeSpread>): string {
  const modes = [...new Set(times.map(({ mode }) => mode))].filter((mode) => mode !== null);
  const where = [
    cpus.length === 0 ? "" : `On ${countText(cpus.length, "CPU")} (${rangesText(cpus)}). `,
    modes.length < 2
      ? ""
      : `In ${modes.length} modes of the machine, with round trips of ${joined(modes.map(shortDuration))}: compare figures of one mode only; the tables name it. `,
    ...notes.map((note) => `${note} `),
  ].join("");
  const absent = missing.map(({ name, reason }) => `<li>${textOf(name)}: ${textOf(reason)}</li>`).join("");
  return [
    `<p class="small">${textOf(where)}The same in full: <code>${textOf(command)}</code></p>`,
    absent === "" ? "" : `<p class="small">Not measured:</p><ul class="lines small">${absent}</ul>`,
  ].join("");
}

/** The mode of a time, for tables. */
export const modeText = ({ mode }: TimeSpread): string => (mode === null ? "changing" : shortDuration(mode));
