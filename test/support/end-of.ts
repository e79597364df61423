/** The end of a world, for tests that play a launcher over createWorld(). */

import { Heap } from "../../src/ground/memory/heap.ts";
import { Termination } from "../../src/ground/wait/termination.ts";
import { Wakers } from "../../src/ground/wait/wakers.ts";
import type { Ticket } from "../../src/index.ts";
import type { PEDescriptor } from "../../src/links/world/layout.ts";

/** How the world of a ticket ends, and who is to be told then. */
export function endOf({ contents }: Ticket): { termination: Termination; wakers: Wakers } {
  const { seat } = contents as { seat: PEDescriptor };
  const { i32, u8 } = Heap.attach(seat.memory);
  return {
    termination: new Termination(i32, u8, seat.waitOffset),
    wakers: new Wakers(i32, seat.waitOffset, seat.size),
  };
}
