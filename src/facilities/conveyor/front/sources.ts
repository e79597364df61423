/** Where the choices of a conveyor are from that its options leave open: plans, the first one first. */
import { UsageError } from "../../../ground/base/errors.ts";
import { checkOptions, optionsOf } from "../../../ground/base/options.ts";
import type { PlannedConveyor } from "../../../plan/document/document.ts";
import {
  choicesAtCall,
  type PlannedContext,
  type PlanSource as SourceOf,
  type Sources,
  sourcesIn,
} from "../../../plan/document/sources.ts";
import {
  CONVEYOR_FIELDS,
  type ConveyorChoices,
  type ConveyorOptions,
  meshClash,
} from "../../../route/geometry/options.ts";
import { SENDING_FIELDS } from "../../../route/geometry/sending.ts";

/** One plan for a conveyor. */
export interface NamedSource extends SourceOf<PlannedConveyor> {
  /** Of a result of makePlan: whether it was planned for a rate. @default what the entry says */
  readonly isRated?: boolean;
}

/**
 * Whether it was planned for a rate: then it has also decided when its buffers are sent, by what it has left out, too.
 */
export const isRatedSource = ({ isRated, entry }: NamedSource): boolean =>
  isRated ?? entry?.workload.rate !== undefined;

const { type, hops, groupSize, mesh, bufferBytes, buffersPerLink, discipline } = CONVEYOR_FIELDS;
const FIELDS = { type, hops, groupSize, mesh, bufferBytes, buffersPerLink, discipline, ...SENDING_FIELDS };
const CHOICES = optionsOf<ConveyorChoices>(FIELDS);

/** @throws PlanError, UsageError for a plan among the options that is none */
export function sourcesOf(context: PlannedContext, { plan, name }: ConveyorOptions): Sources<PlannedConveyor> {
  const part = { name: "conveyors", choices: Object.keys(FIELDS) } as const;
  if (plan === undefined || "schema" in plan) return sourcesIn(context, part, name, plan);
  const choice = "options" in plan ? plan.options : plan;
  checkOptions("plan", CHOICES, choice);
  const clash = meshClash(choice);
  if (clash !== null) throw new UsageError(`plan: mesh: ${clash}`);
  if ((choice.threshold ?? 0) + (choice.cutoff ?? 0) > 1) {
    const { threshold, cutoff } = choice;
    throw new UsageError(
      `plan: threshold, cutoff: expected a sum of at most 1, got ${threshold} + ${cutoff}. Make one of them smaller, or leave one out.`,
    );
  }
  const source: NamedSource = {
    ...choicesAtCall<PlannedConveyor>(choice),
    isRated: "options" in plan && plan.workload?.rate !== undefined,
  };
  return sourcesIn(context, part, name, source);
}

/** The options of one part of several conveyors: of a biconveyor or a selector. */
export const partOf = (options: ConveyorOptions, part: string): ConveyorOptions =>
  options.name === undefined ? options : { ...options, name: `${options.name}.${part}` };
