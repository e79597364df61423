/** A plan document that tests change: for 8 PEs on 2 nodes. */
import type { MeasuredConveyor, PlanDocument, PlannedConveyor } from "../../../src/plan/document/document.ts";

/** A document as JSON has it, to be spoilt. */
export type Loose = { [name: string]: Loose } & Loose[];

const entry: PlannedConveyor = {
  workload: { itemBytes: 8, load: 1000 },
  choice: { type: "tensor", hops: 2, groupSize: 4, bufferBytes: 1024, buffersPerLink: 1 },
  forced: ["hops"],
  expected: {
    ...({ type: "tensor", hops: 2, groupSize: 4, bufferBytes: 1024, buffersPerLink: 1 } as const),
    ...{ time: 1500, work: 900, network: 300, waiting: 600, memory: 4096 },
    hopsTaken: [
      { links: 4, buffers: 2, fill: 0.5, remote: 0 },
      { links: 2, buffers: 2, fill: 0.5, remote: 1 },
    ],
  },
  others: [],
  candidates: 12,
  reasons: ["groups of 4: the nodes"],
};

/** @param conveyors in place of the one for all */
export function samplePlan(conveyors: PlanDocument["conveyors"] = { "*": entry }): PlanDocument {
  return structuredClone({
    schema: "tundish/plan@1",
    created: "2026-11-23T12:00:00.000Z",
    world: { pes: 8, nodes: 2, pesOfNode: [4, 4], name: "a machine" },
    conveyors,
  });
}

/** The entry of the sample with other choices. */
export const choosing = (choice: PlannedConveyor["choice"], more: Partial<PlannedConveyor> = {}): PlannedConveyor => ({
  ...entry,
  choice,
  ...more,
});

const measuredChoice = {
  choice: { hops: 1 },
  ...{ time: 12, low: 10, high: 14, turns: 5, expected: 6, ratio: 2 },
} as const;

/** What `--tune` writes. */
export const measuredEntry: MeasuredConveyor = {
  ...measuredChoice,
  ...{ sessions: 3, verdict: "fastest", others: [measuredChoice] },
};
