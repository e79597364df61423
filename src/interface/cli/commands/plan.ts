/** `tundish plan`: the best choices for a conveyor or an exchange with a given load, and the reasons. */
import type { Trees } from "../../../../trees/model/tree.ts";
import { readDocument } from "../../../ground/base/document-file.ts";
import { PlanError, sentenceOf, UsageError } from "../../../ground/base/errors.ts";
import { makePlan, type PlanWorkload } from "../../../plan/conveyor/make-plan.ts";
import { ALL_OTHERS, type PlanDocument, planDocument } from "../../../plan/document/document.ts";
import { formatPlan, readPlan, writePlan } from "../../../plan/document/file.ts";
import { misfitOf, misfitText } from "../../../plan/document/fits.ts";
import { parsePlan } from "../../../plan/document/schema.ts";
import { makeExchangePlan } from "../../../plan/exchange/make-exchange-plan.ts";
import type { Forced } from "../../../plan/model/cost-model.ts";
import type { Unplanned } from "../../../route/geometry/options.ts";
import { type ExitCode, OK } from "../terminal/exit.ts";
import { checkApart, checkFile } from "../terminal/files.ts";
import { defaultModelFile, findModel } from "../terminal/model.ts";
import { type NetworkOptions, networkOfPlan } from "../terminal/network.ts";
import type { CommandOutput } from "../terminal/output.ts";
import { wrapText } from "../terminal/wrap.ts";
import { type ExchangeFlags, exchangeWorkloadOf } from "./plan-exchange.ts";

/** The options as parsed by commander. */
export interface PlanCommandOptions extends NetworkOptions, Forced, Unplanned, Omit<ExchangeFlags, "discipline"> {
  readonly itemBytes?: number;
  readonly load?: number;
  readonly pes?: number;
  readonly nodes?: number;
  readonly destinations?: number;
  readonly maxBytes?: number;
  readonly rate?: number;
  readonly delayCost?: number;
  readonly steady?: boolean;
  readonly elastic?: boolean;
  readonly conveyor?: string;
  readonly add?: string;
  readonly trees?: string;
  readonly output?: string;
  readonly tune?: string;
  readonly args?: unknown;
  readonly choices?: number;
  readonly warm?: number;
  readonly turns?: number;
  readonly budget?: number;
  readonly timeout?: number;
}

/** Those that need `--tune`. */
const OF_TUNE = ["args", "choices", "warm", "turns", "budget", "timeout"] as const;

/**
 * Plans and prints; writes the document if a file is named.
 * @throws ModelError for a file that is not a model, PlanError for one that is not a plan or is for another world,
 *   UsageError for invalid options
 */
export async function planCommand(
  file: string | undefined,
  options: PlanCommandOptions,
  output: CommandOutput,
): Promise<ExitCode> {
  const { add, trees: treesFile, output: target, exchange, conveyor = ALL_OTHERS } = options;
  const alone = OF_TUNE.find((name) => options[name] !== undefined);
  if (alone !== undefined) throw new UsageError(`--${alone} expected --tune FILE beside it.`);
  if (exchange === undefined) checkLoad(options);
  if (target !== undefined) checkFile("--output", target);
  // the plan that is added to may be replaced
  checkApart({ "the machine model": file ?? defaultModelFile(), "--trees": treesFile, "--output": target });
  const machine = await findModel(file, output);
  const network = networkOfPlan(options, machine);
  const plan =
    exchange === undefined
      ? makePlan(machine, { ...workloadOf(options), network })
      : makeExchangePlan(machine, { ...exchangeWorkloadOf(options), network });
  const trees = treesFile === undefined ? undefined : await readTrees(treesFile);
  const beside = { machine, trees, network };
  const made =
    "reasons" in plan
      ? planDocument({}, { ...beside, exchanges: { [exchange as string]: plan } })
      : planDocument({ [conveyor]: plan }, beside);
  const all = add === undefined ? made : addTo(await readPlan(add), made, add);
  const document = await namingTrees(treesFile, async () => parsePlan(all));
  if (target !== undefined) await writePlan(target, document);
  output.print(output.json ? formatPlan(document).trimEnd() : wrapText(plan.explain()));
  if (target !== undefined) output.note(`wrote ${target}`);
  return OK;
}

function checkLoad({ itemBytes, load, rate, delayCost }: PlanCommandOptions): void {
  if (rate !== undefined && load === undefined) {
    throw new UsageError(
      "--rate expected --load N beside it: how many items a PE pushes in a session, while --rate says how many in a second. Add --load, such as --load 1e6.",
    );
  }
  if ((rate === undefined) !== (delayCost === undefined)) {
    const [missing, there, what] =
      rate === undefined
        ? ["--rate", "--delay-cost", "how many items a PE pushes in a second, such as --rate 1e6"]
        : ["--delay-cost", "--rate", "the ns of cost for each ns of an item's delay, such as --delay-cost 0.01"];
    throw new UsageError(`${missing}: expected a number beside ${there}, got none: ${what}.`);
  }
  if (itemBytes !== undefined && load !== undefined) return;
  const missing = itemBytes === undefined ? "--item-bytes" : "--load";
  throw new UsageError(`${missing} expected a number: give the load, or a program that has it: --tune FILE.`);
}

/** Of a conveyor. */
function workloadOf(options: PlanCommandOptions): PlanWorkload {
  const { itemBytes = 0, load = 0, pes, nodes, destinations, maxBytes, rate, delayCost, steady, elastic } = options;
  const { type, hops, groupSize, mesh, bufferBytes, buffersPerLink } = options;
  const { discipline, threshold, cutoff, maxDelay, maxBufferedBytes } = options;
  const forced = { type, hops, groupSize, mesh, bufferBytes, buffersPerLink };
  const sending = { discipline, threshold, cutoff, maxDelay, maxBufferedBytes };
  const amounts = { itemBytes, load, destinations, maxBytes, rate, delayCost };
  return { ...amounts, pes, nodes, steady, elastic, ...forced, ...sending };
}

/** Reads what `tundish tree --json` has printed. */
export const readTrees = (file: string): Promise<Trees> =>
  readDocument(file, {
    what: "trees",
    madeBy: "tundish tree machine.json --json > trees.json",
    // with the PEs of the plan: parsePlan
    parse: (document) => document as Trees,
    fault: PlanError,
  });

/** The errors of `work` that are about trees name the file that these are from. */
export async function namingTrees<T>(file: string | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (file === undefined || !(error instanceof PlanError) || !/^trees\b/.test(error.path)) throw error;
    const name = file === "-" ? "stdin" : file;
    throw new PlanError(error.path, `${name}: ${sentenceOf(error)}`, { cause: error });
  }
}

/** The plan `before` with what was made now. @throws PlanError if they are for different worlds */
function addTo(before: PlanDocument, made: PlanDocument, file: string): PlanDocument {
  const { pesOfNode, fingerprint = null } = made.world;
  const misfit = misfitOf(before, { pesOfNode, machines: [fingerprint] });
  if (misfit !== null) {
    throw new PlanError(misfit.path, `${file}: ${misfitText(misfit)}. --add takes a plan for the same PEs.`);
  }
  // a model without a fingerprint says nothing of the machine
  return {
    ...before,
    ...made,
    world: { ...before.world, ...made.world },
    conveyors: { ...before.conveyors, ...made.conveyors },
    ...(made.exchanges && { exchanges: { ...before.exchanges, ...made.exchanges } }),
  };
}
