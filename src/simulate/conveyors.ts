/**
 * Conveyors of virtual PEs: the belts of src/conveyor, with generators for what may wait: `yield* c.begin()`,
 * `while (yield* c.advance(done))`, `yield* c.reset()`.
 */
import { ElasticBiBelt, RigidBiBelt } from "../conveyor/bi.ts";
import { ElasticBelt } from "../conveyor/elastic.ts";
import { RigidBelt } from "../conveyor/rigid.ts";
import type { Waiting } from "../conveyor/session.ts";
import type { Status } from "../conveyor/state.ts";
import type { ItemType } from "../item/types.ts";

/** An advance, and the turn of the others after it. */
export type Advancing = Generator<void, Status, void>;

function* turn(status: Status): Advancing {
  yield;
  return status;
}

/** As {@link Conveyor}. */
export class SimulatedConveyor<I extends ItemType = ItemType> extends RigidBelt<I> {
  begin(item?: ItemType): Waiting {
    return this.beginning(item);
  }

  *advance(done = false): Advancing {
    return yield* turn(this.proceed(done));
  }

  reset(): Waiting {
    return this.resetting();
  }
}

/** As {@link ElasticConveyor}. */
export class SimulatedElasticConveyor extends ElasticBelt {
  begin(): Waiting {
    return this.beginning();
  }

  *advance(done = false): Advancing {
    return yield* turn(this.proceed(done));
  }

  reset(): Waiting {
    return this.resetting();
  }
}

/** As {@link Biconveyor}. */
export class SimulatedBiconveyor<
  Q extends ItemType = ItemType,
  R extends ItemType = ItemType,
> extends RigidBiBelt<Q, R> {
  begin(): Waiting {
    return this.beginning();
  }

  *advance(done = false): Advancing {
    return yield* turn(this.proceed(done));
  }

  reset(): Waiting {
    return this.resetting();
  }
}

/** As {@link ElasticBiconveyor}. */
export class SimulatedElasticBiconveyor extends ElasticBiBelt {
  begin(): Waiting {
    return this.beginning();
  }

  *advance(done = false): Advancing {
    return yield* turn(this.proceed(done));
  }

  reset(): Waiting {
    return this.resetting();
  }
}
