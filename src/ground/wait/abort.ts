/**
 * Listening to AbortSignals. One signal may end a thousand waits and runs, such as that of a service's shutdown, and
 * Node warns of more than ten listeners. So a signal gets one listener of this module, as long as somebody listens.
 */

type Listener = () => void;

const listeners = new WeakMap<AbortSignal, Set<Listener>>();

/**
 * Calls `listener` when a signal that is not aborted yet is aborted.
 * @param signal undefined for none
 * @returns what ends that; it may be called again
 */
export function onAbort(signal: AbortSignal | undefined, listener: Listener): () => void {
  if (signal === undefined || signal.aborted) return () => {};
  const all = listeners.get(signal) ?? listenTo(signal);
  // a function of its own: the same listener may be there twice
  const one = () => listener();
  all.add(one);
  return () => {
    if (!all.delete(one) || all.size > 0) return;
    listeners.delete(signal);
    signal.removeEventListener("abort", tell);
  };
}

function listenTo(signal: AbortSignal): Set<Listener> {
  const all = new Set<Listener>();
  listeners.set(signal, all);
  signal.addEventListener("abort", tell);
  return all;
}

/** Of all signals, so that it can be removed without being kept. */
function tell(this: AbortSignal): void {
  for (const listener of listeners.get(this) ?? []) listener();
}
