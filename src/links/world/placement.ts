/**
 * Placement: which PE runs on which CPU, and the known costs between them.
 *
 * PEs are placed on the CPUs in order, one each; more PEs than CPUs wrap around. The model of the world then has one
 * row per rank, taken from a measured machine model if that contains the CPUs, else guessed from the topology.
 */

import type { Cpu, MachineModel, Topology } from "../../machine/model/machine-model.ts";
import { selectPEs } from "../../machine/model/select.ts";
import { guessModel } from "../../machine/topology/guess.ts";
import type { Share } from "./nodes/share.ts";

/** The placement of a world's PEs. */
export interface WorldPlacement {
  /** The CPU of each rank. */
  readonly cpus: readonly number[];
  /** Distinct CPUs in use. */
  readonly cores: number;
  /** The machine model with one PE per rank. */
  readonly model: MachineModel;
}

/**
 * Places `pes` PEs (default: one per usable CPU) on the given CPUs, which are ordered by nearness. If a measured
 * machine model contains CPUs of this machine, those CPUs are used, in the model's order.
 * @param share this node's share of the machine, if other nodes use it as well
 */
export function place(
  topology: Topology,
  usable: readonly Cpu[],
  pes: number | undefined,
  machine: MachineModel | undefined,
  share: Share | null = null,
): WorldPlacement {
  const allowed = new Set(topology.cpus.filter((cpu) => cpu.allowed).map(({ cpu }) => cpu));
  const known = machine?.pes.map(({ cpu }) => cpu).filter((cpu) => allowed.has(cpu)) ?? [];
  const measured = machine !== undefined && known.length > 0;
  const candidates = measured ? known : usable.map(({ cpu }) => cpu);
  const model = measured ? machine : guessModel(topology, [...usable]);
  const affordable = topology.quota === null ? candidates.length : Math.max(1, Math.floor(topology.quota));
  const size = share?.pes ?? pes ?? Math.min(candidates.length, affordable);
  const first = share?.first ?? 0;
  const cpus = Array.from({ length: size }, (_, rank) => candidates[(first + rank) % candidates.length]);
  const row = new Map(model.pes.map((pe, index) => [pe.cpu, index]));
  const rows = cpus.map((cpu) => row.get(cpu) as number);
  return {
    cpus,
    cores: share?.cores ?? Math.min(size, candidates.length, affordable),
    model: selectPEs(model, rows),
  };
}
