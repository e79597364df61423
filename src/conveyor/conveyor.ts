/**
 * Conveyors whose collective calls block the thread: for PEs that are worker threads. All else is in the
 * belts, which the virtual machine has as well (src/simulate/conveyors.ts).
 */
import type { ItemType } from "../item/types.ts";
import { ElasticBelt } from "./elastic.ts";
import { ElasticBiBelt } from "./elastic-bi.ts";
import { RigidBelt } from "./rigid.ts";
import { RigidBiBelt } from "./rigid-bi.ts";
import type { Waiting } from "./session.ts";
import type { Status } from "./state.ts";

/** Runs a wait to its end. */
function run(waiting: Waiting): void {
  while (!waiting.next().done);
}

/** A conveyor of items of one type, seen from one PE. See docs/contract.md. */
export class Conveyor<I extends ItemType = ItemType> extends RigidBelt<I> {
  /**
   * Begins a session with items of the same type as before: waits until all PEs have. Collective.
   * @throws StateError unless dormant; MismatchError when the PEs differ
   */
  begin(): this;
  /**
   * Begins a session with items of a type of its own.
   * @param item the type, the same at all PEs; the conveyor is returned with it
   * @throws as without; OverflowError for items larger than a buffer
   */
  begin<J extends ItemType>(item: J): Conveyor<J>;
  begin(item?: ItemType): unknown {
    run(this.beginning(item));
    return this;
  }

  /**
   * Makes progress, and says how far this PE is: {@link OK}, {@link NEAR}, or {@link DONE}, which is falsy.
   *
   * It does not wait for anybody. When there is nothing to do, in any conveyor of this PE, it spins for a
   * while, then offers the core to others, then sleeps for up to a millisecond.
   * @param done this PE pushes nothing more in this session; once said it holds
   * @throws StateError before begin; what has ended the world; TimeoutError, AbortedError (then at all PEs)
   */
  advance(done = false): Status {
    return this.proceed(done);
  }

  /**
   * Ends a session that is complete: waits until all PEs have, and is dormant then. Collective. Does nothing when dormant.
   * @throws StateError before advance has returned DONE
   */
  reset(): void {
    run(this.resetting());
  }
}

/** A conveyor of items of any length, seen from one PE. See docs/contract.md. */
export class ElasticConveyor extends ElasticBelt {
  /**
   * Begins a session: waits until all PEs have. Collective.
   * @throws StateError unless dormant; MismatchError when the PEs differ
   */
  begin(): this {
    run(this.beginning());
    return this;
  }

  /** As {@link Conveyor.advance}. */
  advance(done = false): Status {
    return this.proceed(done);
  }

  /** As {@link Conveyor.reset}. */
  reset(): void {
    run(this.resetting());
  }
}

/** A conveyor of queries and replies, seen from one PE. See docs/contract.md. */
export class Biconveyor<Q extends ItemType = ItemType, R extends ItemType = ItemType> extends RigidBiBelt<
  Q,
  R
> {
  /** As {@link Conveyor.begin}. */
  begin(): this {
    run(this.beginning());
    return this;
  }

  /**
   * As {@link Conveyor.advance}; it also has the queries answered that have come here. NEAR: all that is left
   * is to pull replies.
   * @param done this PE pushes no query more
   */
  advance(done = false): Status {
    return this.proceed(done);
  }

  /** As {@link Conveyor.reset}. */
  reset(): void {
    run(this.resetting());
  }
}

/** A conveyor of queries and replies of any length, seen from one PE. See docs/contract.md. */
export class ElasticBiconveyor extends ElasticBiBelt {
  /** As {@link Conveyor.begin}. */
  begin(): this {
    run(this.beginning());
    return this;
  }

  /** As {@link Biconveyor.advance}. */
  advance(done = false): Status {
    return this.proceed(done);
  }

  /** As {@link Conveyor.reset}. */
  reset(): void {
    run(this.resetting());
  }
}
