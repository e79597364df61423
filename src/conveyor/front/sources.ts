/** Where the choices of a conveyor are from that its options leave open: plans, the first one first. */
import { checkOptions, optionsOf } from "../../base/options.ts";
import { countText } from "../../base/units.ts";
import { entriesFor, type PlanDocument, type PlannedConveyor } from "../../plan/document/document.ts";
import { type Misfit, misfitOf, misfitText } from "../../plan/document/fits.ts";
import { parsePlan } from "../../plan/document/schema.ts";
import type { Planning } from "../../plan/document/world-plan.ts";
import type { SimulatedNetwork } from "../../plan/network.ts";
import { CONVEYOR_FIELDS, type ConveyorChoices, type ConveyorOptions } from "../geometry/options.ts";

/** What plans need of the context in which a conveyor is made. */
export interface PlannedContext {
  readonly size: number;
  /** The plan of the world. @default none */
  readonly planning?: Planning;
  /** Number of PEs of each node. @default one node */
  readonly pesOfNode?: readonly number[];
}

/** One plan for a conveyor. */
export interface Source {
  /** For messages: `conveyors.edges of plan.json`. */
  readonly label: string;
  /** The document, for messages, and the path of the choices in it. */
  readonly of: string;
  readonly path: string;
  readonly choice: ConveyorChoices;
  /** The entry of the document; null for choices alone. */
  readonly entry: PlannedConveyor | null;
  /** The network that it was planned with, if that was given. */
  readonly network: SimulatedNetwork | undefined;
  /** Why the plan is not for these PEs. */
  readonly misfit: Misfit | null;
  /** Called when something of it is used. */
  readonly onUse: () => void;
}

/** The plans for a conveyor, and sentences on those that are not for it. */
export interface Sources {
  readonly sources: readonly Source[];
  readonly notes: readonly string[];
}

const { type, hops, groupSize, bufferBytes, buffersPerLink, discipline } = CONVEYOR_FIELDS;
const CHOICES = optionsOf<ConveyorChoices>({
  type,
  hops,
  groupSize,
  bufferBytes,
  buffersPerLink,
  discipline,
});

const AT_CALL = "the call's plan";

/** @throws PlanError, UsageError for a plan among the options that is none */
export function sourcesOf(context: PlannedContext, { plan, name }: ConveyorOptions): Sources {
  const sources: Source[] = [];
  const notes: string[] = [];
  const place = {
    pesOfNode: context.pesOfNode ?? [context.size],
    machines: context.planning?.world.machines ?? [],
  };
  const none = (of: string) =>
    `${of}: not used, as it has no entry ${name === undefined ? "*" : `for ${JSON.stringify(name)}, nor *`}`;
  if (plan !== undefined && "schema" in plan) {
    const document = parsePlan(plan);
    const misfit = misfitOf(document, place);
    const entries = entriesFor(document, name);
    if (entries.length === 0) notes.push(none(AT_CALL));
    sources.push(...entries.map(([key, entry]) => sourceOf(document, AT_CALL, key, entry, misfit)));
  } else if (plan !== undefined) {
    const choice = "options" in plan ? plan.options : plan;
    checkOptions("plan", CHOICES, choice);
    const from = { label: AT_CALL, of: AT_CALL, path: "options" };
    sources.push({ ...from, choice, entry: null, network: undefined, misfit: null, onUse: () => {} });
  }
  const { planning } = context;
  const given = planning?.world.given ?? null;
  if (planning === undefined || given === null) return { sources, notes };
  const { document, source } = given;
  const entries = entriesFor(document, name);
  // of the world: a group of some of its PEs may have conveyors as well, for which the plan has nothing
  const isOfGroup = planning.world.misfit === null && misfitOf(document, { ...place, machines: [] }) !== null;
  const misfit = planning.world.misfit ?? (isOfGroup ? misfitOf(document, place) : null);
  if (entries.length === 0) notes.push(none(source));
  else if (misfit !== null && planning.world.fit === "exact") {
    const { pesOfNode } = place;
    const here = `${countText(context.size, "PE")} on ${countText(pesOfNode.length, "node")}`;
    notes.push(
      `${source}: not used, as it is for the world and this group has ${here} (${misfitText(misfit)})`,
    );
  } else {
    const onUse = (key: string) => () => planning.used.add(key);
    sources.push(
      ...entries.map(([key, entry]) => sourceOf(document, source, key, entry, misfit, onUse(key))),
    );
  }
  return { sources, notes };
}

function sourceOf(
  { world }: Pick<PlanDocument, "world">,
  of: string,
  key: string,
  entry: PlannedConveyor,
  misfit: Misfit | null,
  onUse = () => {},
): Source {
  const { choice } = entry;
  return {
    label: `conveyors.${key} of ${of}`,
    of,
    path: `conveyors.${key}.choice`,
    choice,
    entry,
    network: world.network,
    misfit,
    onUse,
  };
}

/** The options of one part of several conveyors: of a biconveyor or a selector. */
export const partOf = (options: ConveyorOptions, part: string): ConveyorOptions =>
  options.name === undefined ? options : { ...options, name: `${options.name}.${part}` };
