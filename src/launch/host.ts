/**
 * Bring your own workers: a world whose PEs are threads that somebody else starts (plain workers, a
 * pool such as piscina, the main thread itself). The host makes the memory, a ticket takes a thread in.
 */
import { isMainThread } from "node:worker_threads";
import type { Trees } from "../../trees/model/types.ts";
import { UsageError } from "../base/errors.ts";
import { shieldAlike, shieldThreads } from "../base/shield.ts";
import { shortText } from "../base/short-text.ts";
import { type Diagnosis, diagnose } from "../diagnose/diagnose.ts";
import { bindThread } from "../machine/affinity.ts";
import type { MachineModel } from "../machine/types.ts";
import { Heap } from "../memory/heap.ts";
import type { WasmMemory } from "../memory/kernels/webassembly.ts";
import { PE, setCurrentPE } from "../pe/pe.ts";
import { checkInMain } from "../run/in-main.ts";
import { makeNode, type Node } from "../run/node.ts";
import { checkWorldOptions, type WorldOptions } from "../run/options.ts";
import { prepare } from "../run/prepare.ts";
import { CLOSED, LOST, PE_TAKEN, peWord } from "../wait/layout.ts";
import { Termination } from "../wait/termination.ts";
import { Wakers } from "../wait/wakers.ts";
import type { Seat } from "../world/layout.ts";
import { enter, forgetEnded } from "../world/membership.ts";
import { treesFor } from "./trees.ts";

/** A seat in a world, to be sent to the thread that takes it: cloneable, for one `join`. */
export interface Ticket {
  readonly kind: "tundish/ticket@1";
  /** The PE that the ticket makes. */
  readonly rank: number;
  /** Not for users: what join() takes the seat with. */
  readonly contents: unknown;
}

interface Contents {
  readonly seat: Seat;
  readonly trees: Trees;
  readonly model: MachineModel;
  /** What the ends of threads are told by. */
  readonly shield: Int32Array;
}

/** The world that {@link createWorld} made, for the one who hands out its seats. */
export class WorldHost implements Disposable {
  /** Number of PEs. */
  readonly size: number;
  readonly #node: Node;

  /** @internal */
  constructor(node: Node) {
    this.size = node.seats.length;
    this.#node = node;
  }

  /**
   * The ticket of a PE. Each can be used once.
   * @throws UsageError for what is no rank of this world
   */
  ticket(rank: number): Ticket {
    const seat = this.#seat("ticket", rank);
    const { trees, model } = this.#node;
    const contents: Contents = { seat, trees, model, shield: shieldThreads() };
    return { kind: "tundish/ticket@1", rank, contents };
  }

  /**
   * Says that the PE `rank` is gone: every wait in the world ends with a RankLostError. Call it when a
   * worker of yours dies; its own exit is noticed, but not that it was terminated.
   * @throws UsageError for what is no rank of this world
   */
  lost(rank: number, cause?: unknown): void {
    this.#seat("lost", rank);
    this.#node.termination.decide(LOST, { rank, message: `PE ${rank} was lost`, cause });
    this.#node.wakers.notifyAll();
    forgetEnded();
  }

  /** As {@link PE.diagnose}. */
  diagnose(patience?: number): Diagnosis {
    const { heap, wakers, termination, seats } = this.#node;
    const { statusOffset } = seats[0] as Seat;
    return diagnose({ heap, wakers, termination, offset: statusOffset, size: this.size, first: 0 }, patience);
  }

  /** Ends the world: every wait and every later call of its PEs throws a WorldClosedError. */
  close(): void {
    this.#node.termination.decide(CLOSED, { rank: -1, message: "The world was closed by its host" });
    this.#node.wakers.notifyAll();
    forgetEnded();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #seat(what: string, rank: number): Seat {
    const seat = Number.isInteger(rank) ? this.#node.seats[rank] : undefined;
    if (seat !== undefined) return seat;
    throw new UsageError(`${what}: expected a rank from 0 to ${this.size - 1}, got ${shortText(rank)}`);
  }
}

/**
 * Makes a world for threads of your own: send `host.ticket(rank)` to each, which calls {@link join}.
 * @throws UsageError, ModelError, HeapError for bad options; ModuleError when a PE calls it while it imports its module
 */
export async function createWorld(options: WorldOptions = {}): Promise<WorldHost> {
  checkInMain("createWorld()");
  checkWorldOptions(options);
  shieldThreads();
  const prepared = await prepare(options, null, null);
  return new WorldHost(makeNode(options, prepared, await treesFor(options, prepared, null)));
}

/**
 * Takes the calling thread into a world, as the PE that the ticket names. A worker binds itself to the
 * PE's CPU (`pin: false` to leave it) until {@link PE.leave}, which binds it as it was before; the main
 * thread never does, use the Async forms there.
 * The free functions act on the PE that a thread joined as last and has not left.
 * @throws UsageError for what is no ticket, and for one that was used before
 */
export async function join(ticket: Ticket): Promise<PE> {
  const contents = ticket?.contents as Partial<Contents> | null | undefined;
  const memory = contents?.seat?.memory as WasmMemory | undefined;
  if (ticket?.kind !== "tundish/ticket@1" || !(memory?.buffer instanceof SharedArrayBuffer)) {
    throw new UsageError(
      "join: expected a ticket that WorldHost.ticket() made, sent to this thread as it is.",
    );
  }
  const { seat, trees, model, shield } = ticket.contents as Contents;
  shieldAlike(shield);
  const heap = Heap.attach(memory);
  // pairs with the same call of a second thread with this ticket: one of them gets the seat
  if (Atomics.exchange(heap.i32, peWord(seat.waitOffset, seat.rank) + PE_TAKEN, 1) !== 0) {
    throw new UsageError(`join: the seat of PE ${seat.rank} is taken; each ticket can be used once.`);
  }
  const unbind = !isMainThread && seat.cpu !== null ? bindThread(seat.cpu) : null;
  const wakers = new Wakers(heap.i32, seat.waitOffset, seat.size);
  const termination = new Termination(heap.i32, heap.u8, seat.waitOffset);
  let pe: PE | null = null;
  const forget = enter({
    rank: seat.rank,
    wakers,
    termination,
    leavingError: () => pe?.leavingError ?? null,
  });
  // a thread of a pool joins many worlds, one after the other
  const onLeave = () => {
    forget();
    unbind?.();
  };
  pe = new PE(unbind ? seat : { ...seat, cpu: null }, trees, model, onLeave);
  setCurrentPE(pe);
  return pe;
}
