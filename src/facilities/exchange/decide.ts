/**
 * Decides the choices of an exchange, each by the first that has it: its options, the plan among them, the world's plan
 * for its name, that for all others, a plan for its `load`, the defaults.
 *
 * A plan that does not fit is refused, or planned again from its load, if the world has `fit: "adapt"`.
 *
 * Example: options `{ name: "rows", chunkBytes: 4096 }` in a world whose plan has the discipline token and chunks of 64
 * KiB for `rows`: tokens, and chunks of 4096 bytes.
 */
import { sentenceOf, UsageError } from "../../ground/base/errors.ts";
import { checkOptions, optionsOf } from "../../ground/base/options.ts";
import { escaped } from "../../ground/base/short-text.ts";
import { durationText } from "../../ground/base/units.ts";
import type { PlannedExchange } from "../../plan/document/document.ts";
import { misfitError, misfitText } from "../../plan/document/fits.ts";
import {
  choicesAtCall,
  type PlannedContext,
  type PlanSource,
  type Sources,
  sourcesIn,
} from "../../plan/document/sources.ts";
import { loadText } from "../../plan/exchange/explain.ts";
import { blockBytesOf } from "../../plan/exchange/phase.ts";
import { BLOCK_COSTS, type ExchangePlan, planExchange } from "../../plan/exchange/plan.ts";
import type { CostModel } from "../../plan/model/cost-model.ts";
import type { SimulatedNetwork } from "../../plan/network/network.ts";
import { explainChoice } from "../../route/disciplines/explain.ts";
import {
  checkExchangeOptions,
  checkUsed,
  EXCHANGE_CHOICES,
  type ExchangeChoices,
  type ExchangeLoad,
  type ExchangeOptions,
  exchangeChoice,
  unusedBy,
} from "../../route/disciplines/options.ts";
import type { DecidedExchange } from "./phases.ts";

/** Where an exchange is made, as far as its plans need it. */
export interface DecidingContext extends PlannedContext {
  /** @param network between nodes, if it is given */
  costs(itemBytes: number, network?: SimulatedNetwork): CostModel;
}

const NAMES = Object.keys(EXCHANGE_CHOICES) as (keyof ExchangeChoices)[];
const CHOICES = optionsOf<ExchangeChoices>(EXCHANGE_CHOICES);

/** Choices that are being made, and who has made them. */
interface Making {
  readonly chosen: { -readonly [K in keyof ExchangeChoices]?: ExchangeChoices[K] };
  readonly owners: Map<keyof ExchangeChoices, string>;
  readonly by: string[];
  readonly told: string[];
}

/** @throws UsageError for invalid options; PlanError for a plan that does not fit */
export function decideExchange(context: DecidingContext, options: ExchangeOptions = {}): DecidedExchange {
  checkExchangeOptions(options);
  const { load } = options;
  const { sources, notes } = sourcesOf(context, options);
  const chosen = Object.fromEntries(NAMES.map((name) => [name, options[name]]));
  const making: Making = { chosen, owners: new Map(), by: [], told: [] };
  for (const source of sources) take(context, source, making);
  const isPlanned = load !== undefined && isOpen(making.chosen);
  if (isPlanned) {
    const plan = planExchange(context.costs(BLOCK_COSTS), load, saidIn(making.chosen));
    Object.assign(making.chosen, plan.options);
    making.by.push("a plan for the load");
    making.told.push(...plan.explain().split("\n"));
  } else if (load !== undefined) making.told.push("load: not used, as everything is chosen");
  const choice = exchangeChoice(making.chosen);
  const { discipline } = choice;
  // a plan may choose another discipline elsewhere
  if (options.discipline !== undefined || making.chosen.discipline === undefined) checkUsed(options, discipline);
  if (!isPlanned) {
    const unused = unusedBy(discipline, making.chosen);
    making.told.push(...unused.map((name) => `${name}: not used, as the discipline is ${discipline}`));
  }
  const by =
    making.by.length > 0
      ? `chosen by ${making.by.join(", then ")}`
      : "the defaults and the given options; with { load } a plan chooses";
  const told = [...making.told, ...notes].map((line) => `  ${line}`);
  // documents may have been written by others
  const explain = () => [...explainChoice(choice, context.size), by, ...told].map(escaped).join("\n");
  return { options, choice, explain };
}

