/**
 * Async contexts (AsyncLocalStorage): what calls a function of the user from the event loop, later or again and again,
 * does it in the context of the call that has been given the function, not in that of whatever runs the loop.
 *
 * An AsyncResource is made in a fraction of a µs, AsyncLocalStorage.snapshot() in some 20 µs.
 */
import { AsyncResource } from "node:async_hooks";

/** The context of the caller: its `runInAsyncScope` calls a function in it. */
export const contextNow = (): AsyncResource => new AsyncResource("tundish", { requireManualDestroy: true });

/** The context of nobody: for loops that serve several callers. */
export const NO_CONTEXT: AsyncResource = contextNow();
