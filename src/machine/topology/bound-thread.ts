/** Threads of a user that join worlds, perhaps several, are bound to a CPU for a while. */
import { pinThread, readBinding } from "./affinity.ts";

/** The CPUs that {@link bindThread} has bound this thread to and that were not released, the latest last. */
const bindings: { readonly cpu: number }[] = [];
/** The CPUs of this thread before the first binding. */
let unbound: readonly number[] = [];

/**
 * Binds the calling thread to a CPU; returns a function that releases the binding, or null if it cannot be bound. After
 * a release the thread runs on the CPU of the latest binding that was not released, or, if there is none, where it ran
 * before.
 */
export function bindThread(cpu: number): (() => void) | null {
  const before = bindings.length > 0 ? unbound : readBinding();
  if (before === null || !pinThread(cpu)) return null;
  unbound = before;
  const binding = { cpu };
  bindings.push(binding);
  return () => {
    bindings.splice(bindings.indexOf(binding), 1);
    pinThread(bindings.at(-1)?.cpu ?? unbound);
  };
}
