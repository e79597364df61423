/** The public members of all conveyors of one session. */
import type { ConveyorState } from "../../../links/status/state.ts";
import type { Histograms } from "../engine/observe.ts";
import type { ConveyorFeatures, Session } from "../engine/session.ts";
import type { ConveyorStats } from "../engine/stats.ts";

/** The session that a face shows. */
export let sessionOf: (face: SessionFace) => Session;

/** A conveyor at one PE, without its items. */
export abstract class SessionFace {
  static {
    sessionOf = (face) => face.#session;
  }

  /** This PE's rank among the PEs of the conveyor. */
  readonly rank: number;
  /** Number of PEs. */
  readonly size: number;
  readonly #session: Session;

  protected constructor(session: Session) {
    this.rank = session.rank;
    this.size = session.size;
    this.#session = session;
  }

  /** The state at this PE. */
  get state(): ConveyorState {
    return this.#session.state;
  }

  /** Properties of this conveyor beyond the contract. */
  get features(): ConveyorFeatures {
    return this.#session.features;
  }

  /**
   * The choices for this conveyor and, with `load`, the reasons: the alternatives and their predicted times. Lines of
   * text.
   */
  explain(): string {
    return this.#session.machinery.explain();
  }

  /**
   * Sends what is in this PE's buffers; whoever forwards it sends it on at once. It arrives as long as PEs call
   * advance. With type `simple` it asks for an exchange. @param dest only what shares a link with items for this PE.
   * @default all
   * @throws StateError when dormant; RankRangeError
   */
  flush(dest?: number): void {
    this.#session.flush(dest);
  }

  /**
   * Frees the conveyor's memory. The heap gets it back when all PEs have freed it. Allowed when dormant or complete; a
   * second call has no effect.
   * @throws StateError in the middle of a session
   */
  free(): void {
    this.#session.free();
  }

  /**
   * As {@link free}. In the middle of a session, when an error was thrown, the memory stays allocated until the world
   * ends.
   */
  [Symbol.dispose](): void {
    this.#session[Symbol.dispose]();
  }

  /** This PE's counts, of this session and of all sessions; exact when dormant. */
  stats(): ConveyorStats {
    return this.#session.stats();
  }

  /**
   * Histograms of the fill and the age of this PE's sent buffers and of the latency of received ones, in this session
   * or the last one. Null unless the conveyor was made with `observe`, or while its events had a subscriber
   * (docs/conveyors.md).
   */
  histograms(): Histograms | null {
    return this.#session.machinery.observer?.histograms ?? null;
  }
}
