/** `tundish doctor`: what was found here, what is missing, what to do. */
import { settings } from "../../base/settings.ts";
import { type ExitCode, LACKING, OK } from "../terminal/exit.ts";
import type { Output, Style } from "../terminal/output.ts";
import { tableText } from "../text/table.ts";
import { findings } from "./checks.ts";
import type { Finding } from "./finding.ts";

const styles: Readonly<Record<Finding["state"], Style>> = { ok: "green", note: "yellow", missing: "red" };

/** Prints the findings; the exit code says whether Tundish can be used here. */
export async function doctor(output: Output): Promise<ExitCode> {
  const found = await findings();
  const lacking = found.filter(({ state, needed }) => needed && state === "missing");
  if (output.json) {
    output.document({
      schema: "tundish/doctor@1",
      usable: lacking.length === 0,
      findings: found,
      settings: settings(),
    });
  } else {
    for (const { state, name, text, advice } of found) {
      const word = output.style(styles[state], state.padEnd(7));
      output.print(`${word}  ${name}: ${text}${advice === undefined ? "" : ` ${advice}`}`);
    }
    if (output.verbose) output.print(`\n${settingsText()}`);
    output.print(`\n${verdict(lacking)}`);
  }
  return lacking.length === 0 ? OK : LACKING;
}

function verdict(lacking: readonly Finding[]): string {
  if (lacking.length === 0) return "Tundish can be used here.";
  return `Tundish cannot be used here; needed and missing: ${lacking.map(({ name }) => name).join(", ")}.`;
}

function settingsText(): string {
  const rows = settings().map(({ variable, value, set, meaning }) => [
    variable,
    value || "(none)",
    set ? "set" : "default",
    meaning,
  ]);
  return tableText(["setting", "value", "", "meaning"], rows, [0, 1, 2, 3]);
}
