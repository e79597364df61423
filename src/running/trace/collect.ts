/** Collects the events of the conveyors and exchanges of one thread, for a trace. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { BufferReceived, BufferSent, SessionEnded } from "../../facilities/conveyor/engine/observe.ts";
import type { ChunkSent } from "../../facilities/exchange/observe.ts";

/** One event; cloneable. */
export type TraceEvent =
  | ({ readonly kind: "sent" } & BufferSent)
  | ({ readonly kind: "received" } & BufferReceived)
  | ({ readonly kind: "session" } & SessionEnded)
  | ({ readonly kind: "chunk" } & ChunkSent);

/** The events of one PE. */
export interface PETrace {
  readonly rank: number;
  readonly events: readonly TraceEvent[];
  /** Number of events beyond {@link MOST}, which are discarded. */
  readonly dropped: number;
}

/** Largest number of events kept for one PE. */
export const MOST = 200_000;

/** By kind of event: its channel. */
const CHANNELS = {
  sent: "tundish:conveyor:sent",
  received: "tundish:conveyor:received",
  session: "tundish:conveyor:session",
  chunk: "tundish:exchange:sent",
} as const;

/** Collects until it is stopped; stop() returns the events. Only conveyors made meanwhile report their buffers. */
export function collect(rank: number): { stop(): PETrace } {
  const events: TraceEvent[] = [];
  let dropped = 0;
  const listeners = Object.entries(CHANNELS).map(([kind, channel]) => {
    const listener = (message: unknown): void => {
      if (events.length < MOST) events.push({ kind, ...(message as object) } as TraceEvent);
      else dropped++;
    };
    subscribe(channel, listener);
    return [channel, listener] as const;
  });
  return {
    stop() {
      for (const [channel, listener] of listeners) unsubscribe(channel, listener);
      return { rank, events, dropped };
    },
  };
}
