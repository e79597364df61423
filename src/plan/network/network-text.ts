/**
 * Where the costs between nodes are from, with the numbers that a plan goes by: one form for networks that were
 * measured, that have a name, that were given, and for the defaults.
 *
 * Example:
 * `between nodes, given, a message of m bytes takes alpha + beta m = 5 us + 0.1 ns x m; its receiver 300 ns: alpha as
 * given, the rest by default`.
 */
import { amountText, durationText } from "../../ground/base/units.ts";
import type { MachineModel } from "../../machine/model/machine-model.ts";
import { measuredText, notMeasuredText } from "./measured-network.ts";
import type { NetworkName, NetworkSettings, SimulatedNetwork, SimulatedTopology } from "./network.ts";
import { networks } from "./networks.ts";

/** The network that a plan or a simulation was given. */
type GivenNetwork = SimulatedNetwork | NetworkName | "measured" | undefined;

/** @param settings what it has come to @param nodeSize PEs of a node */
export function networkLines(
  given: GivenNetwork,
  settings: NetworkSettings,
  machine: MachineModel | undefined,
  nodeSize: number,
): string[] {
  const noisy = machine?.internode?.noisy;
  if (given === undefined) return [notMeasuredText(noisy)];
  const options: SimulatedNetwork = typeof given === "string" ? { like: given } : given;
  const names = Object.entries(options).flatMap(([name, value]) =>
    name === "like" || value === undefined ? [] : [name],
  );
  const { like } = options;
  const internode = machine?.internode;
  if (like === "measured" && internode !== undefined && names.length === 0)
    return [`between nodes, ${sourceText(internode)}, ${measuredText(internode, nodeSize)}: ${machine?.name}`];
  if (like === undefined && names.length === 0) return [notMeasuredText(noisy)];
  const base = like === "measured" ? `measured in ${machine?.name}` : like && `${like} (${networks[like].title})`;
  const own = names.length === 0 ? [] : [`${names.join(", ")} as given`];
  const source = base === undefined ? [...own, "the rest by default"] : [base, ...own];
  return [`between nodes, given, ${settingsText(settings)}: ${source.join(base === undefined ? ", " : ", but ")}`];
}

/** A profile has costs by PEs of a node; a model with alpha and beta alone was written by somebody. */
export const sourceText = ({ pes }: { readonly pes?: unknown }): string =>
  pes === undefined ? "given by the model" : "measured";

/** The numbers, in the words of what was measured. */
function settingsText({ alpha, beta, receiver, pieces, barrier, congestion }: NetworkSettings): string {
  const line = (message: number, byte: number) => `${durationText(message)} + ${amountText(byte)} ns x m`;
  const first = `a message of m bytes takes alpha + beta m = ${line(alpha, beta)}`;
  const bySize = pieces.map((piece) => `${line(piece.alpha, piece.beta)} from ${piece.from} B on`);
  const sizes = bySize.length === 0 ? [] : [`by size ${bySize.join(", ")}`];
  const hardware = barrier === null ? [] : [`a barrier in hardware takes ${durationText(barrier)}`];
  if (congestion === null) return [first, ...sizes, `its receiver ${durationText(receiver)}`, ...hardware].join("; ");
  const { injection, ejection, queue, packetBytes, interleaved, processor, control, bisection, topology } = congestion;
  const isOn = ({ message, byte }: { message: number; byte: number }) => message > 0 || byte > 0;
  const sent = Number.isFinite(packetBytes) ? `packet, of up to ${packetBytes} B,` : "message";
  return [
    first,
    ...sizes,
    ...(isOn(injection) ? [`a node sends a ${sent} every ${line(injection.message, injection.byte)}`] : []),
    ...(isOn(ejection) ? [`a node receives a ${sent} every ${line(ejection.message, ejection.byte)}`] : []),
    ...(interleaved ? ["those for different nodes take turns"] : []),
    ...(processor ? ["one processor does both"] : []),
    ...(control ? ["control messages pass others"] : []),
    ...(Number.isFinite(queue) ? [`at most ${queue} underway to a node`] : []),
    ...(bisection > 0 ? [`${amountText(bisection)} ns x m across the middle`] : []),
    ...(topology === null ? [] : [topologyText(topology)]),
    ...hardware,
  ].join("; ");
}

function topologyText(topology: SimulatedTopology): string {
  const rate = (byte: number) => `${amountText(byte)} ns x m`;
  if (topology.kind === "full") return `links between all nodes, ${rate(topology.byte)} each`;
  if (topology.kind === "mesh") return `links of a mesh, ${rate(topology.byte)} each`;
  return `links of a fat tree, ${topology.levels.map(({ byte }) => rate(byte)).join(", ")} by level`;
}
