/** PEs in calls that do not end: each posts the line of its call before. */
import { conveyor } from "../../../../src/conveyor.ts";
import { type PE, type Spmd, spmd, u32 } from "../../../../src/index.ts";

export type Part =
  | "calls"
  | "awaited calls"
  | "returns"
  | "computes"
  | "advances"
  | "group"
  | "throws"
  | "throws in a call"
  | "gives a function";

/** The line after that of the caller, in the file that runs. */
function nextLine(pe: PE): void {
  const [, line] = /callers\.program\.[jt]s:(\d+)/.exec((new Error().stack ?? "").split("\n")[2] ?? "") ?? [];
  pe.post(Number(line) + 1);
}

function compute(): void {
  for (;;);
}

const parts: Record<Part, (pe: PE) => unknown> = {
  calls(pe) {
    if (pe.rank === 0) {
      nextLine(pe);
      pe.barrier();
    } else {
      nextLine(pe);
      pe.allreduce(1, "sum");
    }
  },
  async "awaited calls"(pe) {
    if (pe.rank === 0) {
      nextLine(pe);
      await pe.barrierAsync();
    } else {
      nextLine(pe);
      await pe.allreduceAsync(1, "sum");
    }
  },
  returns(pe) {
    if (pe.rank === 1) return;
    nextLine(pe);
    pe.barrier();
  },
  computes(pe) {
    pe.broadcast(1, 0);
    if (pe.rank === 1) compute();
    nextLine(pe);
    pe.barrier();
  },
  advances(pe) {
    const c = conveyor(pe, u32);
    c.begin();
    if (pe.rank === 1) compute();
    nextLine(pe);
    while (c.advance(true));
  },
  throws(pe) {
    if (pe.rank === 0) return pe.barrier();
    nextLine(pe);
    throw new RangeError("no rows");
  },
  "throws in a call"(pe) {
    const c = conveyor(pe, u32);
    c.begin();
    if (pe.rank === 0) return pe.barrier();
    nextLine(pe);
    c.pushAll(Uint32Array.of(1, 0, 7), Uint32Array.of(1, 2, 3), 2);
  },
  "gives a function": (pe) => (pe.rank === 1 ? () => {} : pe.barrier()),
  group(pe) {
    const group = pe.group([0, 1]);
    if (pe.rank === 0) {
      nextLine(pe);
      group.barrier();
    } else {
      nextLine(pe);
      group.allreduce(1, "sum");
    }
  },
};

const program: Spmd = spmd((pe, part) => parts[part as Part](pe));
export default program;
