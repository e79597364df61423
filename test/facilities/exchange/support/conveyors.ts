/** Conveyors that send under a discipline, of each front and each number of hops. */
import type { ConveyorDiscipline } from "../../../../src/route/geometry/options.ts";
import type { Case } from "../../conveyor/support/cases.ts";

export function disciplinedCases(name: string): readonly Case[] {
  const discipline = name as ConveyorDiscipline;
  return [
    { front: "rigid", options: { hops: 1, discipline } },
    { front: "rigid", options: { hops: 1, steady: true, discipline, buffersPerLink: 1 } },
    { front: "rigid", options: { hops: 2, groupSize: 2, steady: true, discipline } },
    { front: "rigid", options: { hops: 2, groupSize: 2, compress: true, discipline } },
    { front: "rigid", options: { hops: 3, groupSize: 2, discipline } },
    { front: "elastic", options: { hops: 1, discipline } },
    { front: "elastic", options: { hops: 2, discipline, buffersPerLink: 4 } },
    { front: "bi", options: { hops: 1, discipline } },
    { front: "elastic bi", options: { hops: 2, discipline } },
  ];
}
