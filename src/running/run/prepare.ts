/**
 * Prepares a world on this machine: the CPUs of its PEs, the machine model with a row for each, the other nodes. The
 * first step of launch() and createWorld(); trees are chosen from its result.
 */
import type { Algorithm } from "../../../trees/model/tree.ts";
import type { ChannelKind } from "../../ground/base/channel-kinds.ts";
import { EnvironmentError } from "../../ground/base/errors.ts";
import { setting } from "../../ground/base/settings.ts";
import { whyNoThreads } from "../../ground/base/thread/spawn.ts";
import { channelOf } from "../../ground/channel/backends.ts";
import type { Nodes } from "../../links/transport/nodes.ts";
import { bindingWarning } from "../../links/world/binding.ts";
import { domainsOfNode, domainsOfWorld, type Partitions } from "../../links/world/domains.ts";
import type { ForcedTree } from "../../links/world/layout.ts";
import type { Epoch } from "../../links/world/nodes/epoch.ts";
import { place } from "../../links/world/placement.ts";
import { fingerprint, fitWarning } from "../../machine/model/fingerprint.ts";
import type { MachineModel } from "../../machine/model/machine-model.ts";
import { knownTopology } from "../../machine/topology/known.ts";
import { usableCpus } from "../../machine/topology/usable.ts";
import { type Adopted, adopt, type GivenPlan } from "../../plan/document/world-plan.ts";
import type { WorldOptions } from "./options.ts";
import { overNodes } from "./over-nodes/begin.ts";
import type { JobNodes, NodeFacts } from "./over-nodes/meet.ts";
import { pesOf, planTerm } from "./plan.ts";

/** A world before it has trees. */
export interface PreparedWorld {
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
  readonly forced: ForcedTree | null;
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
): Promise<PreparedWorld> {
  const why = whyNoThreads();
  if (why !== null) throw new EnvironmentError(`A world needs threads: ${why}`);
  const channel = channelOf(options.channel);
  const topology = await knownTopology();
  const { machine, source } = await machineOf(options);
  const bound = epoch && bindingWarning(topology);
  if (bound) process.emitWarning(bound, { type: "TundishWarning", code: "TUNDISH_BOUND" });
  const usable = usableCpus(topology);
  const here = fingerprint(topology);
  const wishes = { ...options, ...pesOf(given, options, epoch?.node ?? 0) };
  const own = { channel, usable, machine, source, plan: planTerm(given, options), here };
  const job = epoch && (await (await overNodes()).meet(epoch, wishes, own, stop as AbortSignal));
  const misfit = machine ? fitWarning(machine, topology) : null;
  if (misfit) process.emitWarning(misfit, { type: "TundishWarning", code: "TUNDISH_MODEL_STALE" });
  const isGuess = machine === undefined;
  const fits = isGuess || (machine.fingerprint !== undefined && misfit === null);
  const placement = place(topology, usable, wishes.pes, machine, job?.share);
  const forced = forcedBy(options, given);
  const otherTrees =
    options.trees === undefined && forced === null ? null : `${forced?.by ?? "the option trees"} comes before them`;
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

const pesOfNodes = ({ starts }: Nodes): number[] =>
  starts.slice(1).map((start, node) => start - (starts[node] as number));

/**
 * The setting that forces the trees: the option, else the environment if no trees are given, nor an option `plan` that
 * has some. @throws UsageError for an unknown name
 */
function forcedBy({ trees, plan }: WorldOptions, given: GivenPlan | null): ForcedTree | null {
  if (typeof trees === "string") return { tree: trees, by: "the option trees" };
  const wish = setting("trees") as Algorithm | "";
  const isPlanned = plan !== undefined && given?.document.trees !== undefined;
  return trees !== undefined || isPlanned || wish === "" ? null : { tree: wish, by: "TUNDISH_TREES" };
}

/** The model of the options, else that of the environment, and where it is from. @throws ModelError */
async function machineOf({ machine }: WorldOptions): Promise<Pick<NodeFacts, "machine" | "source">> {
  const path = machine ?? setting("machine");
  if (path === "") return { machine: undefined, source: "" };
  const { parseMachine, readMachine } = await import("../../machine/model/model.ts");
  if (typeof path === "string" || path instanceof URL)
    return { machine: await readMachine(path), source: String(path) };
  return { machine: parseMachine(path), source: "the option machine" };
}
