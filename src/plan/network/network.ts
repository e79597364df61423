/** The options of the network between nodes, and what they come to. */

/** Networks whose parameters are known: {@link networks}. */
export type NetworkName =
  | "cm-5"
  | "paragon"
  | "alewife"
  | "xc30"
  | "omni-path"
  | "summit"
  | "stampede2"
  | "cori"
  | "frontera";

/** The network between nodes, where it is not congested: a message of b bytes takes `alpha + beta * b`. */
export interface NetworkLine {
  /** Latency, ns. @default 1500 */
  readonly alpha?: number | undefined;
  /** ns per byte. @default 0.1 */
  readonly beta?: number | undefined;
  /** Time for which a node is busy receiving one message, ns; messages to one node queue. @default 300 */
  readonly receiver?: number | undefined;
}

/** The costs that are not given, ns. */
export const LINE = { alpha: 1500, beta: 0.1, receiver: 300 } as const;

/** Time for which a node is busy with a packet, ns: `message + byte * b`. */
export interface NetworkRate {
  /** ns for each packet; for each message, if there are no packets. */
  readonly message?: number | undefined;
  /** ns for each byte. */
  readonly byte?: number | undefined;
}

/** Another line from some size on. */
export interface NetworkPiece {
  /** Bytes of the smallest message that it is for. */
  readonly from: number;
  /** ns */
  readonly alpha: number;
  /** ns per byte. */
  readonly beta: number;
}

/** The links of a network, each with its ns per byte. docs/simulate.md has the paths. */
export type SimulatedTopology =
  | {
      /** A link for each ordered pair of nodes. */
      readonly kind: "full";
      readonly byte: number;
    }
  | {
      /** Rows of nodes, with links between neighbours; messages go along the row first. */
      readonly kind: "mesh";
      readonly byte: number;
      /** Nodes in a row, a divisor of their number. @default as square as possible */
      readonly columns?: number | undefined;
    }
  | {
      /** Switches in levels, the lowest first. */
      readonly kind: "fat-tree";
      readonly levels: readonly FatTreeLevel[];
    };

/** A level of a fat tree. */
export interface FatTreeLevel {
  /** Subtrees below a switch of this level; nodes, on the lowest. @default all, on the highest */
  readonly children?: number | undefined;
  /** ns per byte of the link between a subtree and its switch, in each direction. */
  readonly byte: number;
}

/** The network between nodes. What is not given limits nothing. */
export interface SimulatedNetwork extends NetworkLine {
  /** Name of a network, or `measured`: the `internode` of the machine model. What is given here replaces its part. */
  readonly like?: NetworkName | "measured" | undefined;
  /** Other lines from some sizes on, ascending. @default none */
  readonly pieces?: readonly NetworkPiece[] | undefined;
  /** Time for which a node is busy sending a packet. @default 0 */
  readonly injection?: NetworkRate | undefined;
  /** Time for which a node is busy receiving a packet. @default receiver for each message */
  readonly ejection?: NetworkRate | undefined;
  /** Packets for a node that can be underway or wait there; others wait at their senders. @default any number */
  readonly queue?: number | undefined;
  /** Messages are sent in packets of at most so many bytes. @default as a whole */
  readonly packetBytes?: number | undefined;
  /** Whether packets for different nodes take turns at their sender. @default false */
  readonly interleaved?: boolean | undefined;
  /**
   * Whether a node's packets take turns at its processor, going in and coming out, those that come out first. @default
   * false
   */
  readonly processor?: boolean | undefined;
  /** Whether control messages pass others at both nodes, and need no place in the queue. @default false */
  readonly control?: boolean | undefined;
  /** ns per byte from one half of the network to the other, in each direction. @default 0 */
  readonly bisection?: number | undefined;
  /** Links. @default none */
  readonly topology?: SimulatedTopology | undefined;
  /** Time of a barrier or a vote of all nodes in hardware, ns. @default none: on a tree of messages */
  readonly barrier?: number | undefined;
}

/** The parts that can be congested. */
export interface Congestion {
  readonly injection: { readonly message: number; readonly byte: number };
  readonly ejection: { readonly message: number; readonly byte: number };
  readonly queue: number;
  readonly packetBytes: number;
  readonly interleaved: boolean;
  readonly processor: boolean;
  readonly control: boolean;
  readonly bisection: number;
  readonly topology: SimulatedTopology | null;
}

/** The same with all defaults filled in. */
export interface NetworkSettings {
  readonly alpha: number;
  readonly beta: number;
  readonly receiver: number;
  readonly pieces: readonly NetworkPiece[];
  /** null without a barrier in hardware. */
  readonly barrier: number | null;
  /** null if only messages to one node queue, for `receiver`. */
  readonly congestion: Congestion | null;
}

/** The line for a message of so many bytes. */
export function lineOf(
  settings: Pick<NetworkSettings, "alpha" | "beta" | "pieces">,
  bytes: number,
): { readonly alpha: number; readonly beta: number } {
  const { pieces } = settings;
  if (pieces.length === 0) return settings;
  return pieces.findLast(({ from }) => bytes >= from) ?? settings;
}
