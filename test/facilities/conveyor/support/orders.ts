/** In which order a PE sends to its links. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { BufferSent } from "../../../../src/facilities/conveyor/engine/observe.ts";
import { u32 } from "../../../../src/ground/item/item-type.ts";
import type { ConveyorOptions } from "../../../../src/route/geometry/options.ts";
import type { Play, Seat } from "./seats.ts";

/** By hop: the receivers in the order of the buffers, without the PE itself. */
export type Sent = number[][];

/** For a program on threads. */
export interface OrderArgs {
  readonly options: ConveyorOptions;
}

/** Sends an item to every PE in one session. */
export function* ordersOf(pe: Pick<Seat, "rank" | "size" | "conveyor">, options: ConveyorOptions): Play<Sent> {
  const { rank, size } = pe;
  const sent: Sent = [];
  const listener = (message: unknown): void => {
    const { rank: from, hop, to } = message as BufferSent;
    if (from !== rank || to === rank) return;
    sent[hop] ??= [];
    sent[hop].push(to);
  };
  subscribe("tundish:conveyor:sent", listener);
  try {
    const c = pe.conveyor(u32, options);
    yield* c.begin();
    for (let dest = 0; yield* c.advance(dest === size); ) {
      while (dest < size && c.push(dest, dest)) dest++;
      while (c.pull());
    }
    yield* c.reset();
    c.free();
  } finally {
    unsubscribe("tundish:conveyor:sent", listener);
  }
  return sent;
}
