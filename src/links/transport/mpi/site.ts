/**
 * The site of a conveyor on several nodes, as seen by one PE: within the node as on one node (heap/site.ts), between
 * nodes over MPI, or through memory if they have mapped each other's heaps.
 *
 * The block of the heap that the PEs of the node share contains their links to each other, and after those each PE's
 * links to other nodes. Each PE drives its own links: at the end of a turn it handles received buffers and completed
 * sends, and sends receipts.
 *
 * A message from another node notifies no waker, so an idle PE polls at short intervals.
 */

import { monotonic } from "../../../ground/base/event-loop/timers.ts";
import type { SitePlan } from "../contract.ts";
import { HeapSite, type HeapSiteSetup } from "../heap/site.ts";
import { type Nodes, nodeOf } from "../nodes.ts";
import { type NodePeers, type RemoteSiteParts, remoteSiteParts, type SiteMemory } from "./assemble.ts";

/** Longest sleep of a PE that may receive from another node, ms. */
const SLEEP_MS = 0.1;
/** Longest wait of a PE that leaves in the middle of a session for MPI to send its buffers, ms. */
const CLOSE_TIMEOUT_MS = 1000;

export class NodesSite extends HeapSite {
  override readonly startsSlowly: boolean = false;
  override readonly pollMs: number = SLEEP_MS;
  /** Tags must be known first. */
  override readonly firstByVote: boolean = true;
  readonly #seat: HeapSiteSetup;
  readonly #nodePeers: NodePeers;
  readonly #remote: RemoteSiteParts;
  readonly #onClose: (site: NodesSite) => void;
  /** PEs that had departed at the last check, while a message of theirs was awaited. */
  #suspects: ReadonlySet<number> = new Set();
  /** The mailbox's count of finds at that check. */
  #finds = -1;
  #isClosed = false;

  /** @param onClose is called when MPI no longer uses the conveyor's memory */
  constructor(
    seat: HeapSiteSetup,
    nodePeers: NodePeers,
    plan: SitePlan,
    memory: SiteMemory,
    onClose: (site: NodesSite) => void,
  ) {
    const { parts, remote } = remoteSiteParts(seat, nodePeers, plan, memory);
    super(seat, plan, memory.offset, parts);
    this.#seat = seat;
    this.#nodePeers = nodePeers;
    this.#remote = remote;
    this.#onClose = onClose;
  }

  override sharesClock(rank: number): boolean {
    const { nodes, all } = this.#nodePeers;
    return shareHost(nodes, all[rank], all[this.rank]);
  }

  override look(moved: boolean, needed: number, works?: boolean): void {
    super.look(this.#serve(moved), needed, works);
  }

  override turn(moved: boolean, needed: number, alone?: boolean): void {
    super.turn(this.#serve(moved), needed, alone);
  }

  /** Handles completed requests; returns whether there were any in this turn. */
  #serve(moved: boolean): boolean {
    const { wire, porters } = this.#remote;
    const came = wire.glance(moved);
    if (came || !moved) for (const { receipts } of porters) receipts.acknowledge();
    return moved || came;
  }

  override until(ready: () => boolean, pollMs: number = this.pollMs): Promise<void> {
    return super.until(ready, Math.min(pollMs, this.pollMs));
  }

  /**
   * PEs of another node count as departed some time after their node has left. A PE that was done with the session has
   * sent everything that others need; it was received by the second check in a row that finds nothing in the mailbox.
   */
  protected override lookForDeparted(needed: number): void {
    super.lookForDeparted(needed);
    const { porters, mapped, handshakes, vote } = this.#remote;
    const awaited = [
      handshakes.awaited,
      vote?.awaited ?? -1,
      mapped.awaited,
      ...porters.map((porter) => porter.awaited),
    ];
    const gone = awaited.filter((pe) => pe >= 0 && this.hasDeparted(pe));
    const { finds } = this.#nodePeers.mailbox;
    for (const pe of gone) if (finds === this.#finds && this.#suspects.has(pe)) throw this.lost(pe);
    this.#suspects = new Set(gone);
    this.#finds = finds;
  }

  /** Stops sending and receiving. All that was sent was received if no session is open. @returns whether MPI is done */
  close(): boolean {
    if (this.#isClosed) return true;
    const { termination } = this.#seat;
    const until = monotonic() + CLOSE_TIMEOUT_MS;
    if (!this.#remote.wire.close(() => termination.decided || monotonic() > until)) return false;
    this.#isClosed = true;
    const { mailbox, streams } = this.#nodePeers;
    this.#remote.handshakes.close();
    this.#remote.mapped.leave();
    for (const stream of streams) mailbox.unexpected.drop(stream);
    this.#onClose(this);
    return true;
  }

  /** After a failure of the world MPI may still use the memory; then it is never allocated again. */
  override free(): void {
    if (this.close()) super.free();
  }
}

/** Whether two PEs of a world are on one machine. */
function shareHost(nodes: Nodes, one: number, other: number): boolean {
  const hostOf = (rank: number): number => {
    const node = nodeOf(nodes, rank);
    return nodes.hosts?.[node] ?? node;
  };
  return hostOf(one) === hostOf(other);
}
