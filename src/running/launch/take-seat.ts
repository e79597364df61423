/** Makes this thread a PE, by a ticket. */
import { isMainThread } from "node:worker_threads";
import { UsageError } from "../../ground/base/errors.ts";
import { shieldAlike } from "../../ground/base/shield.ts";
import { loadParts } from "../../ground/base/thread/late.ts";
import { Heap } from "../../ground/memory/heap.ts";
import type { WasmMemory } from "../../ground/memory/kernels/webassembly.ts";
import { Termination } from "../../ground/wait/termination.ts";
import { Wakers } from "../../ground/wait/wakers.ts";
import { enter } from "../../links/world/membership.ts";
import { bindThread } from "../../machine/topology/bound-thread.ts";
import { setCurrent } from "../../pe/current.ts";
import { newPE, type PE } from "../../pe/pe.ts";
import { ThreadWorld } from "../../pe/thread-world.ts";
import type { Contents, Ticket } from "./ticket.ts";

/** As join(). */
export async function takeSeat(ticket: Ticket): Promise<PE> {
  await loadParts();
  const contents = ticket?.contents as Partial<Contents> | null | undefined;
  const memory = contents?.seat?.memory as WasmMemory | undefined;
  if (ticket?.kind !== "tundish/ticket@1" || !(memory?.buffer instanceof SharedArrayBuffer)) {
    throw new UsageError("join: expected a ticket made by WorldHost.ticket(), sent to this thread unchanged.");
  }
  const { seat, trees, model, plan, shield } = ticket.contents as Contents;
  shieldAlike(shield);
  const heap = Heap.attach(memory);
  const wakers = new Wakers(heap.i32, seat.waitOffset, seat.size);
  if (!wakers.takeSeat(seat.rank)) {
    throw new UsageError(`join: the seat of PE ${seat.rank} is taken; each ticket can be used once.`);
  }
  const unbind = !isMainThread && seat.cpu !== null ? bindThread(seat.cpu) : null;
  const termination = new Termination(heap.i32, heap.u8, seat.waitOffset);
  let world: ThreadWorld | null = null;
  const forget = enter({
    rank: seat.rank,
    wakers,
    termination,
    leavingError: () => world?.leavingError ?? null,
  });
  // a thread of a pool may join many worlds, one after another
  const onLeave = () => {
    forget();
    unbind?.();
  };
  const place = unbind ? seat : { ...seat, cpu: null };
  world = new ThreadWorld(place, trees, model, plan, null, { onLeave });
  const pe = newPE(world);
  setCurrent(pe);
  return pe;
}
