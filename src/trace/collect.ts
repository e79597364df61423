/** Collects what happens in the conveyors of one thread, for a trace. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { BufferReceived, BufferSent, SessionEnded } from "../conveyor/engine/observe.ts";

/** One event; cloneable. */
export type TraceEvent =
  | ({ readonly kind: "sent" } & BufferSent)
  | ({ readonly kind: "received" } & BufferReceived)
  | ({ readonly kind: "session" } & SessionEnded);

/** What one PE has collected. */
export interface PETrace {
  readonly rank: number;
  readonly events: readonly TraceEvent[];
  /** Events beyond {@link MOST}, which are not kept. */
  readonly dropped: number;
}

/** Events that are kept of one PE. */
export const MOST = 200_000;

const KINDS = ["sent", "received", "session"] as const;

/** Collects from now on; gives what has come when it is stopped. Only conveyors that are made meanwhile tell of their buffers. */
export function collect(rank: number): { stop(): PETrace } {
  const events: TraceEvent[] = [];
  let dropped = 0;
  const listeners = KINDS.map((kind) => {
    const listener = (message: unknown): void => {
      if (events.length < MOST) events.push({ kind, ...(message as object) } as TraceEvent);
      else dropped++;
    };
    subscribe(`tundish:conveyor:${kind}`, listener);
    return [kind, listener] as const;
  });
  return {
    stop() {
      for (const [kind, listener] of listeners) unsubscribe(`tundish:conveyor:${kind}`, listener);
      return { rank, events, dropped };
    },
  };
}
