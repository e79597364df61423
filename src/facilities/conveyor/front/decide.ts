/**
 * Decides the choices of a conveyor, each by the first that has it: its options, the plan among them, the world's plan
 * for its name, that for all others, a plan for its `load`, one for any load where the machine is measured, the
 * defaults.
 *
 * A plan that does not fit is refused, or planned again from its load, if the world has `fit: "adapt"`.
 *
 * Example: options `{ name: "edges", hops: 1 }` in a world whose plan has 2 hops in groups of 4 and buffers of 1 KiB
 * for `edges`: buffers of 1 KiB, and one hop; the groups do not apply.
 */
import { sentenceOf, UsageError } from "../../../ground/base/errors.ts";
import { escaped } from "../../../ground/base/short-text.ts";
import { countText, durationText } from "../../../ground/base/units.ts";
import type { ConveyorPlan } from "../../../plan/conveyor/plan.ts";
import type { AssumedPlan } from "../../../plan/conveyor/unknown-load.ts";
import { type PlannedConveyor, reasonsIn } from "../../../plan/document/document.ts";
import { type Misfit, misfitError, misfitText } from "../../../plan/document/fits.ts";
import type { PlannedContext } from "../../../plan/document/sources.ts";
import type { SimulatedNetwork } from "../../../plan/network/network.ts";
import type { CompleteChoice } from "../../../route/geometry/conveyor-choice.ts";
import { type ConveyorChoices, type ConveyorOptions, UNPLANNED } from "../../../route/geometry/options.ts";
import { explainUnplanned, madeText, type PlanRequest } from "./planned.ts";
import {
  type Chosen,
  isOpen,
  isSending,
  isTrivial,
  isUnplannedOpen,
  NAMES,
  type Name,
  textOf,
  unusable,
  whyNot,
  whyTensor,
} from "./precedence.ts";
import { isRatedSource, type NamedSource, sourcesOf } from "./sources.ts";

/** How the choices of one conveyor are made. */
export interface Making {
  /** Bytes of an item, which a buffer must hold; 0 for items of any length. */
  readonly itemBytes: number;
  /** The plan for a load. @param network between nodes, if it is given */
  readonly plan: (request: PlanRequest, network?: SimulatedNetwork) => ConveyorPlan | null;
  /** The choices where nobody has said the load; null: the defaults. */
  readonly assume: (options: ConveyorOptions) => AssumedPlan | null;
  /** @throws UsageError for options that cannot be together */
  readonly choose: (options: ConveyorOptions) => CompleteChoice;
}

/** All choices of a conveyor, and the reasons for them. */
export interface Decided {
  readonly choice: CompleteChoice;
  readonly explain: () => string;
  /** Whether that tells what the groups are. */
  readonly hasGroups: boolean;
}

/** @throws PlanError for a plan that does not fit; UsageError */
export function decide(context: PlannedContext, options: ConveyorOptions, making: Making): Decided {
  const { sources, notes } = sourcesOf(context, options);
  const adapts = context.planning?.world.fit === "adapt";
  if (sources.length === 0) {
    const { planned, choice } = openChoices(options, making);
    const text = () => planned?.explain() ?? explainUnplanned(choice, options.load !== undefined);
    const explain = () => [text(), ...notes.map(indented).map(escaped)].join("\n");
    return { choice, explain, hasGroups: planned !== null };
  }
  let taken = take(sources, options, making, adapts, null);
  let choice: CompleteChoice;
  try {
    choice = making.choose(taken.options);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    // what is wrong without the plans is the caller's
    if (!adapts) making.choose(options);
    const [{ path, of }] = sources as readonly [NamedSource];
    const why = sentenceOf(error).replace(/\.$/, "");
    const misfit = { path, sentence: `expected choices that can be here, but ${why}` };
    if (!adapts) throw misfitError(of, misfit, { cause: error });
    taken = take(sources, options, making, adapts, misfit);
    choice = making.choose(taken.options);
  }
  const told = [...taken.told, ...notes];
  // documents may have been written by others
  const explain = () => [`${madeText(choice)}: ${taken.by}`, ...told.map(indented)].map(escaped).join("\n");
  return { choice, explain, hasGroups: false };
}

