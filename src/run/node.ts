/**
 * A node: the heap of a world with everything in it that PEs share, and their seats. What launch() and
 * createGroup() have in common.
 */
import { checkPlan } from "../../trees/model/check-plan.ts";
import type { Algorithm, Trees } from "../../trees/model/types.ts";
import { UsageError } from "../base/errors.ts";
import { setting } from "../base/settings.ts";
import { REGISTRY_BYTES } from "../collectives/team/registry.ts";
import { teamBytes } from "../collectives/team/team.ts";
import { chosenTrees, type Wanted } from "../contest/chosen.ts";
import { fingerprint, fitWarning } from "../machine/fingerprint.ts";
import { parseMachine, readMachine } from "../machine/model.ts";
import { type FarCosts, farCosts } from "../machine/remote-costs.ts";
import { readTopology } from "../machine/topology.ts";
import type { Cpu, MachineModel } from "../machine/types.ts";
import { usableCpus } from "../machine/usable.ts";
import { heapBytesFor } from "../memory/allocator.ts";
import { DEFAULT_HEAP_BYTES, Heap } from "../memory/heap.ts";
import { statusBytes } from "../status/layout.ts";
import { clusterBytes, type Nodes } from "../transport/messages/layout.ts";
import { waitAreaBytes } from "../wait/layout.ts";
import { errorOf, Fate } from "../wait/termination.ts";
import { Bells } from "../wait/wakers.ts";
import { bindingWarning } from "../world/binding.ts";
import type { Forced, Seat } from "../world/layout.ts";
import type { Epoch } from "../world/nodes/epoch.ts";
import { hostId, type Share, shareOf, startsOf } from "../world/nodes/share.ts";
import { place } from "../world/placement.ts";

/** What a world can be told, however its PEs come to it. */
export interface WorldOptions {
  /** Number of PEs. More than there are cores is fine. @default one per usable core */
  readonly pes?: number;
  /**
   * The machine model to plan with, or the path of one (`tundish profile -o machine.json`).
   * @default the file that TUNDISH_MACHINE names, else a guess from the topology
   */
  readonly machine?: MachineModel | string;
  /**
   * Trees to run on, as `generateTrees` gives them, over ranks.
   * @default generated from `machine`; by `launch`, with a `machine` that was profiled here and a core for each
   *   PE, the most promising ones are measured once and the fastest kept in the user's cache folder
   */
  readonly plan?: Trees;
  /**
   * How the trees of the world and of its groups are built, measured or not: `"smelt"`, say, or `"adaptive"` for
   * what the model prefers. Not together with `plan`.
   * @default what TUNDISH_TREE says, else the best that is known
   */
  readonly tree?: Algorithm;
  /** Whether each PE binds itself to a CPU (Linux). Programs that share the cores may be better off without. @default true */
  readonly pin?: boolean;
  /**
   * Bytes of the shared heap, at most 4 GiB: address space, used only where touched. What the world needs for itself is
   * refused to be less, with the number in the message.
   * @default 1 GiB
   */
  readonly heapBytes?: number;
  /** Time that one wait for other PEs may take, ms; then a TimeoutError ends the world. @default no limit */
  readonly waitTimeout?: number;
  /**
   * Whether the calls of the PEs are compared, so that calls that do not match give a MismatchError
   * rather than a hang or a wrong result. Costs a few ns a call. @default true
   */
  readonly checks?: boolean;
}

const UNMEASURED =
  "Trees are not measured, as several nodes of the world share this machine and would disturb each other: the machine model is " +
  "taken at its word. Start one process per machine.";

/** A node's shared memory and seats. */
export interface Node {
  readonly heap: Heap;
  readonly bells: Bells;
  readonly fate: Fate;
  readonly seats: readonly Seat[];
  readonly plan: Trees;
  /** The machine model with one row per PE of the node. */
  readonly model: MachineModel;
}

/** The nodes of a world, and what this one gets of its machine. */
interface Company {
  readonly nodes: Nodes;
  readonly share: Share;
  readonly costs: FarCosts;
}

/**
 * Makes the heap and the seats of a world on this machine.
 * @param contest what ends the measuring of trees; null where none may be measured: the PEs' CPUs are not free
 * @param epoch where other nodes are met; null for a world on this node alone
 * @throws the reason of `contest` when that has ended it
 */
