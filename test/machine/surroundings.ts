/** What the tests of src/machine find around them, and how they run code in another process. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { openTopology } from "node-hwloc";
import { native } from "../../src/ground/base/native/native.ts";
import { setting } from "../../src/ground/base/settings.ts";
import { root } from "../support/paths.ts";

/** Why libhwloc cannot be tested here; null when it can. */
export const noHwloc: string | null = (() => {
  if (setting("native") !== "on" || native() === null) return "koffi is not installed, or TUNDISH_NATIVE=off";
  if (setting("libhwloc") === "off") return "TUNDISH_LIBHWLOC=off";
  try {
    for (const library of [undefined, setting("libhwloc")]) openTopology({ library }).close();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
})();

/** Why lstopo cannot be compared with here; null when it can. */
export const noLstopo: string | null =
  noHwloc ?? (existsSync("/usr/bin/lstopo-no-graphics") ? null : "lstopo-no-graphics is not installed");

/** Why threads cannot be pinned here; null when they can. */
export const noPinning: string | null = process.platform === "linux" && native() ? null : "needs Linux and koffi";

/** Why /sys cannot be read here; null when it can. */
export const noSysfs: string | null = existsSync("/sys/devices/system/cpu/online") ? null : "there is no /sys";

/** True when the tests run from source, where workers cannot load TypeScript on Node 20. */
export const fromSource: boolean = import.meta.url.endsWith(".ts");

/** The URL of a module below src/machine, built or source as this file is. */
export const moduleUrl = (name: string): string =>
  new URL(`../../src/machine/${name}.${fromSource ? "ts" : "js"}`, import.meta.url).href;

/** Runs an ES module's text in a process of its own and gives what it printed. */
export function inChild(code: string, env: Record<string, string> = {}, input = ""): string {
  return execFileSync(process.execPath, [...process.execArgv, "--input-type=module", "-e", code], {
    cwd: root,
    env: { ...process.env, ...env },
    encoding: "utf8",
    timeout: 30_000,
    input,
    stdio: ["pipe", "pipe", "pipe"],
  });
}
