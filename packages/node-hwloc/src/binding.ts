/** Binding the calling thread through libhwloc. */
import { formatCpuList } from "./cpulist.js";
import { HwlocUsageError } from "./errors.js";
import type { HwlocLibrary, Pointer } from "./library.js";
import { failure } from "./native.js";
import { readSet } from "./object.js";
import { shortText } from "./short-text.js";

const THREAD = 1 << 1;
const STRICT = 1 << 2;

/** @throws HwlocUsageError for a set that is empty or holds no CPU numbers, HwlocError when it is refused. */
export function bindThread(hwloc: HwlocLibrary, topology: Pointer, cpus: readonly number[]): void {
  if (!Array.isArray(cpus) || cpus.length === 0 || !cpus.every(isCpu)) {
    throw new HwlocUsageError(
      `bindThread() expected an array of one or more CPU numbers >= 0, got ${shortText(cpus)}.`,
    );
  }
  const list = formatCpuList(cpus);
  const set = hwloc.newSet();
  try {
    if (hwloc.parseSet(set, list) < 0 || hwloc.bind(topology, set, THREAD | STRICT) < 0) {
      throw failure(
        "ERR_HWLOC_BINDING",
        `libhwloc cannot bind this thread to CPU ${list}`,
        "Choose among the topology's allowedCpus.",
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
      throw failure("ERR_HWLOC_BINDING", "libhwloc cannot read the binding of this thread");
    }
    return readSet(hwloc, set);
  } finally {
    hwloc.freeSet(set);
  }
}

/** hwloc makes a bitmap as long as its greatest number asks for, so no number may be any integer. */
const isCpu = (cpu: unknown): boolean => Number.isInteger(cpu) && (cpu as number) >= 0 && (cpu as number) < 2 ** 20;
