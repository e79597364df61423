/** The CPU that the calling thread runs on now. Linux. */
import { readFileSync } from "node:fs";

export function currentCpu(): number {
  // field 39, counted from the name in parentheses, which is field 2 and may contain blanks
  const stat = readFileSync("/proc/thread-self/stat", "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[36]);
}
