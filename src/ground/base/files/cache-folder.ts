/** The folder for what is kept between runs and can be made again. */
import { homedir, platform } from "node:os";
import { isAbsolute, join } from "node:path";
import { setting } from "../settings.ts";

/** TUNDISH_CACHE, else the system's folder for caches; null if nothing is to be kept, or the user has no home. */
export function cacheFolder(): string | null {
  const wanted = setting("cache");
  if (wanted === "off") return null;
  if (wanted !== "") return wanted;
  const { LOCALAPPDATA = "", XDG_CACHE_HOME = "" } = process.env;
  const caches =
    platform() === "win32"
      ? LOCALAPPDATA || inHome("AppData/Local")
      : platform() === "darwin"
        ? inHome("Library/Caches")
        : isAbsolute(XDG_CACHE_HOME)
          ? XDG_CACHE_HOME
          : inHome(".cache");
  return caches === null ? null : join(caches, "tundish");
}

/** A folder of the user's home; null without one: HOME may be unset, and the user may have no entry in /etc/passwd. */
function inHome(folder: string): string | null {
  try {
    const home = homedir();
    // a relative one would be another folder for each working directory
    return isAbsolute(home) ? join(home, folder) : null;
  } catch {
    return null;
  }
}
