/**
 * Which virtual PE the free functions act on: the one whose program calls them, also after it has awaited something
 * else than its calls. Only the context of the call tells that, as such programs go on in any order.
 *
 * Cost: on Node.js before 24 promises take longer while a context is in use; a run with many collectives and few items
 * takes some 20 % more.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { divertCurrent } from "../../pe/current.ts";

const storage = new AsyncLocalStorage<object>();
/** Runs that go on now in this thread. */
let running = 0;
let restore: () => void = () => {};

/** Calls it so that the free functions in it, and in all that it starts, act on a PE. */
export const actingOn = <T>(pe: object, run: () => T): T => storage.run(pe, run);

/** Free functions act on the PEs of {@link actingOn} until the promise is settled. */
export async function withVirtualPEs<T>(run: () => Promise<T>): Promise<T> {
  if (running++ === 0) restore = divertCurrent(() => storage.getStore());
  try {
    return await run();
  } finally {
    if (--running === 0) {
      restore();
      storage.disable();
    }
  }
}
