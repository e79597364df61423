/**
 * Prepares a world on this machine: the CPUs of its PEs, the machine model with a row for each, the other nodes. The
 * first step of launch() and createWorld(); trees are chosen from its result.
 */
import type { Algorithm } from "../../../trees/model/tree.ts";
import type { ChannelKind } from "../../ground/base/channel-kinds.ts";
import { EnvironmentError, UsageError } from "../../ground/base/errors.ts";
import { setting } from "../../ground/base/settings.ts";
import { whyNoThreads } from "../../ground/base/thread/spawn.ts";
import { channelOf } from "../../ground/channel/backends.ts";
import { DEFAULT_HEAP_BYTES } from "../../ground/memory/heap.ts";
import type { WasmMemory } from "../../ground/memory/kernels/webassembly.ts";
import type { Nodes } from "../../links/transport/messages/layout.ts";
import { bindingWarning } from "../../links/world/binding.ts";
import { domainsOfNode, domainsOfWorld, type Partitions } from "../../links/world/domains.ts";
import type { Forced } from "../../links/world/layout.ts";
import type { Epoch } from "../../links/world/nodes/epoch.ts";
import {
  type MappedHeaps,
  mapHeaps,
  mappingNodes,
  offerHeap,
  withdraw,
} from "../../links/world/nodes/mapped-heaps.ts";
import type { Hello } from "../../links/world/nodes/said.ts";
import { hostId, type Share, shareOf, startsOf } from "../../links/world/nodes/share.ts";
import { place } from "../../links/world/placement.ts";
import { fingerprint, fitWarning } from "../../machine/model/fingerprint.ts";
import type { Cpu, MachineModel } from "../../machine/model/machine-model.ts";
import { parseMachine, readMachine } from "../../machine/model/model.ts";
import { type NodeCosts, nodeCosts } from "../../machine/model/node-costs.ts";
import { type RemoteCosts, remoteCosts } from "../../machine/model/remote-costs.ts";
import { readTopology } from "../../machine/topology/topology.ts";
import { usableCpus } from "../../machine/topology/usable.ts";
import { type Adopted, adopt, type GivenPlan } from "../../plan/document/world-plan.ts";
import type { WorldOptions } from "./options.ts";
import { pesOf, planTerm } from "./plan.ts";

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

/** A world before it has trees. */
export interface Prepared {
  /** The CPU of each PE of this node. */
  readonly cpus: readonly number[];
  /** CPU time that they share, in CPUs. */
  readonly cores: number;
  /** The machine model with one row per PE of this node. */
  readonly model: MachineModel;
  /** Whether the model is a guess from the topology. */
  readonly isGuess: boolean;
  /** The machine's fingerprint if the model is of this machine; else null. */
  readonly fingerprint: string | null;
  /** The setting that forces the algorithm of the trees; null if none does. */
  readonly forced: Forced | null;
  /** The kind of channels between its PEs. */
  readonly channel: ChannelKind;
  /** Which of all PEs are near each other. */
  readonly domains: Partitions;
  /** Its plan, and the trees that it has from that. */
  readonly adopted: Adopted;
  /** The other nodes; null for a world on this node alone. */
  readonly job: JobNodes | null;
}

/**
 * @param stop ends the wait for other nodes
 * @param epoch in which the nodes meet; null for a world on this node alone
 * @param given its plan; null for none
 * @throws EnvironmentError where threads cannot start; ModelError for a bad model; PlanError for a plan that does not
 *   fit; the reason of `stop`
 */
