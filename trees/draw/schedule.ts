/**
 * The schedule of a tree, row by row: the common basis of the drawings.
 *
 * Rows are in the order of an outline: each PE is followed by its first child with everything below it, then by its
 * second child, and so on.
 */
import type { MachineModel } from "../../src/machine/model/machine-model.ts";
import { checkOperation } from "../model/check-tree.ts";
import { broadcastTimes, reduceTimeline, relayOf } from "../model/latency.ts";
import { onMachine } from "../model/shape.ts";
import type { Operation, Shape, Tree, TreeProblem } from "../model/tree.ts";

/** One send; times in the unit of the model. */
export interface Send {
  /** PE number of the receiver. */
  readonly to: number;
  /** The sender is busy from `start` to `end`. */
  readonly start: number;
  readonly end: number;
  /** The receiver is busy from `taken` on, and has the message at `seen`. */
  readonly taken: number;
  readonly seen: number;
}

/** One PE of a drawn tree. */
export interface Row {
  readonly pe: number;
  readonly parent: number | null;
  /** 0 for the root. */
  readonly level: number;
  /** Position among the parent's children from 1; 0 for the root. */
  readonly place: number;
  readonly isLast: boolean;
  /** The time when it has the message (broadcast) or the values of its subtree (reduce). */
  readonly at: number;
  /** Number of its domain at every level, from 0; the preferred level first, at least one. */
  readonly domains: readonly number[];
  /** Its sends: to its children in a broadcast, to its parent in a reduction. */
  readonly sends: readonly Send[];
}

/**
 * The rows of a tree on a machine.
 *
 * @throws UsageError unless `tree` is a tree over PEs of the model
 */
export function schedule(tree: Tree, machine: MachineModel, operation: Operation): Row[] {
  const { problem, shape } = onMachine(tree, machine);
  checkOperation(operation);
  const { times, sendsOf } = (operation === "broadcast" ? broadcasting : reducing)(problem, shape);
  const pe = (member: number): number => problem.cores[member] as number;

  const rows: Row[] = [];
  const stack = [{ member: shape.root, parent: -1, level: 0, place: 0, isLast: true }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { member, parent, level, place, isLast } = next;
    const children = shape.children[member] as readonly number[];
    const at = times[member] as number;
    const sends = sendsOf(member, parent).map(({ to, ...send }) => ({ to: pe(to), ...send }));
    const domains = problem.domains.map((domain) => domain[member] as number);
    const above = parent < 0 ? null : pe(parent);
    rows.push({ pe: pe(member), parent: above, level, place, isLast, at, domains, sends });
    for (let i = children.length; i > 0; i--) {
      const child = children[i - 1] as number;
      stack.push({
        member: child,
        parent: member,
        level: level + 1,
        place: i,
        isLast: i === children.length,
      });
    }
  }
  return rows;
}

/** The times of members and their sends; members instead of PEs. */
interface TimedSchedule {
  readonly times: Float64Array;
  sendsOf(member: number, parent: number): Send[];
}

function broadcasting(problem: TreeProblem, shape: Shape): TimedSchedule {
  const { size, send, propagate } = problem;
  const { informed } = broadcastTimes(problem, shape);
  return {
    times: informed,
    sendsOf(member) {
      let clock = (informed[member] as number) + relayOf(problem, shape.root, member);
      return (shape.children[member] as readonly number[]).map((to) => {
        const start = clock;
        clock += send[member * size + to] as number;
        const taken = clock + (propagate[member * size + to] as number);
        return { to, start, end: clock, taken, seen: informed[to] as number };
      });
    },
  };
}

function reducing(problem: TreeProblem, shape: Shape): TimedSchedule {
  const { complete, ready, taken, seen } = reduceTimeline(problem, shape);
  return {
    times: complete,
    sendsOf(member, parent) {
      if (parent < 0) return [];
      const start = ready[member] as number;
      const end = start + (problem.send[member * problem.size + parent] as number);
      return [{ to: parent, start, end, taken: taken[member] as number, seen: seen[member] as number }];
    },
  };
}

/** The meaning of a row's time, with the unit. */
export function timeTitle(machine: MachineModel, operation: Operation): string {
  return operation === "broadcast" ? `informed at, ${machine.unit}` : `complete at, ${machine.unit}`;
}

/** A formatted time: one decimal, none if it is zero. */
export function timeText(time: number): string {
  return String(Number(time.toFixed(1)));
}
