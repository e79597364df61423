/**
 * Worlds on threads that the user starts (plain workers, a pool such as piscina, the main thread itself). The host
 * creates the memory; a ticket lets a thread join.
 */

import { isMainThread } from "node:worker_threads";
import type { Trees } from "../../../trees/model/tree.ts";
import { UsageError } from "../../ground/base/errors.ts";
import { setImmediate } from "../../ground/base/event-loop/timers.ts";
import { shieldAlike, shieldThreads } from "../../ground/base/shield.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { Heap } from "../../ground/memory/heap.ts";
import type { WasmMemory } from "../../ground/memory/kernels/webassembly.ts";
import { CLOSED, LOST } from "../../ground/wait/layout.ts";
import { Termination } from "../../ground/wait/termination.ts";
import { Wakers } from "../../ground/wait/wakers.ts";
import { type Diagnosis, diagnose } from "../../links/diagnose/diagnose.ts";
import type { PEDescriptor } from "../../links/world/layout.ts";
import { enter, forgetEnded } from "../../links/world/membership.ts";
import type { MachineModel } from "../../machine/model/machine-model.ts";
import { bindThread } from "../../machine/topology/affinity.ts";
import { setCurrent } from "../../pe/current.ts";
import { newPE, type PE } from "../../pe/pe.ts";
import { ThreadWorld } from "../../pe/thread-world.ts";
import type { WorldPlan } from "../../plan/document/world-plan.ts";
import { checkInMain } from "../run/in-main.ts";
import { makeNode, type Node } from "../run/node.ts";
import { checkWorldOptions, type WorldOptions } from "../run/options.ts";
import { givenPlan } from "../run/plan.ts";
import { prepare } from "../run/prepare.ts";
import { checkInputs } from "../run/stdin.ts";
import { treesFor } from "./trees.ts";

/** A ticket to join a world as one PE. Send it to the thread that joins; it can be cloned and used once. */
export interface Ticket {
  readonly kind: "tundish/ticket@1";
  /** The rank of the PE. */
  readonly rank: number;
  /** Not for users: the seat that join() takes. */
  readonly contents: unknown;
}

interface Contents {
  readonly seat: PEDescriptor;
  readonly trees: Trees;
  readonly model: MachineModel;
  readonly plan: WorldPlan;
  /** The state of shield.ts, for threads that were started before the world. */
  readonly shield: Int32Array;
}

/** Makes the face of a node. */
let newWorldHost: (node: Node) => WorldHost;

/** The world that {@link createWorld} made, for the thread that hands out its tickets. */
export class WorldHost implements Disposable {
  static {
    newWorldHost = (node) => new WorldHost(node);
  }

  /** Number of PEs. */
  readonly size: number;
  readonly #node: Node;

  private constructor(node: Node) {
    this.size = node.seats.length;
    this.#node = node;
  }

  /**
   * The ticket of a PE. Each can be used once.
   * @throws UsageError unless `rank` is a rank of this world
   */
  ticket(rank: number): Ticket {
    const seat = this.#seat("ticket", rank);
    const { trees, model, plan } = this.#node;
    const contents: Contents = { seat, trees, model, plan, shield: shieldThreads() };
    return { kind: "tundish/ticket@1", rank, contents };
  }

  /**
   * Reports that PE `rank` is lost: every wait in the world ends with a RankLostError. Call it when a worker of yours
   * dies. The exit of a worker is noticed without it, its termination from outside is not.
   * @throws UsageError unless `rank` is a rank of this world
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
    const { statusOffset } = seats[0] as PEDescriptor;
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

  #seat(what: string, rank: number): PEDescriptor {
    const seat = Number.isInteger(rank) ? this.#node.seats[rank] : undefined;
    if (seat !== undefined) return seat;
    throw new UsageError(`${what}: expected a rank from 0 to ${this.size - 1}, got ${shortText(rank)}`);
  }
}

/**
 * Makes a world for threads that you start: send `host.ticket(rank)` to each thread, which calls {@link join}.
 * @throws UsageError, ModelError, HeapError for bad options; ModuleError if a PE calls it while it imports its module
 */
export async function createWorld(options: WorldOptions = {}): Promise<WorldHost> {
  checkInMain("createWorld()");
  checkWorldOptions(options);
  checkInputs(options, false);
  shieldThreads();
  const prepared = await prepare(options, null, null, await givenPlan(options));
  const node = makeNode(options, prepared, await treesFor(options, prepared, null));
  node.wakers.openSeats();
  // once the caller waits for the threads that it starts
  setImmediate(() => node.wakers.leaveFencesToSleepers());
  return newWorldHost(node);
}

/**
 * Joins a world as the PE of the ticket. A worker binds itself to the PE's CPU (unless `pin: false`) until
 * {@link PE.leave}, which restores its former binding. The main thread is never bound; use the Async forms there. The
 * free functions act on the PE that the thread joined last and has not left.
 * @throws UsageError for a value that is not a ticket, and for a ticket that was used before
 */
export async function join(ticket: Ticket): Promise<PE> {
  const contents = ticket?.contents as Partial<Contents> | null | undefined;
  const memory = contents?.seat?.memory as WasmMemory | undefined;
  if (ticket?.kind !== "tundish/ticket@1" || !(memory?.buffer instanceof SharedArrayBuffer)) {
    throw new UsageError(
      "join: expected a ticket made by WorldHost.ticket(), sent to this thread unchanged.",
    );
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
