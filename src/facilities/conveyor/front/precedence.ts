/**
 * Precedence among the choices of plans: of several that choose for one conveyor the first counts, and one that does
 * not fit what was chosen before does not.
 */
import type { Misfit } from "../../../plan/document/fits.ts";
import { meshText } from "../../../route/geometry/make-route.ts";
import {
  type ConveyorChoices,
  type ConveyorOptions,
  UNPLANNED,
  type Unplanned,
} from "../../../route/geometry/options.ts";
import { SENDING_NAMES } from "../../../route/geometry/sending.ts";
import type { NamedSource } from "./sources.ts";

export type Name = "type" | "hops" | "groupSize" | "mesh" | "bufferBytes" | "buffersPerLink" | keyof Unplanned;

export const NAMES: readonly Name[] = [
  ...(["type", "hops", "groupSize", "mesh", "bufferBytes", "buffersPerLink"] as const),
  ...UNPLANNED,
];
export type Chosen = { -readonly [K in Name]?: ConveyorChoices[K] };

export const isSending = (name: Name): boolean => SENDING_NAMES.some((one) => one === name);

const hopsText = (hops: number): string => (hops === 1 ? "1 hop" : `${hops} hops`);

/** Of a mesh, its sizes. */
export const textOf = (value: Chosen[Name]): string => (typeof value === "object" ? meshText(value) : String(value));

/** Whether something is left to choose. With one hop there are no groups, and only a tensor can have more. */
export function isOpen({ type, hops, groupSize, mesh, bufferBytes, buffersPerLink }: Chosen): boolean {
  const isOneHop = hops === 1 || (type === "simple" && hops === undefined) || type === "trivial";
  const isOpenWay = !isOneHop && mesh === undefined && (hops === undefined || groupSize === undefined);
  const isOpenBuffer = type !== "trivial" && (bufferBytes === undefined || buffersPerLink === undefined);
  return type === undefined || isOpenWay || isOpenBuffer;
}

/** They leave nothing to choose for a plan. */
export const isUnplannedOpen = ({ choice }: NamedSource, chosen: Chosen): boolean =>
  UNPLANNED.some((name) => chosen[name] === undefined && choice[name] !== undefined);

/** Why a choice of a plan does not count; null if it does. */
export function whyNot(
  name: Name,
  choice: ConveyorChoices,
  chosen: Chosen,
  options: ConveyorOptions,
  owners: ReadonlyMap<Name, string>,
): string | null {
  const given = (one: Name) => owners.get(one) ?? "given at the call";
  if (chosen[name] !== undefined) return `${textOf(chosen[name])}, ${given(name)}`;
  const { type, hops, groupSize, mesh } = chosen;
  if (name === "type") return whyTensor(choice, chosen, options, given);
  if (name === "discipline") {
    return choice.discipline === "eager" || type === undefined || type === "tensor"
      ? null
      : `eager, as type is ${type}, ${given("type")}`;
  }
  if (isSending(name)) return whyNotSending(name, choice, chosen, given);
  if (type === "trivial" && choice.type !== "trivial") return `not chosen for type trivial, ${given("type")}`;
  if (name === "mesh") {
    if (type !== undefined && type !== "tensor") return `none, as type is ${type}, ${given("type")}`;
    if (hops !== undefined) return `none, for ${hopsText(hops)}, ${given("hops")}`;
    return groupSize === undefined ? null : `none, for groups of ${groupSize}, ${given("groupSize")}`;
  }
  if ((name === "hops" || name === "groupSize") && mesh !== undefined)
    return `open, for a mesh of ${textOf(mesh)}, ${given("mesh")}`;
  if (name === "hops") {
    if (type !== undefined && type !== "tensor" && choice.hops !== 1 && choice.type !== type)
      return `open, as type ${type} is another`;
    if (groupSize !== undefined && choice.hops === 1) return `more for groups of ${groupSize}, ${given("groupSize")}`;
  }
  if (name === "groupSize" && choice.hops !== undefined && hops !== choice.hops)
    return "open, as the number of hops is another";
  return null;
}

/** Why a type of a plan does not count, as something else needs a tensor. */
export function whyTensor(
  choice: ConveyorChoices,
  chosen: Chosen,
  { compress = false, adapt = false, steady = false }: ConveyorOptions,
  given: (one: Name) => string,
): string | null {
  const { hops, mesh, discipline = "eager" } = chosen;
  if (choice.type === "tensor") return null;
  if (compress !== false) return "tensor, as it compresses";
  if (adapt) return "tensor, as it adapts";
  if (steady && choice.type === "simple") return "tensor, as it is steady";
  if (discipline !== "eager") return `tensor, for discipline ${discipline}, ${given("discipline")}`;
  if (mesh !== undefined) return `tensor, for a mesh of ${textOf(mesh)}, ${given("mesh")}`;
  const early = SENDING_NAMES.find((one) => chosen[one] !== undefined);
  if (isTrivial(choice) && early !== undefined) return `tensor, for a ${early} of ${chosen[early]}, ${given(early)}`;
  return hops === undefined || hops === 1 || hops === choice.hops
    ? null
    : `tensor, for ${hopsText(hops)}, ${given("hops")}`;
}

/** The same for when buffers are sent: threshold and cutoff keep to a sum, from wherever they are. */
function whyNotSending(
  name: Name,
  choice: ConveyorChoices,
  { type, threshold = 0, cutoff = 0 }: Chosen,
  given: (one: Name) => string,
): string | null {
  if (type === "trivial") return `open, as type is trivial, ${given("type")}`;
  if (name === "threshold" && (choice.threshold as number) + cutoff > 1)
    return `open, for a cutoff of ${cutoff}, ${given("cutoff")}`;
  if (name === "cutoff" && (choice.cutoff as number) + threshold > 1)
    return `open, for a threshold of ${threshold}, ${given("threshold")}`;
  return null;
}

/** Why a choice cannot be with these items; null if it can. @param itemBytes 0 for items of any length */
export function unusable({ path, choice }: NamedSource, chosen: Chosen, itemBytes: number): Misfit | null {
  const { bufferBytes } = choice;
  if (itemBytes === 0 && isTrivial(choice) && chosen.type === undefined) {
    return {
      path: `${path}.type`,
      sentence: "expected tensor or simple for items of any length, got trivial",
    };
  }
  if (chosen.bufferBytes !== undefined || bufferBytes === undefined || bufferBytes >= itemBytes) return null;
  if ((chosen.type ?? choice.type) === "trivial") return null;
  return {
    path: `${path}.bufferBytes`,
    sentence: `expected at least ${itemBytes}, the bytes of an item here, got ${bufferBytes}`,
  };
}

export const isTrivial = ({ type }: ConveyorChoices): boolean => type === "trivial";
