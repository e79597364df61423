/** What plans are compared with: choices that know the PEs and the nodes, and not the load. */
import { planUnknown } from "../../../../src/plan/conveyor/unknown-load.ts";
import { memoryOf } from "../../../../src/plan/model/candidates.ts";
import type { Candidate, CostModel } from "../../../../src/plan/model/cost-model.ts";
import { choose, oneNode } from "../../../../src/route/geometry/conveyor-choice.ts";
import { groupNodes, nodesLayout } from "../../../../src/route/geometry/nodes.ts";

/** The inputs of the rules. */
export interface RulePlace {
  readonly pes: number;
  /** PEs of a node. */
  readonly nodeSize: number;
  readonly itemBytes: number;
  readonly maxBytes?: number | undefined;
  /** Bytes of the heap that a PE needs for a choice. @default those on one node */
  readonly memory?: (one: Candidate) => number;
}

const BUFFER_BYTES = 16_384;

/**
 * Bale's rule: two hops when a node has more than one PE and fewer than all; three when floor(P / n²)² >= n. Two
 * buffers of a fixed size for each link; when they are over the budget one, then half the size, and so on.
 *
 * Limits: two parts of the rule are left out: its treatment of group sizes when memory is short, which has no effect
 * there, and its scaling of the buffer by usage over budget, which is inverted.
 *
 * Source: convey_parameters in convey.c of bale 3. The fixed size is that of our own conveyors.
 */
export function baleRule(place: RulePlace): Candidate {
  const { pes, nodeSize } = place;
  const middle = Math.floor(pes / nodeSize ** 2);
  const grouped = nodeSize > 1 && nodeSize < pes;
  const hops = !grouped ? 1 : middle ** 2 >= nodeSize ? 3 : 2;
  return withinBudget(place, hops, hops === 1 ? pes : nodeSize);
}

/**
 * TRAM's defaults: a grid of two dimensions, as square as possible, and buffers of 16 KiB; smaller ones to keep to a
 * budget, which TRAM does not have.
 *
 * Source: Narayanan, "Generalizing Fine-Grained Message Aggregation", chapter 2 and appendix B (numDimensions,
 * bufferSize).
 */
export function tramDefaults(place: RulePlace): Candidate {
  const { pes } = place;
  let rows = Math.floor(Math.sqrt(pes));
  while (pes % rows !== 0) rows--;
  const hops = rows === 1 ? 1 : 2;
  return withinBudget(place, hops, pes / rows);
}

/** Ours on a measured machine. */
export function withoutLoad(model: CostModel, { itemBytes, maxBytes }: RulePlace): Candidate {
  const planned = planUnknown(model, { itemBytes, maxBytes });
  if (planned === null) throw new Error("no plan without a load");
  // groups, as it chooses no mesh
  return planned.options as Candidate;
}

/** Ours where nothing is measured. */
export function usualChoice(
  { levels, nodes }: CostModel,
  { pes, nodeSize, itemBytes, maxBytes }: RulePlace,
): Candidate {
  const starts = Array.from({ length: nodes + 1 }, (_, node) => node * nodeSize);
  const members = [...Array(pes).keys()];
  const nodeLayout = nodes === 1 ? oneNode(levels) : nodesLayout(groupNodes({ node: 0, starts }, members));
  const { type, route, bufferBytes, buffersPerLink } = choose({ maxBytes }, pes, itemBytes, { levels, nodeLayout });
  return { type, hops: route.hops, groupSize: route.groupSize, bufferBytes, buffersPerLink };
}

function withinBudget(
  { pes, itemBytes, maxBytes = Number.POSITIVE_INFINITY, memory = (one) => memoryOf(one, pes) }: RulePlace,
  hops: 1 | 2 | 3,
  groupSize: number,
): Candidate {
  const shape = { type: "tensor", hops, groupSize } as const;
  let choice: Candidate = { ...shape, bufferBytes: BUFFER_BYTES, buffersPerLink: 2 };
  if (memory(choice) > maxBytes) choice = { ...choice, buffersPerLink: 1 };
  while (memory(choice) > maxBytes && choice.bufferBytes / 2 >= itemBytes + 68) {
    choice = { ...choice, bufferBytes: choice.bufferBytes / 2 };
  }
  return choice;
}