export async function makeNode(
  options: WorldOptions,
  contest: AbortSignal | null,
  epoch: Epoch | null = null,
): Promise<Node> {
  const topology = await readTopology();
  const machine = await machineOf(options);
  const bound = epoch && bindingWarning(topology);
  if (bound) process.emitWarning(bound, { type: "TundishWarning", code: "TUNDISH_BOUND" });
  const usable = usableCpus(topology);
  const company = epoch && (await meet(epoch, options, usable, machine, contest as AbortSignal));
  const misfit = machine ? fitWarning(machine, topology) : null;
  if (misfit) process.emitWarning(misfit, { type: "TundishWarning", code: "TUNDISH_MODEL_STALE" });
  const { cpus, cores, model } = place(topology, usable, options.pes, machine, company?.share);
  const nodeSize = cpus.length;
  const forced = forcedBy(options);
  const crowded = nodeSize > cores;
  const isGuess = machine === undefined;
  const fits = isGuess || (machine.fingerprint !== undefined && misfit === null);
  const wanted: Wanted = {
    model,
    fingerprint: fits ? fingerprint(topology) : null,
    crowded,
    // a guess is taken at its word, or at that of `tundish tree`, which measures a guess too
    contest: isGuess || company?.share.shared ? null : contest,
    unmeasured: !isGuess && company?.share.shared ? UNMEASURED : null,
    tree: forced?.tree ?? null,
  };
  const { plan = await chosenTrees(wanted) } = options;
  checkPlan(plan, nodeSize);
  const nodes = company?.nodes ?? { node: 0, starts: [0, nodeSize] };
  const size = nodes.starts.at(-1) as number;
  const first = nodes.starts[nodes.node];
  const areas = [waitAreaBytes(size), REGISTRY_BYTES, teamBytes(plan, nodeSize), statusBytes(nodeSize)];
  if (company !== null) areas.push(clusterBytes(nodeSize));
  const heap = heapFor(areas, nodeSize, options.heapBytes);
  const [waitOffset, registryOffset, teamOffset, statusOffset, clusterOffset] = areas.map((bytes) =>
    heap.allocate(bytes),
  );
  const cluster = company &&
    epoch && {
      nodes,
      costs: company.costs,
      offset: clusterOffset,
      epoch: epoch.number,
      tagsUsed: epoch.tagsUsed,
    };
  const seats = cpus.map(
    (cpu, nodeRank): Seat => ({
      rank: first + nodeRank,
      size,
      nodeSize,
      first,
      cluster,
      memory: heap.memory,
      waitOffset,
      registryOffset,
      teamOffset,
      statusOffset,
      cpu: options.pin === false ? null : cpu,
      cores,
      waitTimeout: options.waitTimeout ?? null,
      checks: options.checks ?? true,
      forced,
    }),
  );
  const bells = new Bells(heap.i32, waitOffset, size);
  const fate = new Fate(heap.i32, heap.u8, waitOffset);
  return { heap, bells, fate, seats, plan, model };
}

/** A heap with room for what a world keeps in it. @throws UsageError for one that is too small for that */
function heapFor(areas: readonly number[], pes: number, bytes: number = DEFAULT_HEAP_BYTES): Heap {
  const least = heapBytesFor(areas);
  if (Number.isInteger(bytes) && bytes > 0 && bytes < least) {
    throw new UsageError(
      `heapBytes: expected at least ${least} bytes, which a world of ${pes} PEs on this node needs for itself, got ${bytes}. ` +
        "Arrays, groups and conveyors come on top: leave it out for 1 GiB, of which only what is touched is used.",
    );
  }
  return Heap.create(bytes);
}

/** Meets the other nodes. @throws what has ended the world there; the reason of `stop` */
async function meet(
  epoch: Epoch,
  { pes, checks = true }: WorldOptions,
  usable: readonly Cpu[],
  machine: MachineModel | undefined,
  stop: AbortSignal,
): Promise<Company> {
  const hello = {
    pes: pes ?? null,
    cpus: usable.map(({ cpu }) => cpu),
    host: hostId(),
    checks,
    costs: farCosts(machine),
  };
  const hellos = await epoch.meet(hello, stop);
  if (epoch.end !== null) throw errorOf(epoch.end);
  const other = hellos.findIndex((one) => one.checks !== hellos[0].checks);
  if (other >= 0) {
    throw new UsageError(
      `checks: expected the same on all nodes, got ${hellos[0].checks} on node 0 and ${hellos[other].checks} on node ${other}.`,
    );
  }
  const starts = startsOf(hellos);
  epoch.starts = starts;
  const { costs } = hellos[0];
  return { nodes: { node: epoch.node, starts }, share: shareOf(hellos, epoch.node), costs };
}

/** What forces the trees: the option, else the environment where no plan is given. @throws UsageError for no name */
function forcedBy({ plan, tree }: WorldOptions): Forced | null {
  if (tree !== undefined) return { tree, by: "the option tree" };
  const wish = setting("tree") as Algorithm | "";
  return plan !== undefined || wish === "" ? null : { tree: wish, by: "TUNDISH_TREE" };
}

async function machineOf({ machine }: WorldOptions): Promise<MachineModel | undefined> {
  if (typeof machine === "object") return parseMachine(machine);
  const path = machine ?? setting("machine");
  return path ? readMachine(path) : undefined;
}
