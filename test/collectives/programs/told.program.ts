/** PEs that wait in vain, in the world or in a group: what the error says of where, and how long. */
import { setTimeout as delay } from "node:timers/promises";
import { type Group, type PE, type Spmd, spmd } from "../../../src/index.ts";

export type Part = "mismatch" | "late" | "late, async" | "late, without checks" | "twice";

/** Every second PE. */
const evens = (pe: PE): Group => pe.group([...Array(pe.size).keys()].filter((rank) => rank % 2 === 0));

async function late(pe: PE, call: (group: Group) => unknown): Promise<void> {
  if (pe.rank % 2 === 1) return;
  const group = evens(pe);
  if (group.rank === group.size - 1) await delay(60_000);
  await call(group);
}

const parts: Record<Part, (pe: PE) => unknown> = {
  mismatch(pe) {
    if (pe.rank % 2 === 1) return;
    const group = evens(pe);
    group.barrier();
    if (pe.rank === 0) group.barrier();
    else group.allreduce(1, "sum");
    group.barrier();
  },
  late: (pe) => late(pe, (group) => group.barrier({ timeout: 300 })),
  "late, async": (pe) => late(pe, (group) => group.barrierAsync({ timeout: 300 })),
  "late, without checks": (pe) => late(pe, (group) => group.barrier({ timeout: 300 })),
  /** The root waits for one PE that comes late, and then for one that does not come. */
  async twice(pe) {
    pe.barrier();
    if (pe.rank > 0) await delay(pe.rank === 1 ? 150 : 60_000);
    pe.gather(1, 0, pe.rank === 0 ? { timeout: 300 } : {});
  },
};

const program: Spmd = spmd((pe, part) => parts[part as Part](pe));

export default program;