/** Where there is no plan: the choices for a load, for any load, or the defaults. */
function openChoices(options: ConveyorOptions, making: Making) {
  const forLoad = making.plan(options);
  const assumed = forLoad === null ? making.assume(options) : null;
  if (assumed === null) return { planned: forLoad, choice: making.choose(withPlanned(options, forLoad)) };
  try {
    return { planned: assumed, choice: making.choose(withPlanned(options, assumed)) };
  } catch (error) {
    // the budget is for more than plans know of
    if (!(error instanceof UsageError)) throw error;
    return { planned: null, choice: making.choose(options) };
  }
}

/** The load that a plan was made for is among its options, too; but a `maxDelay` that was given counts. */
const withPlanned = (options: ConveyorOptions, planned: Pick<ConveyorPlan, "options"> | null): ConveyorOptions => ({
  ...options,
  ...planned?.options,
  maxDelay: options.maxDelay ?? planned?.options.maxDelay,
});

const indented = (line: string): string => `  ${line}`;

interface Taken {
  readonly options: ConveyorOptions;
  /** Who has chosen. */
  readonly by: string;
  readonly told: readonly string[];
}

/** Takes from each plan what those before it have left open. @param again why all of them are to be planned again */
function take(
  sources: readonly NamedSource[],
  options: ConveyorOptions,
  making: Making,
  adapts: boolean,
  again: Misfit | null,
): Taken {
  const chosen: Chosen = Object.fromEntries(NAMES.map((name) => [name, options[name]]));
  const owners = new Map<Name, string>();
  const told: string[] = [];
  const by = new Set<string>();
  /** The entry that was planned for a rate: it has said when buffers are sent. */
  let rated: string | null = null;
  for (const source of sources) {
    let { choice } = source;
    // but the first one says what options come before it
    if (source !== sources[0] && !isOpen(chosen) && !isUnplannedOpen(source, chosen)) {
      if (source.of !== sources[0]?.of) told.push(`${source.label}: not used, as nothing is left open`);
      continue;
    }
    const misfit = source.misfit ?? again ?? unusable(source, chosen, making.itemBytes);
    if (misfit !== null) {
      if (!adapts) throw misfitError(source.of, misfit);
      const planned = planAgain(source, { ...options, ...chosen }, making);
      told.push(`${source.label}: ${planned.how}, as ${misfitText(misfit)}`, ...planned.reasons.map(indented));
      choice = planned.choice;
    }
    let isUsed = false;
    for (const name of NAMES) {
      const value = choice[name];
      if (value === undefined) continue;
      const why: string | null =
        rated !== null && isSending(name) && chosen[name] === undefined
          ? `open, as ${rated} is planned for a rate`
          : whyNot(name, choice, chosen, options, owners);
      if (why === null) {
        Object.assign(chosen, { [name]: value });
        owners.set(name, source.label);
        isUsed = true;
      } else if (String(chosen[name]) !== String(value))
        told.push(`${name}: ${why}, not ${textOf(value)} as in ${source.label}`);
    }
    if (!isUsed) continue;
    if (isRatedSource(source)) rated ??= source.label;
    source.onUse();
    by.add(source.label);
    if (misfit === null) told.push(...reasonsOf(source, making.itemBytes));
  }
  const { load } = options;
  const planned = isOpen(chosen) && load !== undefined ? making.plan({ ...options, ...chosen }) : null;
  if (planned !== null) told.push(...planned.explain().split("\n"));
  else if (load !== undefined) told.push("load: not used, as plans have chosen everything");
  return {
    options: withPlanned({ ...options, ...chosen }, planned),
    by: by.size === 0 ? "no plan applies" : [...by].join(", then "),
    told,
  };
}

