/** The public members of biconveyors, but those that wait. */
import type { Pushes } from "../../../ground/item/arguments.ts";
import type { Columns } from "../../../ground/item/columns.ts";
import type { ItemType, ItemValue } from "../../../ground/item/item-type.ts";
import type { ConveyorState } from "../../../links/status/state.ts";
import type { ReplyBatch } from "../belts/batch.ts";
import type { BiBelt, BiconveyorStats } from "../belts/bi.ts";
import type { ElasticBiBelt } from "../belts/elastic-bi.ts";
import type { RigidBiBelt } from "../belts/rigid-bi.ts";
import { detached } from "../codegen/code.ts";
import { wrongCount } from "../engine/refusal.ts";
import type { ConveyorFeatures } from "../engine/session.ts";

/** The belt that a face shows. */
export let biBeltOf: (face: BiFace) => BiBelt;

/** A biconveyor without its items. */
export abstract class BiFace {
  static {
    biBeltOf = (face) => face.#belt;
  }

  /** This PE's rank among the PEs of the biconveyor. */
  readonly rank: number;
  /** Number of PEs. */
  readonly size: number;
  /** Largest number of this PE's queries without a pulled reply. */
  readonly window: number;
  readonly #belt: BiBelt;

  protected constructor(belt: BiBelt) {
    this.rank = belt.rank;
    this.size = belt.size;
    this.window = belt.window;
    this.#belt = belt;
  }

  /** The state at this PE; `cleanup` when only replies are left to pull. */
  get state(): ConveyorState {
    return this.#belt.state;
  }

  /** A biconveyor is always steady: every reply arrives as long as all PEs call advance. */
  get features(): ConveyorFeatures {
    return this.#belt.parts.queries.features;
  }

  /** The choices for the conveyors of queries and of replies and, with `load`, the reasons. Lines of text. */
  explain(): string {
    const { queries, replies } = this.#belt.parts;
    return `queries: ${queries.machinery.explain()}\nreplies: ${replies.machinery.explain()}`;
  }

  /** This PE's counts: of the queries, and of the replies. */
  stats(): BiconveyorStats {
    const { queries, replies } = this.#belt.parts;
    return { queries: queries.stats(), replies: replies.stats() };
  }

  /**
   * Frees the memory. The heap gets it back when all PEs have freed it. @throws StateError in the middle of a session
   */
  free(): void {
    this.#belt.free();
  }

  /** As {@link free}; in the middle of a session it does nothing. */
  [Symbol.dispose](): void {
    this.#belt[Symbol.dispose]();
  }
}

/** A biconveyor of queries and replies of fixed types. */
export abstract class RigidBiFace<Q extends ItemType, R extends ItemType> extends BiFace {
  /**
   * Copies a query into the conveyor, for PE `dest`; arguments as for a conveyor of queries.
   * @returns false if there is no room now, or the window is full: advance and pull
   * @throws StateError, RankRangeError, UsageError
   */
  declare readonly push: Pushes<Q, boolean>;
  /**
   * Pulls the next reply, in the order in which the queries were pushed; read it with {@link item}.
   * @returns false if it has not been received yet
   * @throws StateError before begin
   */
  declare readonly pull: () => boolean;
  /** The last reply pulled by {@link pull}, valid until the next pull. */
  declare readonly item: ItemValue<R>;
  readonly #belt: RigidBiBelt<Q, R>;

  protected constructor(belt: RigidBiBelt<Q, R>) {
    super(belt);
    this.#belt = belt;
  }

  /**
   * Copies many queries into the conveyor, in order, as `Conveyor.pushAll`.
   * @returns the index of the first query that was not pushed: `end`, or less if there is no room now or the window is
   *   full
   * @throws as there; nothing changes then
   */
  pushAll(dests: Uint32Array, columns: Columns<Q>, first = 0, end: number = dests?.length): number {
    if (this === undefined) detached("pushAll");
    return this.#belt.pushAll(dests, columns, first, end);
  }

  /**
   * Pulls the next replies, in the order of the queries: all received ones, or as many of them as lie together; of
   * structs as many as a buffer holds.
   * @param most largest number of replies, a whole number. @default any number
   * @returns null if the next reply has not been received yet, or `most` is 0; else one object, which always shows the
   *   last batch
   * @throws StateError before begin; UsageError for another `most`; nothing changes then
   */
  pullAll(most: number = Number.POSITIVE_INFINITY): ReplyBatch<R> | null {
    if (this === undefined) detached("pullAll");
    return this.#belt.pullAll(most);
  }
}

/** A biconveyor of queries and replies of any length. */
export abstract class ElasticBiFace extends BiFace {
  readonly #belt: ElasticBiBelt;

  protected constructor(belt: ElasticBiBelt) {
    super(belt);
    this.#belt = belt;
  }

  /**
   * Copies a query into the conveyor, for PE `dest`.
   * @returns false if there is no room now, or the window is full: advance and pull
   * @throws StateError, RankRangeError, UsageError, OverflowError
   */
  push(dest: number, bytes: Uint8Array): boolean {
    if (this === undefined) detached("push");
    if (arguments.length !== 2) wrongCount("push", arguments.length);
    return this.#belt.push(dest, bytes);
  }

  /**
   * Pulls the next reply, in the order in which the queries were pushed; read it with {@link bytes}.
   * @returns false if it has not been received yet
   * @throws StateError before begin
   */
  pull(): boolean {
    if (this === undefined) detached("pull");
    return this.#belt.pull();
  }

  /** The bytes of the last pulled reply. They belong to the caller. */
  get bytes(): Uint8Array {
    return this.#belt.bytes;
  }
}
