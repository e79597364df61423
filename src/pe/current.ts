/** The PE that the free functions act on: that of the thread, or in the simulator the one whose program calls. */

import { NoPEError } from "../ground/base/errors.ts";
import { define } from "../ground/base/objects/define.ts";

// on the global object, so that all copies of the package that this thread has loaded share it
const kCurrent: unique symbol = Symbol.for("tundish.pe");
const kAll: unique symbol = Symbol.for("tundish.pes");
type Holder<P> = { [kCurrent]?: P | undefined; [kAll]?: P[] };

/** Makes `pe` the current PE of this thread, until it leaves. */
export function setCurrent<P extends object>(pe: P): void {
  const holder = globalThis as Holder<P>;
  holder[kAll] ??= [];
  holder[kAll].push(pe);
  holder[kCurrent] = pe;
}

/** The current PE becomes the latest one that has not left. The last one stays; its calls report that it has left. */
export function dropCurrent<P extends object>(pe: P): void {
  const holder = globalThis as Holder<P>;
  const others = holder[kAll]?.filter((other) => other !== pe) ?? [];
  if (others.length === 0) return;
  holder[kAll] = others;
  holder[kCurrent] = others.at(-1) as P;
}

/** The current PE of this thread. @throws NoPEError if there is none */
export function current<P extends object>(what: string): P {
  const pe = (globalThis as Holder<P>)[kCurrent];
  if (pe === undefined) throw new NoPEError(what);
  return pe;
}

/**
 * Makes the current PE the one that `find` finds, where it finds one. Until then it is a plain field, which costs the
 * calls of threads least. @returns what ends it
 */
export function divertCurrent(find: () => object | undefined): () => void {
  const holder = globalThis as Holder<object>;
  let own = holder[kCurrent];
  define(holder, kCurrent, {
    configurable: true,
    get: () => find() ?? own,
    set: (pe) => {
      own = pe;
    },
  });
  return () => {
    delete holder[kCurrent];
    if (own !== undefined) holder[kCurrent] = own;
  };
}
