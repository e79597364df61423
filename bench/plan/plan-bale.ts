/**
 * Bale's rule: hops from the number of PEs and of those on a node, buffers from the budget, whatever the load.
 *
 * What: two hops when a node has more than one PE and fewer than all; three when floor(P / n²)² >= n. Two buffers of a
 * fixed size for each link; when they are over the budget one, then half the size, and so on.
 *
 * Limits: two parts of the rule are left out: its treatment of group sizes when memory is short, which has no effect
 * there, and its scaling of the buffer by usage over budget, which is inverted.
 *
 * Source: convey_parameters in convey.c of bale 3. The fixed size is that of our own conveyors.
 */
import { memoryOf } from "../../src/plan/candidates.ts";
import type { Candidate } from "../../src/plan/types.ts";

const BUFFER_BYTES = 16_384;

export function baleRule(
  pes: number,
  nodeSize: number,
  itemBytes: number,
  maxBytes: number = Number.POSITIVE_INFINITY,
): Candidate {
  const middle = Math.floor(pes / nodeSize ** 2);
  const grouped = nodeSize > 1 && nodeSize < pes;
  const hops = !grouped ? 1 : middle ** 2 >= nodeSize ? 3 : 2;
  let choice: Candidate = {
    type: "tensor",
    hops,
    groupSize: hops === 1 ? pes : nodeSize,
    bufferBytes: BUFFER_BYTES,
    buffersPerLink: 2,
  };
  if (memoryOf(choice, pes) > maxBytes) choice = { ...choice, buffersPerLink: 1 };
  while (memoryOf(choice, pes) > maxBytes && choice.bufferBytes / 2 >= itemBytes + 68) {
    choice = { ...choice, bufferBytes: choice.bufferBytes / 2 };
  }
  return choice;
}