export async function prepare(
  options: WorldOptions,
  stop: AbortSignal | null,
  epoch: Epoch | null,
  given: GivenPlan | null,
): Promise<Prepared> {
  const why = whyNoThreads();
  if (why !== null) throw new EnvironmentError(`A world needs threads: ${why}`);
  const channel = channelOf(options.channel);
  const topology = await readTopology();
  const { machine, source } = await machineOf(options);
  const bound = epoch && bindingWarning(topology);
  if (bound) process.emitWarning(bound, { type: "TundishWarning", code: "TUNDISH_BOUND" });
  const usable = usableCpus(topology);
  const here = fingerprint(topology);
  const wishes = { ...options, ...pesOf(given, options, epoch?.node ?? 0) };
  const own = { channel, usable, machine, source, plan: planTerm(given, options), here };
  const job = epoch && (await meet(epoch, wishes, own, stop as AbortSignal));
  const misfit = machine ? fitWarning(machine, topology) : null;
  if (misfit) process.emitWarning(misfit, { type: "TundishWarning", code: "TUNDISH_MODEL_STALE" });
  const isGuess = machine === undefined;
  const fits = isGuess || (machine.fingerprint !== undefined && misfit === null);
  const placement = place(topology, usable, wishes.pes, machine, job?.share);
  const forced = forcedBy(options, given);
  const otherTrees =
    options.trees === undefined && forced === null
      ? null
      : `${forced?.by ?? "the option trees"} comes before them`;
  const adopted = () =>
    adopt(
      given,
      options.fit ?? "exact",
      {
        pesOfNode: job === null ? [placement.cpus.length] : pesOfNodes(job.nodes),
        machines: job?.machines ?? [here],
      },
      otherTrees,
    );
  return {
    ...placement,
    domains: await domainsOf(placement.model, job, stop as AbortSignal),
    isGuess,
    fingerprint: fits ? here : null,
    forced,
    channel,
    adopted: epoch === null ? adopted() : epoch.atAll(adopted),
    job,
  };
}

/** @throws the error that ended the world at another node; the reason of `stop` */
async function domainsOf(model: MachineModel, job: JobNodes | null, stop: AbortSignal): Promise<Partitions> {
  const own = domainsOfNode(model, model.pes.length);
  if (job === null) return domainsOfWorld([0, model.pes.length], [own]);
  const all = await job.epoch.tellDomains(own, stop);
  job.epoch.check();
  return domainsOfWorld(job.nodes.starts, all);
}

/** What this node tells the others, beside its options. */
interface Own {
  readonly channel: ChannelKind;
  readonly usable: readonly Cpu[];
  readonly machine: MachineModel | undefined;
  /** Where the model is from. */
  readonly source: string;
  readonly plan: string;
  /** The fingerprint of its machine. */
  readonly here: string;
}

const pesOfNodes = ({ starts }: Nodes): number[] =>
  starts.slice(1).map((start, node) => start - (starts[node] as number));

/**
 * Exchanges hellos with the other nodes, and maps the heaps of those on this machine. @throws the error that ended the
 * world there; the reason of `stop`
 */
async function meet(
  epoch: Epoch,
  options: WorldOptions,
  { channel, usable, machine, source, plan, here }: Own,
  stop: AbortSignal,
): Promise<JobNodes> {
  const { pes, checks = true, onLoss = "end", heapBytes = DEFAULT_HEAP_BYTES } = options;
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

/**
 * The setting that forces the trees: the option, else the environment if no trees are given, nor an option `plan` that
 * has some. @throws UsageError for an unknown name
 */
function forcedBy({ trees, plan }: WorldOptions, given: GivenPlan | null): Forced | null {
  if (typeof trees === "string") return { tree: trees, by: "the option trees" };
  const wish = setting("trees") as Algorithm | "";
  const isPlanned = plan !== undefined && given?.document.trees !== undefined;
  return trees !== undefined || isPlanned || wish === "" ? null : { tree: wish, by: "TUNDISH_TREES" };
}

/** The model of the options, else that of the environment, and where it is from. @throws ModelError */
async function machineOf({ machine }: WorldOptions): Promise<Pick<Own, "machine" | "source">> {
  if (typeof machine === "object") return { machine: parseMachine(machine), source: "the option machine" };
  const path = machine ?? setting("machine");
  return { machine: path ? await readMachine(path) : undefined, source: path };
}
