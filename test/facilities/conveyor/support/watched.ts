/** Buffers that conveyors send, by their events. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { BufferSent } from "../../../../src/facilities/conveyor/engine/observe.ts";

/** Runs something, and gives the buffers that were sent meanwhile. */
export function watched(run: () => void): BufferSent[] {
  const sent: BufferSent[] = [];
  const listener = (event: unknown) => sent.push(event as BufferSent);
  subscribe("tundish:conveyor:sent", listener);
  try {
    run();
  } finally {
    unsubscribe("tundish:conveyor:sent", listener);
  }
  return sent;
}
