/** The result of launch() and of a run of an open world: a promise of the results, and calls until then. */
import { AsyncResource } from "node:async_hooks";
import { EventEmitter } from "node:events";
import { define } from "../../ground/base/objects/define.ts";
import type { Diagnosis } from "../../links/diagnose/diagnose.ts";
import type { MessageListener } from "./jobs.ts";

/** The results in rank order; `await using` or {@link close} ends the run early. */
export interface Run<Result = unknown> extends Promise<Result[]>, AsyncDisposable {
  /** Ends the run if it has not ended; resolves when it has. */
  close(): Promise<void>;
  /** The rank of the first result: greater than 0 if other nodes precede this one; -1 before the run has begun. */
  readonly first: number;
  /** As {@link PE.diagnose}; without any PE before the run has begun. */
  diagnose(patience?: number): Diagnosis;
  /**
   * Calls `listener` with each value that a PE of this node posts (`pe.post`), and the PE's rank. Add it at once: what
   * is posted before is not kept. It runs in the async context of this call. @returns this run
   */
  on(event: "message", listener: MessageListener): this;
  /** Removes a listener. @returns this run */
  off(event: "message", listener: MessageListener): this;
}

/** The world of a run, once there is one. */
interface WorldOfRun {
  readonly first: number;
  diagnose(patience?: number): Diagnosis;
}

/** How a run begins. */
export interface Beginning {
  /** Aborted when the run is closed. */
  readonly closing: AbortSignal;
  /** Called with its world. */
  readonly onBegin: (world: WorldOfRun) => void;
  readonly onPost: MessageListener;
}

const NOT_BEGUN: Diagnosis = { problems: [], pes: [], text: "The run has not begun." };

/** The run that `begin` begins. */
export function runOf<Result>(begin: (beginning: Beginning) => Promise<unknown[]>): Run<Result> {
  const closing = new AbortController();
  const events = new EventEmitter();
  /** By what was given: what was added for it. A value comes in the context in which the thread was started. */
  const bound = new Map<MessageListener, MessageListener[]>();
  let world: WorldOfRun | null = null;
  const results = begin({
    closing: closing.signal,
    onBegin: (begun) => {
      world = begun;
    },
    onPost: (value, rank) => void events.emit("message", value, rank),
  });
  const close = async () => {
    closing.abort();
    await results.catch(() => {});
  };
  const bind = (listener: MessageListener): MessageListener => {
    if (typeof listener !== "function") return listener; // `events` says that
    const added = AsyncResource.bind(listener);
    const earlier = bound.get(listener);
    if (earlier === undefined) bound.set(listener, [added]);
    else earlier.push(added);
    return added;
  };
  const run = Object.assign(results, {
    close,
    diagnose: (patience?: number) => world?.diagnose(patience) ?? NOT_BEGUN,
    [Symbol.asyncDispose]: close,
    on(event: "message", listener: MessageListener) {
      events.on(event, bind(listener));
      return run;
    },
    off(event: "message", listener: MessageListener) {
      const last = bound.get(listener)?.pop();
      if (last !== undefined) events.off(event, last);
      return run;
    },
  });
  define(run, "first", { get: () => world?.first ?? -1 });
  return run as unknown as Run<Result>;
}
