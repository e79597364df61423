/** Messages that the main threads of the nodes of a world exchange. */
import type { ChannelKind } from "../../../ground/base/channel-kinds.ts";
import type { EndRecord } from "../../../ground/wait/termination.ts";
import type { NodeCosts } from "../../../machine/model/node-costs.ts";
import type { RemoteCosts } from "../../../machine/model/remote-costs.ts";

/** A node's heap as it offers it to the other nodes of its machine (mapped-heaps.ts). */
export interface HeapOffer {
  readonly pid: number;
  /** The number of the file's descriptor in that process. */
  readonly fd: number;
  /** A multiple of 64 KiB. */
  readonly bytes: number;
  /** The content of the file where a heap has its secret, in hexadecimal digits. */
  readonly secret: string;
}

/** A node's data at the start of a world. */
export interface Hello {
  /** The requested number of PEs; null if none was requested. */
  readonly pes: number | null;
  /** Usable CPUs in order, at most as many as the CPU time it is allowed. */
  readonly cpus: readonly number[];
  /** Equal for nodes on one machine. */
  readonly host: string;
  /** Whether its PEs compare their calls. */
  readonly checks: boolean;
  /** The handling of a lost PE. */
  readonly onLoss: "end" | "continue";
  /** The kind of channels between them. */
  readonly channel: ChannelKind;
  /** Its plan, shortened, and what is done with one that does not fit. */
  readonly plan: string;
  /** The fingerprint of its machine. */
  readonly machine: string;
  /** Its heap, which other nodes of the machine may map; null if they may not. */
  readonly heap: HeapOffer | null;
  /** The costs of messages, as far as it knows; that of node 0 counts, so that all have the same trees. */
  readonly costs: RemoteCosts;
  /** Its measurements that plans of conveyors need; those of all nodes count. */
  readonly measured: NodeCosts;
}

/** The domains of a node (../domains.ts): by level, by PE of the node. */
export type NodeDomains = readonly (readonly number[])[];

/** A control message's content (control.ts). */
export type ControlPayload =
  | { readonly kind: "hello"; readonly hello: Hello }
  | { readonly kind: "mapped"; readonly isMapped: boolean }
  | { readonly kind: "domains"; readonly domains: NodeDomains }
  | { readonly kind: "window" }
  | { readonly kind: "window made" }
  | { readonly kind: "returned"; readonly rank: number; readonly run: number }
  | { readonly kind: "finished"; readonly run: number; readonly calls: string; readonly isLast: boolean }
  | { readonly kind: "end"; readonly end: EndRecord; readonly silent: number; readonly isCommon: boolean }
  | { readonly kind: "lost"; readonly rank: number; readonly message: string }
  | { readonly kind: "lost node"; readonly node: number; readonly message: string }
  | { readonly kind: "gone" }
  | { readonly kind: "bye" }
  | { readonly kind: "beat" };
