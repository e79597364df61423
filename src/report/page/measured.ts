/** What measurements have in common: where they were made, and who is missing. */
import type { Figures } from "../document.ts";
import { textOf } from "./charts/html.ts";
import { rangesText } from "./words.ts";

export function howMeasured({ cpus, command, missing }: Figures<unknown>): string {
  const where = cpus.length === 0 ? "" : `On CPUs ${textOf(rangesText(cpus))}. `;
  const absent = missing.map(({ name, reason }) => `<li>${textOf(name)}: ${textOf(reason)}</li>`).join("");
  return [
    `<p class="small">${where}The same in full: <code>${textOf(command)}</code></p>`,
    absent === "" ? "" : `<p class="small">Not measured:</p><ul class="lines small">${absent}</ul>`,
  ].join("");
}
