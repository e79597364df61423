/**
 * The costs of the machines of TRAM's thesis in the simulator, and what is assumed.
 *
 * A message takes alpha / 2 at its sender and alpha / 2 at its receiver, who gives the buffer back by a message; what
 * is in it takes time at each hop: beta for each byte, and a constant for each small message. Whoever makes a small
 * message and whoever handles it have more to do ({@link endOf}), with and without aggregation. On Summit all of it is
 * time of the PEs, as "the PAMI network layer on Summit does not support a dedicated communication thread". On
 * Stampede2, which does, a message takes alpha / 2 of such a thread at each end, one for each PE, for which what goes
 * out and what comes in take turns, while the PE goes on. All PEs are equally far from each other, as if each were a
 * node of its own.
 *
 * Limits: no congestion in the network, no caches, no latency beside alpha / 2; four buffers of a link at most are
 * underway; a buffer travels without its empty part, while NDMeshStreamer of Charm++ sends buffers of messages of any
 * length as they are.
 *
 * Source: V. Narayanan, "Generalizing fine-grained message aggregation" (2020), table 1.1, chapters 4 and 5, appendix
 * B.
 */

import type { OpenTimes } from "../../../../src/machine/model/machine-model.ts";
import { networks } from "../../../../src/plan/network/networks.ts";
import type { SimulationOptions } from "../../../../src/running/simulate/options.ts";
import { machineOf } from "../plan/aggregation-run.ts";
import { withOpen } from "../plan/open-curve.ts";

/** A machine of the thesis. */
export type TramMachine = "Summit" | "Stampede2";

/** Bytes of a small message: section 5.3. */
export const MESSAGE_BYTES = 100;
/** Messages of a pair for one acknowledgement: section 5.2. */
export const WINDOW = 100;
/** An effective buffer of 10 kB, as in section 5.2: "10 messages" of 1000 bytes. The threshold is Charm++'s default. */
export const BUFFER_BYTES = 20_000;
export const THRESHOLD = 0.5;
/** ns; see {@link ASSUMED}. */
export const ALPHA = 2000;
/** ms; see {@link ASSUMED}. */
export const TIMEOUT = 0.2;
/** ns of a small message into a buffer, and out of it; and of what its maker and its handler have to do, each. */
const HANDLING = 25;
const END = 100;
/** Clocks of their CPUs, GHz: top500.org, of both machines. */
const CLOCKS: Readonly<Record<TramMachine, number>> = { Summit: 3.07, Stampede2: 1.4 };
/** ns of a byte: table 1.1. */
const BETA = networks.summit.network.beta ?? Number.NaN;
/** ms of virtual time */
const LIMIT = 1e4;
const LEAST_MEMORY = 2 ** 26;

/** What a run on a machine depends on. */
export interface TramPlace {
  /** @default "Summit" */
  readonly machine?: TramMachine | undefined;
  readonly pes: number;
  /** Sizes of the grid; null without aggregation. */
  readonly mesh: readonly number[] | null;
  /** Bytes of a message, in the mean. @default MESSAGE_BYTES */
  readonly bytes?: number | undefined;
  /** @default BUFFER_BYTES */
  readonly bufferBytes?: number | undefined;
  /** @default THRESHOLD */
  readonly threshold?: number | undefined;
  /** @default 1 less the threshold */
  readonly cutoff?: number | undefined;
  /** ms. @default TIMEOUT */
  readonly timeout?: number | undefined;
  /** ns. @default ALPHA */
  readonly alpha?: number | undefined;
  /** What a push takes more by open buffers. @default nothing */
  readonly open?: OpenTimes | undefined;
}

/** How many times as long software takes on a machine as on Summit. */
const slower = (machine: TramMachine): number => CLOCKS.Summit / CLOCKS[machine];

/** ns that whoever makes a small message, and whoever handles it, needs for that. */
export const endOf = ({ machine = "Summit" }: TramPlace): number => slower(machine) * END;

/** The options of its simulation; on Summit bytes are paid for by whoever sends them. */
export function simulationOf(place: TramPlace): SimulationOptions & { readonly pes: number } {
  const { machine = "Summit", pes, mesh, bytes = MESSAGE_BYTES, bufferBytes = BUFFER_BYTES, alpha = ALPHA } = place;
  const { open } = place;
  const handling = slower(machine) * HANDLING;
  const work = { push: handling, pull: handling, advance: 30, byte: 0 };
  // all buffers that can be underway at once; allocating more takes time
  const links = (mesh ?? [pes]).reduce((sum, size) => sum + size - 1, 0);
  const limits = {
    pes,
    timeout: LIMIT,
    memoryBytes: Math.min(2 ** 32, LEAST_MEMORY + pes * links * 5 * (bufferBytes + 4096)),
  };
  const items = open && { items: withOpen(open) };
  if (machine === "Summit") {
    return {
      ...limits,
      machine: { ...machineOf(pes, alpha / 2, "bench tram"), ...items },
      costs: { ...work, push: handling + BETA * bytes },
    };
  }
  const { injection, ejection } = networks.stampede2.network;
  // and giving the buffer back as much again
  const message = (slower(machine) * alpha) / 4;
  const network = {
    ...{ alpha: 0, beta: 0, receiver: 0, processor: true },
    ...{ injection: { ...injection, message }, ejection: { ...ejection, message } },
  };
  return {
    ...limits,
    nodes: pes,
    network,
    costs: work,
    ...(items && { machine: { ...machineOf(1, 0, "bench tram"), ...items } }),
  };
}

/** Assumptions where the thesis gives nothing, with a reason each. */
export const ASSUMED: Readonly<Record<string, string>> = {
  alpha:
    "the thesis gives no number; the usual order of a small message of a message-driven runtime over a fast network is microseconds. --alpha has others",
  handling: `${HANDLING} ns of a message into a buffer and ${HANDLING} out of it, at each hop: about a copy of ${MESSAGE_BYTES} B and its header`,
  ends: `${END} ns of whoever makes a message, and of whoever handles it: chapter 1.3 has the look-ups of its place, the marks for quiescence detection and the invocation, chapter 2.2 an allocation, none of which an intermediate PE has to do`,
  timeout: `${TIMEOUT} ms of a message in buffers, over all hops. TRAM's is a period without any sending (10 us in the example of appendix B) after which a PE sends all it has; here it is an age. Between two PEs, whose buffers fill in a few us, it is those 10 us`,
  place: "each PE is a node of its own: the thesis says neither how many PEs a node had nor where they were",
  order: "a PE makes its messages for all others in turn, and none of them while it looks for what has arrived",
  Stampede2: `the timeout as on Summit; alpha, handling and ends ${slower("Stampede2").toFixed(1)} times as long, by the clocks of the CPUs (POWER9 ${CLOCKS.Summit}, Knights Landing ${CLOCKS.Stampede2} GHz), as the thesis gives none; alpha is time of a communication thread of each PE, and a byte takes 0.08 ns of it (100 Gbit/s), as beta of table 1.1 is not legible`,
};
