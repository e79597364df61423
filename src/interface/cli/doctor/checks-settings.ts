/** Checks whether the environment variables of Tundish have valid values. */

import { parseForced } from "../../../collectives/calls/decide.ts";
import { sentenceOf, UsageError } from "../../../ground/base/errors.ts";
import { type SettingName, setting, variableOf } from "../../../ground/base/settings.ts";
import type { DoctorFinding } from "./finding.ts";
import { settingNames, settings } from "./settings.ts";

/**
 * A finding for each invalid setting, else one that lists the settings. Invalid ones are unset in this process, so that
 * the following checks report the state without them.
 */
export function settingFindings(): DoctorFinding[] {
  const wrong = settingNames.flatMap((name): DoctorFinding[] => {
    const text = faultOf(name);
    return text === null ? [] : [{ name: variableOf(name), state: "wrong", text, needed: true }];
  });
  for (const { name } of wrong) delete process.env[name];
  if (wrong.length > 0) return wrong;
  const set = settings().flatMap((one) => (one.set ? [one.variable] : []));
  const text = set.length === 0 ? "none is set" : `set: ${set.join(", ")} (--verbose shows the values)`;
  return [{ name: "settings", state: "ok", text, needed: false }];
}

function faultOf(name: SettingName): string | null {
  try {
    const value = setting(name);
    if (name === "algorithms") parseForced(value);
    return null;
  } catch (error) {
    if (error instanceof UsageError) return sentenceOf(error).replace(`${variableOf(name)}: `, "");
    throw error;
  }
}
