/** Some PEs of a machine model as a model of their own. */
import type { MachineModel, Matrix } from "./machine-model.ts";

/** The model of some PEs of a model, in their order. Two PEs on one CPU have the largest cost of any two CPUs. */
export function selectPEs(model: MachineModel, rows: readonly number[]): MachineModel {
  const pick = (matrix: Matrix): Matrix => {
    let most = 0;
    for (const row of matrix) for (const value of row) if (value > most) most = value;
    return rows.map((from, i) => rows.map((to, j) => (i === j ? 0 : from === to ? most : matrix[from][to])));
  };
  const { relay, meet, exchange } = model;
  return {
    schema: model.schema,
    name: model.name,
    source: model.source,
    unit: model.unit,
    measured: model.measured,
    pes: rows.map((row) => model.pes[row]),
    send: pick(model.send),
    receive: pick(model.receive),
    ...(model.propagate ? { propagate: pick(model.propagate) } : {}),
    ...(relay ? { relay: rows.map((row) => relay[row]) } : {}),
    ...(meet ? { meet: pick(meet) } : {}),
    ...(exchange ? { exchange: pick(exchange) } : {}),
    ...(model.items ? { items: model.items } : {}),
    ...(model.internode ? { internode: model.internode } : {}),
    ...(model.crossovers ? { crossovers: model.crossovers } : {}),
    ...(model.noise ? { noise: model.noise } : {}),
  };
}
