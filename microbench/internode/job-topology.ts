/** The machines of an MPI job's processes, and the number of PEs that each may have. */
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { hashDigits } from "../../src/ground/base/hash.ts";
import { countText } from "../../src/ground/base/units.ts";
import type { Topology } from "../../src/machine/model/machine-model.ts";
import type { Meeting } from "./meeting.ts";

/** The job, as its processes see it. */
export interface JobTopology {
  /** PEs of each process; the process with the fewest CPUs determines the number. */
  readonly pes: number;
  /** Number of distinct machines. */
  readonly machines: number;
  /** Whether another process of the job uses CPUs of this one, so that they must yield to each other. */
  readonly isOversubscribed: boolean;
  /** Notes for the reader of the figures, one sentence each. */
  readonly notes: readonly string[];
}

/** The message of each process to the others: numbers, followed by the CPUs as bits in words of 32. */
const [PES, MACHINE, KIND, FIRST_WORD] = [0, 1, 2, 3];
/** Larger CPU numbers are taken modulo this: two processes may then seem to share one, and yield in vain. */
const WORDS = 64;

/** Collective: all processes call it. @param cpus of this process's PEs */
export async function jobTopologyOf(
  meeting: Meeting,
  topology: Topology,
  cpus: readonly number[],
): Promise<JobTopology> {
  const words = new Uint32Array(WORDS);
  for (const cpu of cpus) (words[(cpu >> 5) % WORDS] as number) |= 1 << (cpu & 31);
  const me = [cpus.length, numberOf(machineIdentity()), numberOf(kindOf(topology)), ...words];
  const all = await meeting.exchange(me);
  const pes = Math.min(...all.map((one) => one[PES]));
  const machines = new Set(all.map((one) => one[MACHINE])).size;
  const here = all.filter((one) => one[MACHINE] === me[MACHINE]);
  const isOversubscribed = words.some((word, i) => here.filter((one) => (one[FIRST_WORD + i] & word) !== 0).length > 1);
  const notes: string[] = [];
  if (machines < all.length) {
    notes.push(
      `${all.length} processes are on ${countText(machines, "machine")}: between those on one, MPI uses shared memory instead of a network, unless configured otherwise`,
    );
  }
  if (isOversubscribed) {
    notes.push(
      "processes share their CPUs: none is bound, each yields to the others, and the figures are of little use",
    );
  }
  if (all.some((one) => one[PES] !== pes)) {
    const counts = all.map((one) => one[PES]).join(", ");
    notes.push(
      `the processes have ${counts} CPUs: ${countText(pes, "PE")} of each ${pes === 1 ? "takes" : "take"} part`,
    );
  }
  if (new Set(all.map((one) => one[KIND])).size > 1) {
    notes.push("the machines differ: the costs within a node are those of the first");
  }
  return { pes, machines, isOversubscribed, notes };
}

/** Equal for all processes of a machine, also in containers. */
function machineIdentity(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8");
  } catch {
    return hostname();
  }
}

const kindOf = ({ brand, cpus }: Topology): string => `${brand} ${cpus.length}`;

/** 48 bits of a hash, as a number. */
const numberOf = (text: string): number => Number.parseInt(hashDigits(text).slice(0, 12), 16);
