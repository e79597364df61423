/** `bench mpi`, who drives the links: what is measured, and what the threads are told. Data and names. */
import type { BatchVolume } from "../../src/contest/batches.ts";
import type { Layout } from "./works.ts";

/** Who sends and receives: each PE its own, or one thread for all PEs of a node. */
export type Driver = "own" | "node";

/** In the order in which they take turns, by the name under which they are told. */
export const DRIVERS: Readonly<Record<Driver, string>> = { own: "own links", node: "one thread per node" };

/** What is timed: messages one behind the other, or one that goes and comes back. */
export type Traffic = "stream of 2" | "stream of 4" | "round trip";

/**
 * How many messages a PE may have sent more than it has received, on the first node of two and on the second. A stream keeps as
 * many buffers under way as a conveyor has for each link: 2, or 4 when asked. Of a round trip one message exists, which the first
 * node begins.
 */
export const LEADS: Readonly<Record<Traffic, readonly [first: number, second: number]>> = {
  "stream of 2": [2, 2],
  "stream of 4": [4, 4],
  "round trip": [1, 0],
};

/** Bytes of a message; a conveyor's buffers have 16 KiB unless told otherwise, and are often sent before they are full. */
export const DRIVER_SIZES: readonly number[] = [64, 1024, 8192, 65_536];

/** Messages at the begin of a batch that are not timed: both nodes are at it after them. */
export const WARM = 16;

/** What the two processes of a job do. */
export interface DriversJob {
  readonly pes: number;
  /** For the PEs of both nodes, then for the driving threads, as far as there are. */
  readonly cpus: readonly number[];
  readonly volume: BatchVolume;
}

/** What one thread does in one batch. */
export interface DriversTask {
  /** A PE that drives its own links, one that hands its buffers over, or the thread that gets them. */
  readonly role: "own" | "handing" | "driving";
  readonly bytes: number;
  /** Messages of each PE, there and back: {@link WARM}, and those that are timed. */
  readonly count: number;
  readonly lead: number;
  /** Whether every word of a message is written and looked at, not some alone. */
  readonly whole: boolean;
  /** Whether there are more threads than CPUs. */
  readonly crowded: boolean;
}

/** What a thread has found; times of a clock that all threads of a machine share, ns. */
export interface DriversFound {
  readonly begun: number;
  readonly ended: number;
  /** Whether it is bound to its CPU; true as well where it was given none. */
  readonly bound: boolean;
}

/** What a thread is started with. */
export interface DriversSeat {
  readonly memory: SharedArrayBuffer;
  /** Which PE of the node it is; the driving thread comes behind the last. */
  readonly index: number;
  readonly pes: number;
  /** Where it is to be bound; null: it runs wherever there is room. */
  readonly cpu: number | null;
}

/** Where the threads of a node run, and whether those of each way are more than the CPUs. */
export function placesOf(
  { nodes, pes }: Layout,
  node: number,
  cpus: readonly number[],
): { readonly cpus: readonly (number | null)[]; readonly crowded: Readonly<Record<Driver, boolean>> } {
  const crowded = { own: nodes * pes > cpus.length, node: nodes * (pes + 1) > cpus.length };
  const ofPEs = Array.from({ length: pes }, (_, pe) => (crowded.own ? null : cpus[node * pes + pe]));
  // a driver without a CPU of its own runs wherever the PEs leave room
  return { cpus: [...ofPEs, crowded.node ? null : cpus[nodes * pes + node]], crowded };
}

/** `stream of 2, 64 B` */
export const driversText = (traffic: Traffic, bytes: number): string => `${traffic}, ${bytes} B`;
