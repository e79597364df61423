/** A node: the heap of a world with all that its PEs share, and the PEs' seats. For launch() and createWorld(). */
import { checkTrees } from "../../../trees/model/check-world-trees.ts";
import type { Trees } from "../../../trees/model/tree.ts";
import { registryBytes } from "../../collectives/team/registry-layout.ts";
import { teamBytes } from "../../collectives/team/team-block.ts";
import { UsageError } from "../../ground/base/errors.ts";
import { setting } from "../../ground/base/settings.ts";
import { heapBytesFor } from "../../ground/memory/allocator.ts";
import type { Heap } from "../../ground/memory/heap.ts";
import type { WasmMemory } from "../../ground/memory/kernels/webassembly.ts";
import { DEFAULT_HEAP_BYTES, newHeap } from "../../ground/memory/new-heap.ts";
import { waitAreaBytes } from "../../ground/wait/layout.ts";
import { Termination } from "../../ground/wait/termination.ts";
import { Wakers } from "../../ground/wait/wakers.ts";
import { statusBytes } from "../../links/status/layout.ts";
import { mailboxesBytes } from "../../links/transport/messages/layout.ts";
import type { PEDescriptor } from "../../links/world/layout.ts";
import { WindowBoard } from "../../links/world/nodes/window-board.ts";
import type { MachineModel } from "../../machine/model/machine-model.ts";
import type { WorldPlan } from "../../plan/document/world-plan.ts";
import type { WorldOptions } from "./options.ts";
import type { PreparedWorld } from "./prepare.ts";

/** A node's shared memory and seats. */
export interface Node {
  readonly heap: Heap;
  readonly wakers: Wakers;
  readonly termination: Termination;
  readonly seats: readonly PEDescriptor[];
  readonly trees: Trees;
  /** The machine model with one row per PE of the node. */
  readonly model: MachineModel;
  readonly plan: WorldPlan;
  /** The window over the heaps of all nodes; null if this is the only one. */
  readonly window: WindowBoard | null;
}

/**
 * Makes the heap and the seats of a world on this machine, with these `trees`.
 * @throws UsageError for trees that do not span its PEs; HeapError
 */
export function makeNode(options: WorldOptions, prepared: PreparedWorld, trees: Trees): Node {
  const { cpus, cores, model, forced, channel, domains, job, adopted } = prepared;
  const nodeSize = cpus.length;
  const isActive = setting("waitPolicy") === "active";
  checkTrees(trees, nodeSize);
  const nodes = job?.nodes ?? { node: 0, starts: [0, nodeSize] };
  const size = nodes.starts.at(-1) as number;
  const first = nodes.starts[nodes.node];
  const areas = [
    // the first: nodes of this machine that have mapped the heap find it there, whatever else is in it
    ...(job === null ? [] : [mailboxesBytes(nodes)]),
    waitAreaBytes(size),
    registryBytes(nodeSize),
    teamBytes(trees, nodeSize),
    statusBytes(nodeSize),
  ];
  const heap = heapFor(areas, nodeSize, options.heapBytes, job?.memory ?? undefined);
  const [waitOffset, registryOffset, teamOffset, statusOffset] = areas.map((bytes) => heap.allocate(bytes)).slice(-4);
  const window = job && new WindowBoard();
  const jobSeat = job && {
    nodes,
    costs: job.costs,
    measured: job.measured,
    epoch: job.epoch.number,
    tagsUsed: job.epoch.tagsUsed,
    window: (window as WindowBoard).memory,
  };
  const seats = cpus.map(
    (cpu, nodeRank): PEDescriptor => ({
      rank: first + nodeRank,
      size,
      nodeSize,
      first,
      job: jobSeat,
      memory: heap.memory,
      waitOffset,
      registryOffset,
      teamOffset,
      statusOffset,
      cpu: options.pin === false ? null : cpu,
      cores,
      spins: isActive && nodeSize <= cores,
      waitTimeout: options.waitTimeout ?? null,
      checks: options.checks ?? true,
      channel,
      domains,
      forced,
    }),
  );
  const wakers = new Wakers(heap.i32, waitOffset, size);
  if (options.onLoss === "continue") wakers.losses.continueAfter();
  const termination = new Termination(heap.i32, heap.u8, waitOffset);
  return { heap, wakers, termination, seats, trees, model, plan: adopted.plan, window };
}

/** A heap large enough for the areas of a world. @throws UsageError if `bytes` is too small for them */
function heapFor(areas: readonly number[], pes: number, bytes: number = DEFAULT_HEAP_BYTES, mapped?: WasmMemory): Heap {
  const least = heapBytesFor(areas);
  if (Number.isInteger(bytes) && bytes > 0 && bytes < least) {
    throw new UsageError(
      `heapBytes: expected at least ${least} bytes, which a world of ${pes} PEs on this node needs for itself, got ${bytes}. ` +
        "Arrays, groups and conveyors come on top: leave it out for 1 GiB, of which only what is touched is used.",
    );
  }
  return newHeap(bytes, mapped);
}
