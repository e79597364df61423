/** The network of a cluster from what was measured between its nodes (`internode` of a machine model). */
import { amountText, countText, durationText } from "../../ground/base/units.ts";
import { plannable } from "../../machine/model/internode.ts";
import type { MachineModel } from "../../machine/model/machine-model.ts";
import type { PlannedInternode } from "../../machine/model/node-costs.ts";
import { LINE, type SimulatedNetwork } from "./network.ts";

/** A PE's own work for a message between nodes in the simulator, ns: 50 to send, 50 to receive. */
const AT_PES = 100;

/**
 * - injection: the gaps of the streams of all PEs of a node, which share it: of p PEs each has p times the node's gap.
 *   Of the numbers of PEs that were measured the largest that a node has
 * - receiver: what one more sender adds at one receiver; else the gap under the most senders. For bytes it was not
 *   measured; they are taken to come out as fast as they go in
 * - alpha, beta, pieces: of one PE on each node, less what the parts above take, so that a message alone takes as long
 *   as it was measured to
 * @param nodeSize PEs of a node. @default as many as were measured
 */
export function measuredNetwork(internode: PlannedInternode, nodeSize?: number): SimulatedNetwork {
  const { alpha, beta, pes = [] } = internode;
  const { injection, receiver } = sharedBy(internode, nodeSize);
  const busy = { message: AT_PES + (injection?.message ?? 0) + receiver, byte: injection?.byte ?? 0 };
  const line = (of: { readonly alpha: number; readonly beta: number }) => ({
    alpha: Math.max(0, of.alpha - busy.message),
    beta: Math.max(0, of.beta - busy.byte),
  });
  const pieces = (pes[0]?.pieces ?? []).map((piece) => ({ from: piece.from, ...line(piece) }));
  return { ...line({ alpha, beta }), receiver, injection, pieces };
}

/** Of a machine model; undefined if it has none. */
export function networkOfModel(machine: MachineModel | undefined): SimulatedNetwork | undefined {
  const internode = plannable(machine?.internode);
  return internode && measuredNetwork(internode);
}

/** The shared costs of the PEs of a node: sending, and receiving. */
function sharedBy({ pes = [], incast = [], receiver }: PlannedInternode, nodeSize = Number.POSITIVE_INFINITY) {
  const most = pes.findLast(({ pes: count }) => count <= nodeSize) ?? pes[0];
  return {
    receiver: receiver?.sender ?? incast.at(-1)?.time ?? LINE.receiver,
    injection:
      most === undefined ? undefined : { message: most.gap.message / most.pes, byte: most.gap.byte / most.pes },
    pes: most?.pes,
  };
}

/** The measured numbers: `a message of m bytes takes 67.27 us + 14.5 ns x m, …`. */
export function measuredText(internode: PlannedInternode, nodeSize?: number): string {
  const { alpha, beta, pes = [], incast, receiver: fitted } = internode;
  const { injection, receiver, pes: count = 1 } = sharedBy(internode, nodeSize);
  const line = (message: number, byte: number) => `${durationText(message)} + ${amountText(byte)} ns x m`;
  const pieces = (pes[0]?.pieces ?? []).map((piece) => `${line(piece.alpha, piece.beta)} from ${piece.from} B on`);
  return [
    `a message of m bytes takes alpha + beta m = ${line(alpha, beta)}`,
    ...(pieces.length === 0 ? [] : [`by size ${pieces.join(", ")}`]),
    ...(injection === undefined
      ? []
      : [`a node sends one every ${line(injection.message, injection.byte)} (${countText(count, "PE")})`]),
    ...(fitted === undefined && incast === undefined
      ? []
      : [`incast: a receiver takes ${durationText(receiver)} for each`]),
  ].join("; ");
}

/**
 * Where nothing was measured, and nothing is given: what the defaults are.
 * @param noisy figures that were measured, and varied too much to plan with
 */
export function notMeasuredText(noisy: readonly string[] = []): string {
  const why = noisy.length === 0 ? "not measured" : `not planned with what was measured (${noisy[0]})`;
  return (
    `between nodes, ${why}: a message of m bytes is taken to take ${durationText(LINE.alpha)} + ${LINE.beta} ns x m, and its ` +
    `receiver ${durationText(LINE.receiver)} (tundish profile under mpirun measures it)`
  );
}
