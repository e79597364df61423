/**
 * A machine model derived from the topology alone, to plan with before anything was measured.
 *
 * The cost of a message depends on what the two CPUs share. The hardware's part is the rounded median of that level
 * over the measured machines in test/fixtures/machines (8 ns between SMT siblings, 30 under one last-level cache, 110
 * in one package, 190 between packages); 30 ns of software are added. The sender is busy for 0.3 of the sum and the
 * receiver for 0.7, the shares in those machines' models.
 *
 * Limits: the order is right, but the size may be wrong by a factor of two. A real machine has unequal pairs within a
 * level (meshes, rings, chiplets), which only a measurement shows.
 *
 * Example: two cores under one cache cost 60 ns: send = 18, receive = 42.
 */
import { fingerprint } from "../model/fingerprint.ts";
import type { Cpu, MachineModel, Topology } from "../model/machine-model.ts";
import { usableCpus } from "./usable.ts";

const SOFTWARE = 30;
/** Nanoseconds for one message in one direction, by the nearest level that the two CPUs share. */
const COST = {
  core: 8 + SOFTWARE,
  cache: 30 + SOFTWARE,
  package: 110 + SOFTWARE,
  machine: 190 + SOFTWARE,
} as const;
const SENDER_SHARE = 0.3;

/**
 * The unmeasured model of some CPUs, in nanoseconds; its field `measured` states that it is a guess.
 * @param cpus the PEs' CPUs, in rank order @default usableCpus(topology)
 */
export function guessModel(topology: Topology, cpus: readonly Cpu[] = usableCpus(topology)): MachineModel {
  const matrix = (share: number) =>
    cpus.map((from) => cpus.map((to) => (from === to ? 0 : Math.round(share * cost(from, to)))));
  return {
    schema: "tundish/machine@1",
    name: topology.brand,
    source: `the shape of the machine, according to ${topology.source}`,
    unit: "ns",
    measured: "guessed from the topology",
    pes: cpus.map(({ cpu, core, l3, numa, package: socket }) => ({ cpu, core, l3, numa, package: socket })),
    send: matrix(SENDER_SHARE),
    receive: matrix(1 - SENDER_SHARE),
    fingerprint: fingerprint(topology),
  };
}

// a level unknown (null) for both CPUs counts as shared, except a cache
function cost(a: Cpu, b: Cpu): number {
  if (a.core === b.core) return COST.core;
  if (a.l3 !== null && a.l3 === b.l3) return COST.cache;
  if (a.package !== null || b.package !== null) {
    return a.package === b.package ? COST.package : COST.machine;
  }
  return a.numa === b.numa ? COST.package : COST.machine;
}
