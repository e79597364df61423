/** The network of a cluster from what was measured between its nodes (`internode` of a machine model). */
import type { Internode } from "../machine/internode.ts";
import type { SimulatedNetwork } from "./network.ts";

/** What a PE itself does for a message between nodes in the simulator, ns: 50 to send, 50 to receive. */
const AT_PES = 100;
/** Where it was not measured: the default of the simulator. */
const RECEIVER = 300;

/**
 * - injection: the gaps of the streams of all PEs of a node, which share it: of p PEs each has p times the node's gap
 * - receiver: what one more sender adds at one receiver; else the gap under the most senders. For bytes it was not
 *   measured; they are taken to come out as fast as they go in
 * - alpha, beta, pieces: of one PE on each node, less what the parts above take, so that a message alone takes as long as it
 *   was measured to
 */
export function measuredNetwork(internode: Internode): SimulatedNetwork {
  const { alpha, beta, pes = [], incast = [] } = internode;
  const most = pes.at(-1);
  const receiver = internode.receiver?.sender ?? incast.at(-1)?.time ?? RECEIVER;
  const injection =
    most === undefined ? undefined : { message: most.gap.message / most.pes, byte: most.gap.byte / most.pes };
  const busy = { message: AT_PES + (injection?.message ?? 0) + receiver, byte: injection?.byte ?? 0 };
  const line = (of: { readonly alpha: number; readonly beta: number }) => ({
    alpha: Math.max(0, of.alpha - busy.message),
    beta: Math.max(0, of.beta - busy.byte),
  });
  const pieces = (pes[0]?.pieces ?? []).map((piece) => ({ from: piece.from, ...line(piece) }));
  return { ...line({ alpha, beta }), receiver, injection, pieces };
}
