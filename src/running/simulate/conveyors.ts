/**
 * Conveyors of virtual PEs: those of src/facilities/conveyor, with generators for calls that may wait:
 * `yield* c.begin()`, `while (yield* c.advance(done))`, `yield* c.reset()`.
 */

import type { ElasticBelt } from "../../facilities/conveyor/belts/elastic.ts";
import type { ElasticBiBelt } from "../../facilities/conveyor/belts/elastic-bi.ts";
import type { RigidBelt } from "../../facilities/conveyor/belts/rigid.ts";
import type { RigidBiBelt } from "../../facilities/conveyor/belts/rigid-bi.ts";
import type { ValueBelt } from "../../facilities/conveyor/belts/values.ts";
import type { Waiting } from "../../facilities/conveyor/engine/session.ts";
import { biBeltOf, ElasticBiFace, RigidBiFace } from "../../facilities/conveyor/faces/bi.ts";
import { ElasticFace, ValueFace } from "../../facilities/conveyor/faces/packets.ts";
import { RigidFace } from "../../facilities/conveyor/faces/rigid.ts";
import { sessionOf } from "../../facilities/conveyor/faces/session.ts";
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

/** Makes the face of a belt. */
export let newSimulatedConveyor: <I extends ItemType>(belt: RigidBelt<I>) => SimulatedConveyor<I>;

/** As `Conveyor`; calls that wait there are made with `yield*` here. */
export class SimulatedConveyor<I extends ItemType = ItemType> extends RigidFace<I> {
  static {
    newSimulatedConveyor = (belt) => belt.face(SimulatedConveyor);
  }

  /** Call it with `yield*`; as `Conveyor.begin`. */
  begin(item?: ItemType): Waiting {
    return sessionOf(this).beginning(true, item);
  }

  /** Call it with `yield*`; as `Conveyor.advance`. */
  *advance(done = false): Advancing {
    return yield* turn(sessionOf(this).proceed(done));
  }

  /** Call it with `yield*`; as `Conveyor.reset`. */
  reset(): Waiting {
    return ending(sessionOf(this));
  }
}

/** Makes the face of a belt. */
export let newSimulatedElasticConveyor: (belt: ElasticBelt) => SimulatedElasticConveyor;

/** As `ElasticConveyor`; calls that wait there are made with `yield*` here. */
export class SimulatedElasticConveyor extends ElasticFace {
  static {
    newSimulatedElasticConveyor = (belt) => new SimulatedElasticConveyor(belt);
  }

  /** Call it with `yield*`; as `ElasticConveyor.begin`. */
  begin(): Waiting {
    return sessionOf(this).beginning();
  }

  /** Call it with `yield*`; as `ElasticConveyor.advance`. */
  *advance(done = false): Advancing {
    return yield* turn(sessionOf(this).proceed(done));
  }

  /** Call it with `yield*`; as `ElasticConveyor.reset`. */
  reset(): Waiting {
    return ending(sessionOf(this));
  }
}

/** Makes the face of a belt. */
export let newSimulatedValueConveyor: <V>(belt: ValueBelt<V>) => SimulatedValueConveyor<V>;

/** As `ValueConveyor`; calls that wait there are made with `yield*` here. */
export class SimulatedValueConveyor<V = unknown> extends ValueFace<V> {
  static {
    newSimulatedValueConveyor = (belt) => new SimulatedValueConveyor(belt);
  }

  /** Call it with `yield*`; as `ValueConveyor.begin`. */
  begin(): Waiting {
    return sessionOf(this).beginning();
  }

  /** Call it with `yield*`; as `ValueConveyor.advance`. */
  *advance(done = false): Advancing {
    return yield* turn(sessionOf(this).proceed(done));
  }

  /** Call it with `yield*`; as `ValueConveyor.reset`. */
  reset(): Waiting {
    return ending(sessionOf(this));
  }
}

/** Makes the face of a belt. */
export let newSimulatedBiconveyor: <Q extends ItemType, R extends ItemType>(
  belt: RigidBiBelt<Q, R>,
) => SimulatedBiconveyor<Q, R>;

/** As `Biconveyor`; calls that wait there are made with `yield*` here. */
export class SimulatedBiconveyor<Q extends ItemType = ItemType, R extends ItemType = ItemType> extends RigidBiFace<
  Q,
  R
> {
  static {
    newSimulatedBiconveyor = (belt) => belt.face(SimulatedBiconveyor);
  }

  /** Call it with `yield*`; as `Biconveyor.begin`. */
  begin(): Waiting {
    return biBeltOf(this).beginning();
  }

  /** Call it with `yield*`; as `Biconveyor.advance`. */
  *advance(done = false): Advancing {
    return yield* turn(biBeltOf(this).proceed(done));
  }

  /** Call it with `yield*`; as `Biconveyor.reset`. */
  reset(): Waiting {
    return ending(biBeltOf(this));
  }
}

/** Makes the face of a belt. */
export let newSimulatedElasticBiconveyor: (belt: ElasticBiBelt) => SimulatedElasticBiconveyor;

/** As `ElasticBiconveyor`; calls that wait there are made with `yield*` here. */
export class SimulatedElasticBiconveyor extends ElasticBiFace {
  static {
    newSimulatedElasticBiconveyor = (belt) => new SimulatedElasticBiconveyor(belt);
  }

  /** Call it with `yield*`; as `ElasticBiconveyor.begin`. */
  begin(): Waiting {
    return biBeltOf(this).beginning();
  }

  /** Call it with `yield*`; as `ElasticBiconveyor.advance`. */
  *advance(done = false): Advancing {
    return yield* turn(biBeltOf(this).proceed(done));
  }

  /** Call it with `yield*`; as `ElasticBiconveyor.reset`. */
  reset(): Waiting {
    return ending(biBeltOf(this));
  }
}
