/**
 * Placement: which PE runs on which CPU, and what is known of the costs between them.
 *
 * PEs go to the CPUs in order, one each; more PEs than CPUs wrap around. The model of the world then has
 * one row per rank: taken from a measured machine model where that knows the CPUs, else guessed from
 * the topology.
 */

import { guessModel } from "../machine/guess.ts";
import { selectPEs } from "../machine/select.ts";
import type { Cpu, MachineModel, Topology } from "../machine/types.ts";
import type { Share } from "./nodes/share.ts";

/** Where the PEs go. */
export interface Placement {
  /** The CPU of each rank. */
  readonly cpus: readonly number[];
  /** Distinct CPUs in use. */
  readonly cores: number;
  /** The machine model with one PE per rank. */
  readonly model: MachineModel;
}

/**
 * Places `pes` PEs (default: one per usable CPU) on the CPUs given, which are in order of nearness; on
 * those of a measured machine model, in its order, where one is given that knows CPUs of this machine.
 * @param share of the machine, where other nodes use it as well
 */
export function place(
  topology: Topology,
  usable: readonly Cpu[],
  pes: number | undefined,
  machine: MachineModel | undefined,
  share: Share | null = null,
): Placement {
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
