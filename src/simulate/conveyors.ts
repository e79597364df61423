/**
 * Conveyors of virtual PEs: the belts of src/conveyor, with generators for what may wait: `yield* c.begin()`,
 * `while (yield* c.advance(done))`, `yield* c.reset()`.
 */

import { ElasticBelt } from "../conveyor/belts/elastic.ts";
import { ElasticBiBelt } from "../conveyor/belts/elastic-bi.ts";
import { RigidBelt } from "../conveyor/belts/rigid.ts";
import { RigidBiBelt } from "../conveyor/belts/rigid-bi.ts";
import type { Waiting } from "../conveyor/engine/session.ts";
import type { ItemType } from "../item/types.ts";
import type { Status } from "../status/state.ts";

/** An advance, and the turn of the others after it. */
export type Advancing = Generator<void, Status, void>;

function* turn(status: Status): Advancing {
  yield;
  return status;
}

/** As `Conveyor`: what waits there is called with `yield*` here. */
export class SimulatedConveyor<I extends ItemType = ItemType> extends RigidBelt<I> {
  /** `yield*` it; as `Conveyor.begin`. */
  begin(item?: ItemType): Waiting {
    return this.beginning(true, item);
  }

  /** `yield*` it; as `Conveyor.advance`. */
  *advance(done = false): Advancing {
    return yield* turn(this.proceed(done));
  }

  /** `yield*` it; as `Conveyor.reset`. */
  reset(): Waiting {
    return this.resetting();
  }
}

/** As `ElasticConveyor`: what waits there is called with `yield*` here. */
export class SimulatedElasticConveyor extends ElasticBelt {
  /** `yield*` it; as `ElasticConveyor.begin`. */
  begin(): Waiting {
    return this.beginning();
  }

  /** `yield*` it; as `ElasticConveyor.advance`. */
  *advance(done = false): Advancing {
    return yield* turn(this.proceed(done));
  }

  /** `yield*` it; as `ElasticConveyor.reset`. */
  reset(): Waiting {
    return this.resetting();
  }
}

/** As `Biconveyor`: what waits there is called with `yield*` here. */
export class SimulatedBiconveyor<
  Q extends ItemType = ItemType,
  R extends ItemType = ItemType,
> extends RigidBiBelt<Q, R> {
  /** `yield*` it; as `Biconveyor.begin`. */
  begin(): Waiting {
    return this.beginning();
  }

  /** `yield*` it; as `Biconveyor.advance`. */
  *advance(done = false): Advancing {
    return yield* turn(this.proceed(done));
  }

  /** `yield*` it; as `Biconveyor.reset`. */
  reset(): Waiting {
    return this.resetting();
  }
}

/** As `ElasticBiconveyor`: what waits there is called with `yield*` here. */
export class SimulatedElasticBiconveyor extends ElasticBiBelt {
  /** `yield*` it; as `ElasticBiconveyor.begin`. */
  begin(): Waiting {
    return this.beginning();
  }

  /** `yield*` it; as `ElasticBiconveyor.advance`. */
  *advance(done = false): Advancing {
    return yield* turn(this.proceed(done));
  }

  /** `yield*` it; as `ElasticBiconveyor.reset`. */
  reset(): Waiting {
    return this.resetting();
  }
}
