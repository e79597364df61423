/**
 * Worlds on threads that the user starts (plain workers, a pool such as piscina, the main thread itself). The host
 * creates the memory; a ticket lets a thread join.
 */
import type { PE } from "../../pe/pe.ts";
import { checkInMain } from "../run/in-main.ts";
import type { WorldOptions } from "../run/options.ts";
import type { WorldHost } from "./host.ts";
import type { Ticket } from "./ticket.ts";

/**
 * Makes a world for threads that you start: send `host.ticket(rank)` to each thread, which calls {@link join}.
 * @throws UsageError, ModelError, HeapError for bad options; ModuleError if a PE calls it while it imports its module
 */
export async function createWorld(options: WorldOptions = {}): Promise<WorldHost> {
  checkInMain("createWorld()");
  const { startWorld } = await import("./host.ts");
  return startWorld(options);
}

/**
 * Joins a world as the PE of the ticket. A worker binds itself to the PE's CPU (unless `pin: false`) until
 * {@link PE.leave}, which restores its former binding. The main thread is never bound; use the Async forms there. The
 * free functions act on the PE that the thread joined last and has not left.
 * @throws UsageError for a value that is not a ticket, and for a ticket that was used before
 */
export async function join(ticket: Ticket): Promise<PE> {
  const { takeSeat } = await import("./take-seat.ts");
  return takeSeat(ticket);
}
