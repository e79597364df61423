/** Facts about the machine and its software, stored in a measured model for its readers. */

import { arch, cpus, platform, release, totalmem } from "node:os";
import { clearTimeout, setTimeout } from "../../ground/base/event-loop/timers.ts";
import { hostBrand } from "./shape.ts";
import { systemInformation } from "./system-information.ts";

/** The facts; null if unknown. */
export interface HostFacts {
  readonly node: string;
  readonly platform: string;
  readonly arch: string;
  readonly kernel: string;
  readonly brand: string;
  /** Physical cores of the machine. */
  readonly cores: number | null;
  /** Hardware threads that are online. */
  readonly threads: number;
  readonly memoryBytes: number;
  /** The frequency governor, e.g. "performance" or "powersave". */
  readonly governor: string | null;
  /** The hypervisor, e.g. "KVM"; "none" on bare metal. */
  readonly virtualization: string | null;
}

const DEADLINE_MS = 800;

/** Collects the facts; those that systeminformation does not return within 0.8 s stay null. */
export async function hostFacts(): Promise<HostFacts> {
  const information = systemInformation();
  const [processor, board] = await Promise.all([soon(information?.cpu()), soon(information?.system())]);
  return {
    node: process.version,
    platform: platform(),
    arch: arch(),
    kernel: release(),
    brand: hostBrand(),
    cores: processor?.physicalCores || null,
    threads: cpus().length,
    memoryBytes: totalmem(),
    governor: processor?.governor || null,
    virtualization: board ? (board.virtual ? board.virtualHost || "unknown" : "none") : null,
  };
}

async function soon<T>(facts: Promise<T> | undefined): Promise<T | null> {
  if (facts === undefined) return null;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, DEADLINE_MS, null);
  });
  try {
    return await Promise.race([facts.catch(() => null), late]);
  } finally {
    clearTimeout(timer);
  }
}