function sourcesOf(context: PlannedContext, { plan, name }: ExchangeOptions): Sources<PlannedExchange> {
  const part = { name: "exchanges", choices: NAMES } as const;
  if (plan === undefined || "schema" in plan) return sourcesIn(context, part, name, plan);
  const choice = "options" in plan ? plan.options : plan;
  checkOptions("plan", CHOICES, choice);
  return sourcesIn(context, part, name, choicesAtCall<PlannedExchange>(choice));
}

const saidIn = (choices: ExchangeChoices): ExchangeChoices =>
  Object.fromEntries(Object.entries(choices).filter(([, value]) => value !== undefined));

/** Whether something is left that a plan for a load chooses. */
const isOpen = ({ discipline, chunkBytes, window }: ExchangeChoices): boolean =>
  discipline === undefined || chunkBytes === undefined || (discipline === "dynamic" && window === undefined);

/** Takes from a plan what those before it have left open. */
function take(
  context: DecidingContext,
  source: PlanSource<PlannedExchange>,
  { chosen, owners, by, told }: Making,
): void {
  const { label, of, misfit, entry } = source;
  let { choice } = source;
  if (misfit !== null) {
    if (context.planning?.world.fit !== "adapt") throw misfitError(of, misfit);
    const again = planAgain(context, source, saidIn(chosen));
    choice = again.plan?.options ?? {};
    const how = again.plan === null ? "not used" : `planned again (${durationText(again.plan.expected.time)} expected)`;
    told.push(`${label}: ${how}, as ${misfitText(misfit)}`, ...again.notes.map((line) => `  ${line}`));
  }
  let isUsed = false;
  for (const name of NAMES) {
    const value = choice[name];
    if (value === undefined || value === chosen[name]) continue;
    if (chosen[name] === undefined) {
      Object.assign(chosen, { [name]: value });
      owners.set(name, label);
      isUsed = true;
    } else
      told.push(`${name}: ${chosen[name]}, ${owners.get(name) ?? "given at the call"}, not ${value} as in ${label}`);
  }
  if (!isUsed) return;
  source.onUse();
  by.push(label);
  if (misfit === null && entry !== null) told.push(...reasonsOf(context, label, entry));
}

/** For the load of a plan, with its network; without that for the one that is here. */
function planAgain(
  context: DecidingContext,
  { entry, network }: PlanSource<PlannedExchange>,
  chosen: ExchangeChoices,
): { readonly plan: ExchangePlan | null; readonly notes: readonly string[] } {
  if (entry === null) return { plan: null, notes: [] };
  const forced = entry.forced ?? [];
  const kept = Object.fromEntries(NAMES.flatMap((name) => (forced.includes(name) ? [[name, entry.choice[name]]] : [])));
  const planWith = (costs: CostModel) => planExchange(costs, workloadOf(entry.workload), { ...kept, ...chosen });
  try {
    const plan = planWith(context.costs(BLOCK_COSTS, network));
    return { plan, notes: plan.reasons };
  } catch (error) {
    // its topology may be one for another number of nodes
    if (network === undefined || !(error instanceof UsageError)) throw error;
    const plan = planWith(context.costs(BLOCK_COSTS));
    return { plan, notes: [...plan.reasons, `world.network: not used, as ${sentenceOf(error)}`] };
  }
}

/** Without what other versions have written. */
const workloadOf = ({ bytes, blockBytes, destinations, skew }: ExchangeLoad): ExchangeLoad => ({
  bytes,
  blockBytes,
  destinations,
  skew,
});

function reasonsOf(
  context: DecidingContext,
  label: string,
  { workload, expected, reasons = [] }: PlannedExchange,
): string[] {
  const time = expected === undefined ? "" : `: ${durationText(expected.time)} expected`;
  const costs = { pes: context.size, nodes: context.pesOfNode?.length ?? 1 };
  const load = loadText(costs, workload, blockBytesOf(costs, workload));
  return [`${label}, for ${load}${time}`, ...reasons.map((line) => `  ${line}`)];
}
