/** All settings (ground/base/settings.ts), as they are now. */
import { type SettingName, settingTable } from "../../../ground/base/settings.ts";

/** All names, in the order of the table. */
export const settingNames: readonly SettingName[] = Object.keys(settingTable) as SettingName[];

/** The whole table with the current values, valid or not, or the defaults. */
export function settings(): { variable: string; meaning: string; value: string; set: boolean }[] {
  return Object.values(settingTable).map(({ variable, meaning, fallback }) => ({
    variable,
    meaning,
    value: process.env[variable] || fallback,
    set: Boolean(process.env[variable]),
  }));
}
