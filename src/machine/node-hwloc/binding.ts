/** Binding the calling thread through libhwloc. */
import { HwlocError, UsageError } from "../../base/errors.ts";
import { formatCpuList } from "./cpulist.ts";
import { failure } from "./failure.ts";
import type { HwlocLibrary, Pointer } from "./library.ts";
import { readSet } from "./object.ts";

const THREAD = 1 << 1;
const STRICT = 1 << 2;

/** @throws UsageError for a set that is empty or holds no CPU numbers, HwlocError when it is refused. */
export function bindThread(hwloc: HwlocLibrary, topology: Pointer, cpus: readonly number[]): void {
  const bad = cpus.find((cpu) => !Number.isSafeInteger(cpu) || cpu < 0);
  if (bad !== undefined || cpus.length === 0) {
    throw new UsageError(`bindThread() expected one or more CPU numbers >= 0, got [${cpus.join(", ")}].`);
  }
  const list = formatCpuList(cpus);
  const set = hwloc.newSet();
  try {
    if (hwloc.parseSet(set, list) < 0 || hwloc.bind(topology, set, THREAD | STRICT) < 0) {
      throw new HwlocError(
        `libhwloc cannot bind this thread to CPU ${list}${failure()}. Choose among those in Cpus_allowed_list of /proc/self/status.`,
      );
    }
  } finally {
    hwloc.freeSet(set);
  }
}

/** @throws HwlocError when the binding cannot be read. */
export function threadBinding(hwloc: HwlocLibrary, topology: Pointer): number[] {
  const set = hwloc.newSet();
  try {
    if (hwloc.binding(topology, set, THREAD) < 0) {
      throw new HwlocError(`libhwloc cannot read the binding of this thread${failure()}.`);
    }
    return readSet(hwloc, set);
  } finally {
    hwloc.freeSet(set);
  }
}
