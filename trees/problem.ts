/**
 * The problem a builder solves: a group's costs cut out of a machine model, and its mirror image.
 *
 * Mirror: run a broadcast tree backwards in time and it is a reduction: the child sends where it
 * received, the parent receives where it sent. So the best reduce tree is the best broadcast tree
 * of the transposed problem with send and receive exchanged: s'[p][c] = r[c][p], r'[p][c] = s[c][p],
 * and the propagation times transposed.
 */
import { ModelError } from "../src/errors.ts";
import { checkList } from "../src/machine/matrix.ts";
import type { MachineModel, Matrix } from "../src/machine/types.ts";
import { domainsOf } from "./domains.ts";
import type { TreeProblem } from "./types.ts";

/** What a problem holds beside the group. */
export interface ProblemOptions {
  /** PE number of the root to use. */
  readonly root?: number | undefined;
  readonly seed?: number | undefined;
  readonly budget?: number | undefined;
  readonly moves?: number | undefined;
}

/** Passes for what looks like a machine model. @throws ModelError for anything else */
export function checkMachine(machine: unknown): asserts machine is MachineModel {
  if (Array.isArray((machine as Partial<MachineModel> | null | undefined)?.pes)) return;
  const got = machine === null || typeof machine !== "object" ? String(machine) : "one without pes";
  throw new ModelError(
    "",
    `Expected a machine model, an object with pes, send and receive, got ${got}. readMachine() reads one, profile() measures one.`,
  );
}

/**
 * Cuts the group `cores` (PE numbers of the model, all different) out of a model. Throws a
 * ModelError that names the place when a matrix is not square or a cost is no number from 0 to 1e100.
 */
export function treeProblem(
  machine: MachineModel,
  cores: readonly number[],
  options: ProblemOptions = {},
): TreeProblem {
  const members = [...cores].sort((a, b) => a - b);
  const memberOf = new Map(members.map((core, member) => [core, member]));
  const { root } = options;
  const send = cut(machine.send, "send", members, machine.pes.length);
  const receive = cut(machine.receive, "receive", members, machine.pes.length);
  const propagate = machine.propagate
    ? cut(machine.propagate, "propagate", members, machine.pes.length)
    : new Float64Array(members.length ** 2);
  const pes = members.map((core) => machine.pes[core] as MachineModel["pes"][number]);
  return {
    size: members.length,
    cores: members,
    order: cores.map((core) => memberOf.get(core) as number),
    send,
    receive,
    propagate,
    root: root === undefined ? undefined : memberOf.get(root),
    domains: domainsOf(pes, edgeCosts({ send, receive, propagate })),
    seed: options.seed ?? 1,
    budget: options.budget,
    moves: options.moves,
  };
}

/** The problem whose broadcast trees are the reduce trees of the given one, and the reverse. */
export function mirror(problem: TreeProblem): TreeProblem {
  const { size } = problem;
  return {
    ...problem,
    send: transpose(problem.receive, size),
    receive: transpose(problem.send, size),
    propagate: transpose(problem.propagate, size),
  };
}

/** The problem of some members only, numbered by their place in the list; without domains, and any root. */
export function part(problem: TreeProblem, members: readonly number[]): TreeProblem {
  const size = members.length;
  const cutOut = (matrix: Float64Array): Float64Array => {
    const own = new Float64Array(size * size);
    for (const [i, from] of members.entries()) {
      for (const [j, to] of members.entries()) own[i * size + j] = matrix[from * problem.size + to] as number;
    }
    return own;
  };
  return {
    ...problem,
    size,
    cores: members.map((member) => problem.cores[member] as number),
    order: members.map((_, i) => i),
    send: cutOut(problem.send),
    receive: cutOut(problem.receive),
    propagate: cutOut(problem.propagate),
    root: undefined,
    domains: [new Int32Array(size)],
  };
}

/** All of {@link edgeCost}, size x size. */
export function edgeCosts({
  send,
  receive,
  propagate,
}: Pick<TreeProblem, "send" | "receive" | "propagate">): Float64Array {
  return send.map((time, edge) => time + (propagate[edge] as number) + (receive[edge] as number));
}

/** Time from the start of a send until the receiver has the message. */
export function edgeCost(problem: TreeProblem, from: number, to: number): number {
  const edge = from * problem.size + to;
  return (
    (problem.send[edge] as number) + (problem.propagate[edge] as number) + (problem.receive[edge] as number)
  );
}

function cut(matrix: Matrix, name: string, members: readonly number[], pes: number): Float64Array {
  const size = members.length;
  const part = new Float64Array(size * size);
  checkList(name, "rows", matrix, pes);
  for (let i = 0; i < size; i++) {
    const row = matrix[members[i] as number];
    checkList(`${name}.${members[i]}`, "numbers", row, pes);
    for (let j = 0; j < size; j++) {
      if (i === j) continue;
      const cost = row?.[members[j] as number];
      // sums of huge numbers must stay numbers, hence the upper limit
      if (typeof cost !== "number" || !(cost >= 0 && cost <= 1e100)) {
        const path = `${name}.${members[i]}.${members[j]}`;
        throw new ModelError(
          path,
          `${path}: expected a number from 0 to 1e100, got ${String(cost)}. Measure the machine again or correct the file.`,
        );
      }
      part[i * size + j] = cost;
    }
  }
  return part;
}

function transpose(matrix: Float64Array, size: number): Float64Array {
  const turned = new Float64Array(matrix.length);
  for (let i = 0; i < size; i++)
    for (let j = 0; j < size; j++) turned[j * size + i] = matrix[i * size + j] as number;
  return turned;
}
