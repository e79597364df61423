/**
 * The share of each node: how many PEs it has, and which CPUs they get if several nodes share a machine.
 *
 * Nodes share CPUs if they are on the same host and may use the same CPUs. A launcher that binds them to different
 * CPUs, or a container for each, gives them CPUs of their own.
 */
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { UsageError } from "../../../ground/base/errors.ts";
import { MAX_NODE_PES } from "../../transport/messages/tags.ts";
import type { Hello } from "./said.ts";

/** A node's share of its machine. */
export interface Share {
  readonly pes: number;
  /** Index of the CPU of its first PE, among the usable CPUs in order. */
  readonly first: number;
  /** CPU time for its PEs, in CPUs; fewer than PEs if there are more PEs than CPUs. */
  readonly cores: number;
  /** Whether other nodes use the same CPUs. */
  readonly shared: boolean;
}

/** Identifies a machine, also among those of equal names. Network namespaces of one machine have the same. */
export function hostId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return hostname();
  }
}

const sharers = (hellos: readonly Hello[], node: number): number[] => {
  const { host, cpus } = hellos[node];
  return [...hellos.keys()].filter((other) => hellos[other].host === host && hellos[other].cpus.join() === cpus.join());
};

const pesOf = (hellos: readonly Hello[], node: number): number =>
  hellos[node].pes ?? Math.max(1, Math.floor(hellos[node].cpus.length / sharers(hellos, node).length));

/** The first rank of each node, and the world's size. @throws UsageError for more PEs on a node than supported */
export function startsOf(hellos: readonly Hello[]): number[] {
  const starts = [0];
  for (const node of hellos.keys()) {
    const pes = pesOf(hellos, node);
    if (pes > MAX_NODE_PES) {
      throw new UsageError(`pes: expected at most ${MAX_NODE_PES} on each node of a job, got ${pes} on node ${node}`);
    }
    starts.push(starts[node] + pes);
  }
  return starts;
}

/** A node's share of its machine. */
export function shareOf(hellos: readonly Hello[], node: number): Share {
  const pes = pesOf(hellos, node);
  const cpus = hellos[node].cpus.length;
  let [all, first] = [0, 0];
  for (const other of sharers(hellos, node)) {
    if (other < node) first += pesOf(hellos, other);
    all += pesOf(hellos, other);
  }
  const cores = all <= cpus ? Math.min(pes, cpus) : (cpus * pes) / all;
  return { pes, first: first % cpus, cores, shared: all > pes };
}
