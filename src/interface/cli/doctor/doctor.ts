/** `tundish doctor`: reports what is available, missing or invalid on this machine, with advice. */

import { type ExitCode, LACKING, OK, USAGE } from "../terminal/exit.ts";
import type { CommandOutput, Style } from "../terminal/output.ts";
import { wrapText } from "../terminal/wrap.ts";
import { tableText } from "../text/table.ts";
import { findings } from "./checks.ts";
import type { DoctorFinding } from "./finding.ts";
import { settings } from "./settings.ts";

const styles: Readonly<Record<DoctorFinding["state"], Style>> = {
  ok: "green",
  note: "yellow",
  missing: "red",
  wrong: "red",
};

/** Prints the findings. The exit code is {@link LACKING} without a required part, {@link USAGE} for a bad setting. */
export async function doctor(output: CommandOutput): Promise<ExitCode> {
  // before the checks, which unset invalid settings
  const set = settings();
  const found = await findings();
  const failed = (state: DoctorFinding["state"]): readonly string[] =>
    found.flatMap((one) => (one.needed && one.state === state ? [one.name] : []));
  const [missing, wrong] = [failed("missing"), failed("wrong")];
  if (output.json) {
    const usable = missing.length + wrong.length === 0;
    output.document({ schema: "tundish/doctor@1", usable, findings: found, settings: set });
  } else {
    for (const { state, name, text, advice } of found) {
      const word = state.padEnd(9);
      const line = wrapText(`${word}${name}: ${text}${advice === undefined ? "" : ` ${advice}`}`, 9);
      output.print(output.style(styles[state], word) + line.slice(word.length));
    }
    if (output.verbose) output.print(`\n${settingsText(set)}`);
    output.print(`\n${wrapText(verdict(missing, wrong), 0)}`);
  }
  return missing.length > 0 ? LACKING : wrong.length > 0 ? USAGE : OK;
}

function verdict(missing: readonly string[], wrong: readonly string[]): string {
  const reasons = [
    ...(missing.length > 0 ? [`required but missing: ${missing.join(", ")}`] : []),
    ...(wrong.length > 0 ? [`to be corrected: ${wrong.join(", ")}`] : []),
  ];
  return reasons.length === 0 ? "Tundish can be used here." : `Tundish cannot be used here; ${reasons.join("; ")}.`;
}

function settingsText(all: ReturnType<typeof settings>): string {
  const rows = all.map(({ variable, value, set, meaning }) => [
    variable,
    value || "(none)",
    set ? "set" : "default",
    meaning,
  ]);
  return tableText(["setting", "value", "", "meaning"], rows, [0, 1, 2, 3]);
}
