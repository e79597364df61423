/** Functions of modules by their names, as they are given to loops of a world: the PEs import them. */
import { UsageError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";

declare const kFunction: unique symbol;

/** An exported function of a module, which each PE imports: of {@link functionsOf}. */
export interface ModuleFunction<F> {
  /** As given to {@link functionsOf}. */
  readonly module: string;
  /** The name that the module exports it by; `default` for its default export. */
  readonly name: string;
  /** There for the compiler alone: its type. */
  readonly [kFunction]?: F;
}

/** The exported functions of a module, by name. */
export type ModuleFunctions<M> = {
  readonly [Name in keyof M as M[Name] extends (...args: never[]) => unknown ? Name : never]: ModuleFunction<M[Name]>;
};

/** The module of all those that exist, and their names. */
const made = new WeakSet<object>();

/** Whether a value is a function of a module. */
export const isModuleFunction = (value: unknown): value is ModuleFunction<unknown> =>
  typeof value === "object" && value !== null && made.has(value);

/**
 * The exported functions of a module, for loops of a world. Nothing is loaded here: each PE imports the module at its
 * first loop, once.
 *
 *     const { row } = functionsOf<typeof import("./rows.js")>(new URL("./rows.js", import.meta.url));
 *     const rows = await mapEach(world, 1000, row, { args: { width: 800 } });
 *
 * @param module as for `launch`: a URL, or a path relative to the working directory
 * @throws UsageError for another value
 */
export function functionsOf<M extends object = Readonly<Record<string, (...args: never[]) => unknown>>>(
  module: URL | string,
): ModuleFunctions<M> {
  const place: unknown = module instanceof URL ? module.href : module;
  if (typeof place !== "string") {
    throw new UsageError(
      `functionsOf: expected the URL or path of a module, got ${shortText(module)}. ` +
        "In a module: functionsOf(new URL('./rows.js', import.meta.url))",
    );
  }
  const known = new Map<string, ModuleFunction<unknown>>();
  const named = (name: string): ModuleFunction<unknown> => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const one = Object.freeze({ module: place, name });
    made.add(one);
    known.set(name, one);
    return one;
  };
  // with `then` it would look like a promise
  const get = (_: object, name: string | symbol) =>
    typeof name === "string" && name !== "then" ? named(name) : undefined;
  return new Proxy(Object.freeze({}), { get }) as ModuleFunctions<M>;
}
