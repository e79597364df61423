/**
 * Networks for the comparison of plans: drawn from the ranges of their parameters, or one of those that have a name.
 */
import type { NetworkName, SimulatedNetwork, SimulatedTopology } from "../../../../src/plan/network/network.ts";

/** Draws numbers. */
export interface Draw {
  /** One of these; undefined if there are none. */
  readonly one: <T>(list: readonly T[]) => T;
  /** A number between two, on a logarithmic scale. */
  readonly between: (least: number, most: number) => number;
}

/** A network and what is said of it. */
export interface DrawnNetwork {
  readonly network: SimulatedNetwork | NetworkName;
  readonly name: string;
}

/** Of the networks with a name, those that can be congested. */
const NAMED: readonly NetworkName[] = ["cm-5", "paragon", "xc30", "omni-path", "stampede2"];

/** Only messages to the same node wait for each other. */
export function simpleNetwork({ one }: Draw): DrawnNetwork {
  const [alpha, beta] = [one([500, 1500, 5000]), one([0.02, 0.1, 0.5])];
  return { network: { alpha, beta, receiver: one([50, 300, 1000]) }, name: "simple" };
}

/** One of four has a name; the others have injection and ejection, and some of the other parts. */
export function congestedNetwork(draw: Draw, nodes: number): DrawnNetwork {
  const { one, between } = draw;
  const name = one([undefined, undefined, undefined, ...NAMED.slice(0, 1)]) && one(NAMED);
  if (name !== undefined) return { network: name, name };
  const [message, byte] = [between(30, 1000), between(0.02, 1)];
  // receivers may be slower than senders, or faster
  const slower = one([0.5, 1, 1, 2]);
  const parts = {
    queue: one([undefined, undefined, 4 * nodes, 16 * nodes]),
    packetBytes: one([undefined, undefined, 2048, 8192]),
    interleaved: one([undefined, true]),
    // of uniform traffic a node's share of what crosses the network's middle
    bisection: one([undefined, undefined, 0.5, 1, 3].map((share) => share && (share * byte * 4) / nodes)),
    topology: topologyOf(draw, byte, nodes),
  };
  const network = {
    alpha: between(300, 10_000),
    beta: one([0, byte / 10]),
    injection: { message, byte },
    ejection: { message: message * slower, byte: byte * slower },
    ...parts,
  };
  const said = Object.entries({ ...parts, topology: parts.topology?.kind });
  return {
    network,
    name: ["drawn", ...said.filter(([, part]) => part !== undefined).map(([key, part]) => textOf(key, part))].join(" "),
  };
}

const textOf = (key: string, part: unknown): string =>
  part === true || typeof part === "string" ? (part === true ? key : part) : key;

function topologyOf({ one }: Draw, byte: number, nodes: number): SimulatedTopology | undefined {
  const kind = one([undefined, undefined, "full", "mesh", "fat-tree"] as const);
  const link = byte * one([0.3, 1, 2]);
  if (kind === undefined) return undefined;
  if (kind !== "fat-tree") return { kind, byte: link };
  return nodes < 8
    ? { kind, levels: [{ byte: link }] }
    : { kind, levels: [{ children: 4, byte: link }, { byte: link / one([1, 2, 4]) }] };
}
