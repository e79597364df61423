/** The host of a world on threads that the user starts: it creates the memory, and hands out the tickets. */
import { UsageError } from "../../ground/base/errors.ts";
import { setImmediate } from "../../ground/base/event-loop/timers.ts";
import { shieldThreads } from "../../ground/base/shield.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { CLOSED, LOST } from "../../ground/wait/layout.ts";
import { type Diagnosis, diagnose } from "../../links/diagnose/diagnose.ts";
import type { PEDescriptor } from "../../links/world/layout.ts";
import { forgetEnded } from "../../links/world/membership.ts";
import { makeNode, type Node } from "../run/node.ts";
import { checkWorldOptions, type WorldOptions } from "../run/options.ts";
import { givenPlan } from "../run/plan.ts";
import { prepare } from "../run/prepare.ts";
import { checkInputs } from "../run/stdio/stdin.ts";
import type { Contents, Ticket } from "./ticket.ts";
import { treesFor } from "./trees.ts";

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

  /** The ticket of a PE. Each can be used once. @throws UsageError unless `rank` is a rank of this world */
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

/** As createWorld(). */
export async function startWorld(options: WorldOptions): Promise<WorldHost> {
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
