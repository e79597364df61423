/**
 * The cost of the synthetic benchmark of TRAM's thesis in the simulator, and its assumptions.
 *
 * A message takes alpha / 2 of its sender's time and alpha / 2 of its receiver's, who gives the buffer back by a
 * message; what is in it takes time at each hop: beta for each byte, and a constant for each small message. So a PE
 * does nothing else while it sends or receives, as "the PAMI network layer on Summit does not support a dedicated
 * communication thread". All PEs are equally far from each other, as if each were a node of its own.
 *
 * Limits: no congestion, no caches, no latency beside alpha / 2, and four buffers of a link at most are underway.
 *
 * Source: V. Narayanan, "Generalizing fine-grained message aggregation" (2020), table 1.1, chapters 4 and 5, appendix
 * B.
 */
import type { SimulatedCosts } from "../../../../src/plan/network/cluster.ts";
import { networks } from "../../../../src/plan/network/networks.ts";

/** Bytes of a small message: section 5.3. */
export const MESSAGE_BYTES = 100;
/** Messages of a pair for one acknowledgement: section 5.2. */
export const WINDOW = 100;
/**
 * Effective bytes of a buffer in section 5.2, made up of the buffer in appendix B and the default threshold of Charm++.
 */
export const BUFFER_BYTES = 20_480;
export const THRESHOLD = 0.5;
/** ns; see {@link ASSUMED}. */
export const ALPHA = 2000;
/** ms; see {@link ASSUMED}. */
export const TIMEOUT = 0.2;
/** ns of a small message into a buffer, and out of it. */
const HANDLING = 25;
/** ns of a byte: table 1.1. */
const BETA = networks.summit.network.beta ?? Number.NaN;

/** The work of a PE; bytes are paid for by whoever sends them. */
export const COSTS: SimulatedCosts = {
  push: HANDLING + BETA * MESSAGE_BYTES,
  pull: HANDLING,
  advance: 30,
  byte: 0,
};

/** Assumptions where the thesis gives nothing, with a reason each. */
export const ASSUMED: Readonly<Record<string, string>> = {
  alpha:
    "the thesis gives no number; the usual order of a small message of a message-driven runtime over a fast network is microseconds. --alpha has others",
  handling: `${HANDLING} ns of a message into a buffer and ${HANDLING} out of it, at each hop: about a copy of ${MESSAGE_BYTES} B and its header`,
  timeout: `${TIMEOUT} ms of a message in buffers, over all hops. TRAM's is a period without any sending (10 us in the example of appendix B) after which a PE sends all it has; here it is an age`,
  place: "each PE is a node of its own: the thesis says neither how many PEs a node had nor where they were",
  order: "a PE makes its messages for all others in turn, and none of them while it looks for what has arrived",
};
