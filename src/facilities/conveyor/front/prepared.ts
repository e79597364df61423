/** The parts of a conveyor are kept for the next one: programs make one like another for each of their phases. */
import type { SitePlan } from "../../../links/transport/contract.ts";
import type { ConveyorOptions } from "../../../route/geometry/options.ts";
import type { Frame } from "../engine/assembly.ts";

/** The parts that follow from the item type and the options of a conveyor alone. */
export interface Prepared {
  readonly options: ConveyorOptions;
  readonly plan: SitePlan;
  readonly parts: Omit<Frame, "site" | "observer">;
}

/** By context, and by item type: that of the last conveyor made. */
const prepared = new WeakMap<object, Map<string, Prepared>>();
/** A program that makes types of items without end must not fill the memory. */
const MOST = 256;

/**
 * The parts prepared in a context for a conveyor with the same options; null if there was none.
 * @param of names all but the options
 */
export function recall(context: object, of: string, options: ConveyorOptions): Prepared | null {
  const found = prepared.get(context)?.get(of);
  return found !== undefined && areSame(found.options, options) ? found : null;
}

export function remember(
  context: object,
  of: string,
  options: ConveyorOptions,
  plan: SitePlan,
  parts: Prepared["parts"],
): Prepared {
  let known = prepared.get(context);
  if (known === undefined) {
    known = new Map();
    prepared.set(context, known);
  }
  if (known.size === MOST) known.clear();
  // the user may change the object, and the mesh in it
  const { mesh } = options;
  const made = { options: { ...options, ...(mesh && { mesh: [...mesh] }) }, plan, parts };
  known.set(of, made);
  return made;
}

function areSame(a: ConveyorOptions, b: ConveyorOptions): boolean {
  // what is no plain object gets an error
  if (typeof b !== "object" || b === null || Object.getPrototypeOf(b) !== Object.prototype) return false;
  const names = Object.keys(b) as (keyof ConveyorOptions)[];
  // a codec and a plan are objects of the user's, who may change them
  if (names.length !== Object.keys(a).length || typeof b.compress === "object" || b.plan !== undefined) return false;
  return names.every((name) => a[name] === b[name] || (name === "mesh" && areSameSizes(a.mesh, b.mesh)));
}

const areSameSizes = (a: unknown, b: unknown): boolean =>
  Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((size, i) => size === b[i]);
