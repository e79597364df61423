/**
 * The place of a conveyor on several nodes, seen from one PE: within the node as on one node (heap/site.ts), and
 * between nodes over MPI.
 *
 * What: the block of the heap that the PEs of the node share has their links to each other, and behind them each PE's own to
 * other nodes. Each PE drives its own links: at the end of a turn it sees what has come and what has
 * left, and tells what it has read.
 *
 * Nobody notifies for what comes from another node, so a PE that has nothing to do looks again soon.
 */

import type { SitePlan } from "../contract.ts";
import { type HeapSeat, HeapSite, NO_LIMITS } from "../heap/site.ts";
import { clusterSiteParts, type NodePeers, type RemoteSiteParts, type SiteMemory } from "./assemble.ts";

/** Longest sleep of a PE that something may come to from another node, ms. */
const NAP_MS = 0.1;
/** How long a PE that goes in the middle of a session waits until MPI has sent its buffers, ms. */
const PATIENCE_MS = 1000;

export class ClusterSite extends HeapSite {
  override readonly napMs: number = NAP_MS;
  readonly #seat: HeapSeat;
  readonly #nodePeers: NodePeers;
  readonly #remote: RemoteSiteParts;
  readonly #onClose: (site: ClusterSite) => void;
  /** PEs that had left at the last look, while something was awaited from them. */
  #suspects: ReadonlySet<number> = new Set();
  /** What the mailbox had found then. */
  #finds = -1;
  #isClosed = false;

  /** @param onClose is called when MPI has let go of the conveyor's memory */
  constructor(
    seat: HeapSeat,
    nodePeers: NodePeers,
    plan: SitePlan,
    memory: SiteMemory,
    onClose: (site: ClusterSite) => void,
  ) {
    const { parts, remote } = clusterSiteParts(seat, nodePeers, plan, memory);
    super(seat, plan, memory.offset, parts);
    this.#seat = seat;
    this.#nodePeers = nodePeers;
    this.#remote = remote;
    this.#onClose = onClose;
  }

  override look(moved: boolean, needed: number): void {
    super.look(this.#serve(moved), needed);
  }

  override turn(moved: boolean, needed: number, alone?: boolean): void {
    super.turn(this.#serve(moved), needed, alone);
  }

  /** Sees what is over; whether there was anything, or has been in this turn. */
  #serve(moved: boolean): boolean {
    const { wire, porters } = this.#remote;
    const came = wire.glance(moved);
    if (came || !moved) for (const { receipts } of porters) receipts.acknowledge();
    return moved || came;
  }

  override until(ready: () => boolean): Promise<void> {
    return this.#seat.async.until({ peer: -1, ready, spin: ready, napMs: this.napMs }, NO_LIMITS);
  }

  /**
   * Those of other nodes are said to have departed a while after their node has gone. One that was done with the session
   * has sent all that others need for it, and that has come by the second look in a row that finds nothing in the mailbox.
   */
  protected override lookForDeparted(needed: number): void {
    super.lookForDeparted(needed);
    const { porters, handshakes, vote } = this.#remote;
    const awaited = [handshakes.awaited, vote?.awaited ?? -1, ...porters.map((porter) => porter.awaited)];
    const gone = awaited.filter((pe) => pe >= 0 && this.#seat.wakers.departed(pe));
    const { finds } = this.#nodePeers.mailbox;
    for (const pe of gone) if (finds === this.#finds && this.#suspects.has(pe)) throw this.lost(pe);
    this.#suspects = new Set(gone);
    this.#finds = finds;
  }

  /**
   * Nothing is sent or received any more. Only when no session is under way all that was sent has come.
   * @returns whether MPI has let go of the memory
   */
  close(): boolean {
    if (this.#isClosed) return true;
    const { termination } = this.#seat;
    const until = performance.now() + PATIENCE_MS;
    if (!this.#remote.wire.close(() => termination.decided || performance.now() > until)) return false;
    this.#isClosed = true;
    const { mailbox, streams } = this.#nodePeers;
    this.#remote.handshakes.close();
    for (const stream of streams) mailbox.unexpected.drop(stream);
    this.#onClose(this);
    return true;
  }

  /** When the world has failed MPI may be at work in the memory still: then it is nobody's any more. */
  override free(): void {
    if (this.close()) super.free();
  }
}
