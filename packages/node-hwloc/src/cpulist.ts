/**
 * CPU lists, the text form of CPU sets that libhwloc (`hwloc_bitmap_list_snprintf`) and the Linux
 * kernel (`shared_cpu_list`, `Cpus_allowed_list`) share: numbers and ranges, comma-separated.
 *
 * Limits: a list naming more than a million CPUs is taken for an error, not for a machine.
 * Source: hwloc 2.x manual, "The bitmap API"; Linux Documentation/admin-guide/cputopology.rst.
 *
 * Example: `0-3,8` is [0, 1, 2, 3, 8]; the infinite `2-` with limit 4 is [2, 3].
 */
import { HwlocError } from "./errors.js";

const MOST = 1 << 20;

/**
 * The numbers of a list, ascending, each once. An open range (`8-`: an infinite set) ends before `limit`.
 * @throws HwlocError when the text is no list, or is infinite and no limit is given.
 */
export function parseCpuList(list: string, limit?: number): number[] {
  const cpus = new Set<number>();
  for (const part of list.trim().split(",")) {
    if (part === "") continue;
    const [, from, dash, to] = /^(\d+)(-?)(\d*)$/.exec(part) ?? [];
    if (from === undefined) throw notAList(list, `"${part}" is neither a number nor a range`);
    const first = Number(from);
    let last = first;
    if (dash) {
      if (to) last = Number(to);
      else if (limit !== undefined) last = limit - 1;
      else throw notAList(list, "it has no end; give a limit");
    }
    // an open range may begin behind the limit, and is empty then
    if (to && last < first) throw notAList(list, `"${part}" runs backwards`);
    if (last - first >= MOST) throw notAList(list, `it names more than ${MOST} CPUs`);
    for (let cpu = first; cpu <= last; cpu++) cpus.add(cpu);
  }
  return [...cpus].sort((a, b) => a - b);
}

/** The list of some CPU numbers: [8, 1, 0, 2] is `0-2,8`. */
export function formatCpuList(cpus: Iterable<number>): string {
  const sorted = [...new Set(cpus)].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let i = 0; i < sorted.length; ) {
    let end = i;
    while (sorted[end + 1] === (sorted[end] as number) + 1) end++;
    parts.push(end === i ? `${sorted[i]}` : `${sorted[i]}-${sorted[end]}`);
    i = end + 1;
  }
  return parts.join(",");
}

function notAList(list: string, why: string): HwlocError {
  return new HwlocError("ERR_HWLOC_CPU_LIST", `Expected a CPU list such as 0-3,8, got "${list}": ${why}.`);
}
