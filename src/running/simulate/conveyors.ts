/**
 * Conveyors of virtual PEs: the belts of src/facilities/conveyor, with generators for calls that may wait:
 * `yield* c.begin()`, `while (yield* c.advance(done))`, `yield* c.reset()`.
 */

import { ElasticBelt } from "../../facilities/conveyor/belts/elastic.ts";
import { ElasticBiBelt } from "../../facilities/conveyor/belts/elastic-bi.ts";
import { RigidBelt } from "../../facilities/conveyor/belts/rigid.ts";
import { RigidBiBelt } from "../../facilities/conveyor/belts/rigid-bi.ts";
import { ValueBelt } from "../../facilities/conveyor/belts/values.ts";
import type { Waiting } from "../../facilities/conveyor/engine/session.ts";
import type { ItemType } from "../../ground/item/item-type.ts";
import type { Status } from "../../links/status/state.ts";

/** An advance, followed by the turns of other PEs. */
export type Advancing = Generator<void, Status, void>;

function* turn(status: Status): Advancing {
  yield;
  return status;
}

/** The end of a session, which waits for nobody. */
function* ending(c: { endSession(): void }): Waiting {
  c.endSession();
  yield* [];
}

/** As `Conveyor`; calls that wait there are made with `yield*` here. */
export class SimulatedConveyor<I extends ItemType = ItemType> extends RigidBelt<I> {
  /** Call it with `yield*`; as `Conveyor.begin`. */
  begin(item?: ItemType): Waiting {
    return this.beginning(true, item);
  }

  /** Call it with `yield*`; as `Conveyor.advance`. */
  *advance(done = false): Advancing {
    return yield* turn(this.proceed(done));
  }

  /** Call it with `yield*`; as `Conveyor.reset`. */
  reset(): Waiting {
    return ending(this);
  }
}

/** As `ElasticConveyor`; calls that wait there are made with `yield*` here. */
export class SimulatedElasticConveyor extends ElasticBelt {
  /** Call it with `yield*`; as `ElasticConveyor.begin`. */
  begin(): Waiting {
    return this.beginning();
  }

  /** Call it with `yield*`; as `ElasticConveyor.advance`. */
  *advance(done = false): Advancing {
    return yield* turn(this.proceed(done));
  }

  /** Call it with `yield*`; as `ElasticConveyor.reset`. */
  reset(): Waiting {
    return ending(this);
  }
}

/** As `ValueConveyor`; calls that wait there are made with `yield*` here. */
export class SimulatedValueConveyor<V = unknown> extends ValueBelt<V> {
  /** Call it with `yield*`; as `ValueConveyor.begin`. */
  begin(): Waiting {
    return this.beginning();
  }

  /** Call it with `yield*`; as `ValueConveyor.advance`. */
  *advance(done = false): Advancing {
    return yield* turn(this.proceed(done));
  }

  /** Call it with `yield*`; as `ValueConveyor.reset`. */
  reset(): Waiting {
    return ending(this);
  }
}

/** As `Biconveyor`; calls that wait there are made with `yield*` here. */
export class SimulatedBiconveyor<Q extends ItemType = ItemType, R extends ItemType = ItemType> extends RigidBiBelt<
  Q,
  R
> {
  /** Call it with `yield*`; as `Biconveyor.begin`. */
  begin(): Waiting {
    return this.beginning();
  }

  /** Call it with `yield*`; as `Biconveyor.advance`. */
  *advance(done = false): Advancing {
    return yield* turn(this.proceed(done));
  }

  /** Call it with `yield*`; as `Biconveyor.reset`. */
  reset(): Waiting {
    return ending(this);
  }
}

/** As `ElasticBiconveyor`; calls that wait there are made with `yield*` here. */
export class SimulatedElasticBiconveyor extends ElasticBiBelt {
  /** Call it with `yield*`; as `ElasticBiconveyor.begin`. */
  begin(): Waiting {
    return this.beginning();
  }

  /** Call it with `yield*`; as `ElasticBiconveyor.advance`. */
  *advance(done = false): Advancing {
    return yield* turn(this.proceed(done));
  }

  /** Call it with `yield*`; as `ElasticBiconveyor.reset`. */
  reset(): Waiting {
    return ending(this);
  }
}
