/** The plans for a conveyor or an exchange: the documents' entries for its name, and why some do not fit. */
import { unknownName } from "../../ground/base/names.ts";
import { countText } from "../../ground/base/units.ts";
import type { SimulatedNetwork } from "../network/network.ts";
import { entriesFor, type PlanDocument } from "./document.ts";
import { type Misfit, misfitOf, misfitText } from "./fits.ts";
import { parsePlan } from "./schema.ts";
import type { Planning } from "./world-plan.ts";

/** The plans' view of the context in which a conveyor or an exchange is made. */
export interface PlannedContext {
  readonly size: number;
  /** The plan of the world. @default none */
  readonly planning?: Planning;
  /** Number of PEs of each node. @default one node */
  readonly pesOfNode?: readonly number[];
}

/** Which entries of a document, and the choices that they may have. */
export interface DocumentPart {
  readonly name: "conveyors" | "exchanges";
  readonly choices: readonly string[];
}

/** One plan. */
export interface PlanSource<Entry extends { readonly choice: object }> {
  /** For messages: `conveyors.edges of plan.json`. */
  readonly label: string;
  /** The document, for messages, and the path of the choices in it. */
  readonly of: string;
  readonly path: string;
  readonly choice: Entry["choice"];
  /** The entry of the document; null for choices alone. */
  readonly entry: Entry | null;
  /** The network that it was planned with, if that was given. */
  readonly network: SimulatedNetwork | undefined;
  /** Why the plan is not for these PEs. */
  readonly misfit: Misfit | null;
  /** Called when something of it is used. */
  readonly onUse: () => void;
}

/** Plans, and sentences on those that are not used. */
export interface Sources<Entry extends { readonly choice: object }> {
  readonly sources: readonly PlanSource<Entry>[];
  readonly notes: readonly string[];
}

export const AT_CALL = "the call's plan";

/** Of choices alone, given at the call. */
export const choicesAtCall = <Entry extends { readonly choice: object }>(
  choice: Entry["choice"],
): PlanSource<Entry> => ({
  label: AT_CALL,
  of: AT_CALL,
  path: "options",
  choice,
  entry: null,
  network: undefined,
  misfit: null,
  onUse: () => {},
});

/**
 * Those of the call, then those of the world.
 * @param atCall a document, or choices; undefined for none
 * @throws PlanError for a document that is none
 */
export function sourcesIn<Entry extends { readonly choice: object }>(
  context: PlannedContext,
  part: DocumentPart,
  name: string | undefined,
  atCall: object | PlanSource<Entry> | undefined,
): Sources<Entry> {
  const sources: PlanSource<Entry>[] = [];
  const notes: string[] = [];
  const place = {
    pesOfNode: context.pesOfNode ?? [context.size],
    machines: context.planning?.world.machines ?? [],
  };
  const add = (
    document: Pick<PlanDocument, "world" | DocumentPart["name"]>,
    of: string,
    misfit: Misfit | null,
    onUse = (_: string) => {},
  ) => {
    for (const [key, entry] of entriesIn<Entry>(document, part, name)) {
      const path = `${part.name}.${key}.choice`;
      const source = { label: `${part.name}.${key} of ${of}`, of, path, choice: entry.choice, entry };
      sources.push({ ...source, network: document.world.network, misfit, onUse: () => onUse(key) });
      for (const unknown of Object.keys(entry.choice).filter((one) => !part.choices.includes(one)))
        notes.push(`${path} of ${of}: not used: ${unknownName("choice", unknown, part.choices)}`);
    }
  };
  const none = (of: string) =>
    `${of}: not used, as it has no entry ${name === undefined ? "*" : `for ${JSON.stringify(name)}, nor *`}`;
  if (atCall !== undefined && "schema" in atCall) {
    const document = parsePlan(atCall);
    if (entriesIn(document, part, name).length === 0) notes.push(none(AT_CALL));
    add(document, AT_CALL, misfitOf(document, place));
  } else if (atCall !== undefined) sources.push(atCall as PlanSource<Entry>);
  const { planning } = context;
  const given = planning?.world.given ?? null;
  if (planning === undefined || given === null) return { sources, notes };
  const { document, source } = given;
  // of the world: a group of some of its PEs may have its own as well, for which the plan has nothing
  const isOfGroup = planning.world.misfit === null && misfitOf(document, { ...place, machines: [] }) !== null;
  const misfit = planning.world.misfit ?? (isOfGroup ? misfitOf(document, place) : null);
  if (entriesIn(document, part, name).length === 0) notes.push(none(source));
  else if (misfit !== null && planning.world.fit === "exact") {
    const { pesOfNode } = place;
    const here = `${countText(context.size, "PE")} on ${countText(pesOfNode.length, "node")}`;
    notes.push(`${source}: not used, as it is for the world and this group has ${here} (${misfitText(misfit)})`);
  } else add(document, source, misfit, (key) => planning.used.add(`${part.name}.${key}`));
  return { sources, notes };
}

const entriesIn = <Entry>(
  document: Pick<PlanDocument, DocumentPart["name"]>,
  part: DocumentPart,
  name: string | undefined,
): readonly (readonly [name: string, entry: Entry])[] =>
  entriesFor((document[part.name] ?? {}) as Readonly<Record<string, Entry>>, name);
