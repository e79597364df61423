/** What goes wrong in a world over nodes; the last PE does it, unless it says another. */
import { setTimeout as delay } from "node:timers/promises";
import { type PE, type Spmd, spmd } from "../../src/index.ts";

export type Part =
  | "fine"
  | "throw"
  | "throw while others compute"
  | "exit"
  | "kill"
  | "stall"
  | "never calls"
  | "never ends"
  | "ends late"
  | "returns early"
  | "other call"
  | "other op"
  | "group of nodes"
  | "unsent"
  | "other order"
  | "each waits"
  | "none waits"
  | "each is the root"
  | "each is the last root"
  | "beats";

function compute(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

const last = (pe: PE): boolean => pe.rank === pe.size - 1;

const parts: Record<Part, (pe: PE) => unknown> = {
  fine: (pe) => pe.allreduce(1, "sum"),
  throw(pe) {
    pe.barrier();
    if (last(pe)) throw new RangeError("out of luck");
    pe.barrier();
  },
  "throw while others compute"(pe) {
    pe.barrier();
    if (last(pe)) throw new RangeError("out of luck");
    compute(1500);
    pe.barrier();
  },
  exit(pe) {
    pe.barrier();
    if (last(pe)) process.exit(5);
    pe.barrier();
  },
  kill(pe) {
    pe.barrier();
    if (last(pe)) process.kill(process.pid, "SIGKILL");
    pe.barrier();
  },
  /** For ever, without a turn of the event loop. */
  stall(pe) {
    pe.barrier();
    if (last(pe)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    pe.barrier();
  },
  async "never calls"(pe) {
    pe.barrier();
    if (last(pe)) await delay(100_000);
    pe.barrier();
  },
  /** While the others return. */
  async "never ends"(pe) {
    pe.barrier();
    if (last(pe)) await delay(100_000);
  },
  /** Long after the others. */
  async "ends late"(pe) {
    pe.barrier();
    if (last(pe)) await delay(12_000);
  },
  "returns early"(pe) {
    pe.barrier();
    if (last(pe)) return 0;
    return pe.allreduce(1, "sum");
  },
  "other call"(pe) {
    pe.barrier();
    if (last(pe)) return pe.broadcast(1, 0);
    return pe.allreduce(1, "sum");
  },
  "other op"(pe) {
    pe.barrier();
    return pe.allreduce(1, last(pe) ? "max" : "sum");
  },
  /** A failure in a group that does not reach all PEs. */
  "group of nodes"(pe) {
    if (pe.rank !== 0 && !last(pe)) return pe.barrier();
    const group = pe.group([0, pe.size - 1]);
    group.barrier();
    if (last(pe)) throw new RangeError("out of luck");
    return group.allreduce(1, "sum");
  },
  "other order"(pe) {
    const group = pe.group(pe.node === 0 ? [0, 1, 2, 3] : [0, 1, 3, 2]);
    return group.allreduce(1, "sum");
  },
  /** Nobody sends anything to the one who waits for it. */
  async "each waits"(pe) {
    const root = pe.node === 0 ? 0 : pe.size - 1;
    const away = pe.size - 1 - root;
    const group = pe.group([...Array(pe.size).keys()]);
    group.barrier();
    const ways: (() => unknown)[] = [
      () => pe.reduce(1, "sum", root),
      () => pe.reduceAsync(new Float64Array(3), "sum", root),
      () => pe.broadcast(new Float64Array(300), away),
      () => pe.gatherAsync("x", root),
      () => (pe.node === 0 ? group.barrier() : group.leave()),
    ];
    await ways[Number(process.env.TUNDISH_TEST_WAY)]();
    pe.barrier();
  },
  /** Of two PEs: what each sends fits what the other receives. */
  "none waits"(pe) {
    pe.barrier();
    if (last(pe)) pe.allreduce(1, "sum");
    else pe.broadcast(1, 0);
    pe.barrier();
  },
  "each is the root"(pe) {
    pe.barrier();
    pe.broadcast(1, pe.rank);
    return pe.allreduce(1, "sum");
  },
  /** Nothing comes after it that would show the difference. */
  "each is the last root": (pe) => pe.broadcast(1, pe.rank),
  /** For ever, and telling of it. */
  async beats(pe) {
    for (let beat = 0; ; beat++) {
      await pe.barrierAsync();
      if (pe.rank === 0 && beat % 100 === 0) process.stdout.write(`${JSON.stringify({ beat })}\n`);
    }
  },
  /** Large messages that nobody receives. The others stay until they are told: PE 0 would miss one that has returned. */
  async unsent(pe) {
    pe.barrier();
    if (pe.rank === 0) return pe.broadcastAsync(new Float64Array(1e6), 0);
    const others = pe.group([...Array(pe.size).keys()].slice(1));
    if (last(pe)) throw new RangeError("out of luck");
    return others.barrierAsync();
  },
};

const program: Spmd = spmd((pe, args) => parts[args as Part](pe));
export default program;