/** Plans for the load of a plan again, and with the network that it was given; without them for those that are here. */
function planAgain(
  { entry, choice, network }: NamedSource,
  options: ConveyorOptions,
  making: Making,
): { readonly choice: ConveyorChoices; readonly how: string; readonly reasons: readonly string[] } {
  const load = entry?.workload.load ?? options.load;
  if (load === undefined) return { choice: {}, how: "not used, and not planned again without a load", reasons: [] };
  const { destinations, maxBytes, rate, delayCost, steady } = entry?.workload ?? {};
  const { type = "tensor", discipline = type === "tensor" ? choice.discipline : undefined } = options;
  const rated = options.rate === undefined ? { rate, delayCost } : {};
  const limit = options.maxBytes ?? maxBytes;
  const request = {
    ...options,
    ...rated,
    discipline,
    load,
    destinations,
    maxBytes: limit,
    steady: options.steady ?? steady,
  };
  const names = making.itemBytes === 0 && isTrivial(choice) ? [] : (entry?.forced ?? []);
  const chosen: Chosen = Object.fromEntries(NAMES.map((name) => [name, options[name]]));
  const isOther = whyTensor(choice, chosen, options, () => "") !== null;
  const isForced = (name: Name) => names.includes(name) && options[name] === undefined && !(name === "type" && isOther);
  // the discipline is in the request
  const all = NAMES.filter((name) => name !== "discipline" && isForced(name));
  // groups of the same size are rarely possible elsewhere, nor is the same mesh
  for (const kept of [all, all.filter((name) => name !== "groupSize" && name !== "mesh"), []]) {
    const forced = Object.fromEntries(kept.map((name) => [name, choice[name]]));
    const { planned, note } = planWith(making, { ...request, ...forced }, network);
    if (planned === null) continue;
    const lost = all.filter((name) => !kept.includes(name) && !UNPLANNED.some((one) => one === name));
    const without = lost.length === 0 ? "" : `, without the forced ${lost.join(", ")}`;
    return {
      choice: { ...planned.options, ...unplannedOf(choice, entry), discipline },
      how: `planned again${without} (${durationText(planned.expected.time)} expected)`,
      reasons: [...reasonsIn(planned), ...note],
    };
  }
  return { choice: {}, how: "not used: no plan keeps to the limits and to what was forced", reasons: [] };
}

/**
 * The choices that planning again leaves as they are. The largest delay of a plan for a rate is planned again, unless
 * it was forced.
 */
function unplannedOf(choice: ConveyorChoices, entry: PlannedConveyor | null): ConveyorChoices {
  const isPlanned = entry?.workload.rate !== undefined && !entry.forced?.includes("maxDelay");
  const names = UNPLANNED.filter((name) => !(isPlanned && name === "maxDelay"));
  return Object.fromEntries(names.map((name) => [name, choice[name]]));
}

/** Its topology may be one for another number of nodes. */
function planWith(making: Making, request: PlanRequest, network: SimulatedNetwork | undefined) {
  try {
    return { planned: making.plan(request, network), note: [] };
  } catch (error) {
    if (network === undefined || !(error instanceof UsageError)) throw error;
    return { planned: making.plan(request), note: [`world.network: not used, as ${sentenceOf(error)}`] };
  }
}

function reasonsOf({ label, entry }: NamedSource, itemBytes: number): string[] {
  if (entry === null) return [];
  const { workload, expected, measured, reasons = [] } = entry;
  const taken = measured === undefined ? "" : `, ${durationText(measured.time)} measured`;
  const time = expected === undefined ? "" : `: ${durationText(expected.time)} expected${taken}`;
  const other = itemBytes === 0 || itemBytes === workload.itemBytes ? "" : `, here ${itemBytes} B`;
  const load = `${countText(workload.load, "item")} of ${workload.itemBytes} B`;
  return [`${label}, for ${load}${other}${time}`, ...reasons.map(indented)];
}
