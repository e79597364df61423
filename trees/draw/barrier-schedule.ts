/**
 * The schedule of a barrier by PE, for drawings. All PEs enter at 0.
 *
 * Example: dissemination of 2 PEs, send 2, receive 3: each sends from 0 to 2, and both leave at 5.
 */
import type { MachineModel } from "../../src/machine/model/machine-model.ts";
import { barrierMembers } from "../model/check-tree.ts";
import { checkMachine, treeProblem } from "../model/problem.ts";
import { checkFits } from "../model/shape.ts";
import type { Barrier, Tree } from "../model/tree.ts";
import type { Lane } from "./chart.ts";
import { type Send, schedule } from "./schedule.ts";

/** The state of a PE while the phases of a barrier are combined. */
interface PESchedule {
  level: number;
  at: number;
  sends: Send[];
}

/**
 * The PEs of a barrier in the order of its broadcast trees, or of its dissemination.
 *
 * @throws UsageError unless it is a barrier over PEs of the model
 */
export function barrierSchedule(barrier: Barrier, machine: MachineModel): Lane[] {
  checkMachine(machine);
  checkFits(barrierMembers(barrier), machine, "barrier");
  const schedules = schedulesOf(barrier, machine);
  const problem = treeProblem(machine, [...schedules.keys()]);
  const member = new Map(problem.cores.map((core, i) => [core, i]));
  return [...schedules].map(([pe, schedule]) => ({
    pe,
    ...schedule,
    domains: problem.domains.map((domain) => domain[member.get(pe) as number] as number),
  }));
}

function schedulesOf(barrier: Barrier, machine: MachineModel): Map<number, PESchedule> {
  if (barrier.kind === "dissemination") {
    const schedules = new Map(barrier.order.map((pe) => [pe, { level: 0, at: 0, sends: [] }]));
    return disseminated(barrier.order, schedules, machine);
  }
  if (barrier.kind === "tree") {
    const schedules = reduced([barrier.reduce], [barrier.broadcast], machine);
    return spread([barrier.broadcast], schedules, machine);
  }
  const { leaders, reduce, broadcast } = barrier;
  // a leader of others forwards: up to the other leaders, and down again
  const forwards = broadcast.flatMap(({ root, children }) => (children[root] === undefined ? [] : [root]));
  const relays = new Map(forwards.map((pe) => [pe, machine.relay?.[pe] ?? 0]));
  const met = disseminated(leaders, reduced(reduce, broadcast, machine), machine, relays);
  return spread(broadcast, met, machine, relays);
}

/** The reductions, PEs in the order of the broadcasts. */
function reduced(trees: readonly Tree[], order: readonly Tree[], machine: MachineModel): Map<number, PESchedule> {
  const rows = new Map(trees.flatMap((tree) => schedule(tree, machine, "reduce")).map((row) => [row.pe, row]));
  return new Map(
    order
      .flatMap((tree) => schedule(tree, machine, "broadcast"))
      .map(({ pe, level }) => {
        const row = rows.get(pe);
        return [pe, { level, at: row?.at ?? 0, sends: [...(row?.sends ?? [])] }];
      }),
  );
}

/** Dissemination among some PEs, each from the time when it is ready and after its relay, if it has one. */
function disseminated(
  order: readonly number[],
  schedules: Map<number, PESchedule>,
  machine: MachineModel,
  relays: ReadonlyMap<number, number> = new Map(),
): Map<number, PESchedule> {
  const { cores, size, send, receive, propagate, relay } = treeProblem(machine, order);
  const member = new Map(cores.map((core, i) => [core, i]));
  const own = order.map((pe) => schedules.get(pe) as PESchedule);
  for (let step = 1; step < size; step *= 2) {
    const edge = (i: number, j: number): number =>
      (member.get(order[i] as number) as number) * size + (member.get(order[j] as number) as number);
    const began = own.map(({ at }, i) => {
      const pe = order[i] as number;
      return at + (step > 1 ? (relay[member.get(pe) as number] as number) : (relays.get(pe) ?? 0));
    });
    const sent = began.map((at, i) => at + (send[edge(i, (i + step) % size)] as number));
    const from = (i: number): number => (i + size - step) % size;
    const taken = sent.map((own, i) =>
      Math.max(own, (sent[from(i)] as number) + (propagate[edge(from(i), i)] as number)),
    );
    const next = taken.map((time, i) => time + (receive[edge(from(i), i)] as number));
    for (const [i, schedule] of own.entries()) {
      const to = (i + step) % size;
      schedule.sends.push({
        to: order[to] as number,
        start: began[i] as number,
        end: sent[i] as number,
        taken: taken[to] as number,
        seen: next[to] as number,
      });
    }
    for (const [i, schedule] of own.entries()) schedule.at = next[i] as number;
  }
  return schedules;
}

/** The broadcasts, each from the time when its root is ready and after its relay, if it has one. */
function spread(
  trees: readonly Tree[],
  schedules: Map<number, PESchedule>,
  machine: MachineModel,
  relays: ReadonlyMap<number, number> = new Map(),
): Map<number, PESchedule> {
  for (const tree of trees) {
    const began = (schedules.get(tree.root)?.at as number) + (relays.get(tree.root) ?? 0);
    for (const { pe, at, sends } of schedule(tree, machine, "broadcast")) {
      const schedule = schedules.get(pe) as PESchedule;
      if (pe !== tree.root) schedule.at = began + at;
      for (const { to, start, end, taken, seen } of sends)
        schedule.sends.push({
          to,
          start: began + start,
          end: began + end,
          taken: began + taken,
          seen: began + seen,
        });
    }
  }
  return schedules;
}
