/** The nodes of a world meet: each says what it is and wants, all look whether it fits, and map each other's heaps. */
import type { ChannelKind } from "../../../ground/base/channel-kinds.ts";
import { UsageError } from "../../../ground/base/errors.ts";
import type { WasmMemory } from "../../../ground/memory/kernels/webassembly.ts";
import { DEFAULT_HEAP_BYTES } from "../../../ground/memory/new-heap.ts";
import type { Nodes } from "../../../links/transport/nodes.ts";
import type { Epoch } from "../../../links/world/nodes/epoch.ts";
import {
  type MappedHeaps,
  mapHeaps,
  mappingNodes,
  offerHeap,
  withdraw,
} from "../../../links/world/nodes/mapped-heaps.ts";
import type { Hello } from "../../../links/world/nodes/said.ts";
import { hostId, type Share, shareOf, startsOf } from "../../../links/world/nodes/share.ts";
import type { Cpu, MachineModel } from "../../../machine/model/machine-model.ts";
import { type NodeCosts, nodeCosts } from "../../../machine/model/node-costs.ts";
import { type RemoteCosts, remoteCosts } from "../../../machine/model/remote-costs.ts";

/** The nodes of a world, and this node's share of its machine. */
export interface JobNodes {
  readonly epoch: Epoch;
  readonly nodes: Nodes;
  readonly share: Share;
  readonly costs: RemoteCosts;
  /** By node: what it has measured that plans of conveyors need. */
  readonly measured: readonly NodeCosts[];
  /** The fingerprint of each node's machine. */
  readonly machines: readonly string[];
  /** The memory of this node's heap, with those of other nodes of the machine behind it; null if it has none yet. */
  readonly memory: WasmMemory | null;
}

/** The facts that this node tells the others, beside its options. */
export interface NodeFacts {
  readonly channel: ChannelKind;
  readonly usable: readonly Cpu[];
  readonly machine: MachineModel | undefined;
  /** Where the model is from. */
  readonly source: string;
  readonly plan: string;
  /** The fingerprint of its machine. */
  readonly here: string;
}

/** The options of the world that nodes tell each other. */
interface Wishes {
  readonly pes?: number;
  readonly checks?: boolean;
  readonly onLoss?: Hello["onLoss"];
  readonly heapBytes?: number;
}

/**
 * Exchanges hellos with the other nodes, and maps the heaps of those on this machine. @throws the error that ended the
 * world there; the reason of `stop`
 */
export async function meet(
  epoch: Epoch,
  { pes, checks = true, onLoss = "end", heapBytes = DEFAULT_HEAP_BYTES }: Wishes,
  { channel, usable, machine, source, plan, here }: NodeFacts,
  stop: AbortSignal,
): Promise<JobNodes> {
  const heap = offerHeap(heapBytes);
  try {
    const hello = {
      pes: pes ?? null,
      cpus: usable.map(({ cpu }) => cpu),
      host: hostId(),
      checks,
      onLoss,
      channel,
      plan,
      machine: here,
      heap,
      costs: remoteCosts(machine),
      measured: nodeCosts(machine, source),
    };
    const hellos = await epoch.meet(hello, stop);
    epoch.check();
    epoch.atAll(() => checkHellos(hellos));
    const starts = startsOf(hellos);
    epoch.starts = starts;
    const mapped = await mapAmong(epoch, hellos, starts, stop);
    const { costs } = hellos[0];
    const hosts = hostsOf(hellos);
    const nodes = { node: epoch.node, starts, hosts, heaps: mapped?.heaps };
    const machines = hellos.map((hello) => hello.machine);
    const share = shareOf(hellos, epoch.node);
    // nodes of one machine may share its CPUs
    const measured = hellos.map(({ measured: own }, node) => {
      const { cores } = shareOf(hellos, node);
      return { ...own, cpus: Math.min(own.cpus ?? cores, cores) };
    });
    return { epoch, nodes, share, costs, measured, machines, memory: mapped?.memory ?? null };
  } finally {
    withdraw(heap);
  }
}

/** By node: the first node of its machine. */
function hostsOf(hellos: readonly Hello[]): number[] {
  const first = new Map<string, number>();
  return hellos.map(({ host }, node) => {
    const one = first.get(host) ?? node;
    first.set(host, one);
    return one;
  });
}

/** @throws UsageError if nodes differ where they must not */
function checkHellos(hellos: readonly Hello[]): void {
  for (const name of ["checks", "channel", "onLoss", "plan"] as const) {
    const other = hellos.findIndex((one) => one[name] !== hellos[0][name]);
    if (other < 0) continue;
    throw new UsageError(
      `${name}: expected the same on all nodes, got ${hellos[0][name]} on node 0 and ${hellos[other][name]} on node ${other}.`,
    );
  }
}

/** Maps the heaps of the nodes of this machine, if all of these nodes can; else null. */
async function mapAmong(
  epoch: Epoch,
  hellos: readonly Hello[],
  starts: readonly number[],
  stop: AbortSignal,
): Promise<MappedHeaps | null> {
  const among = mappingNodes(hellos, epoch.node, starts);
  if (among.length === 0) return null;
  const mapped = mapHeaps(hellos, epoch.node, among);
  const isAgreed = await epoch.agree(mapped !== null, among, stop);
  epoch.check();
  return isAgreed ? mapped : null;
}
