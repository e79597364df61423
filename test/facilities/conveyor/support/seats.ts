/**
 * One shape for both back ends: what waits is a generator. Virtual PEs have it; for a thread the blocking
 * calls are put into generators of one turn.
 */
import {
  biconveyor,
  conveyor as conveyorOf,
  elasticBiconveyor,
  elasticConveyor,
  valueConveyor,
} from "../../../../src/conveyor.ts";
import type { ElasticBiconveyor } from "../../../../src/facilities/conveyor/front/biconveyor.ts";
import type { ValueOptions } from "../../../../src/facilities/conveyor/front/make-values.ts";
import type { Group } from "../../../../src/pe/group.ts";
import type {
  SimulatedBiconveyor,
  SimulatedConveyor,
  SimulatedElasticBiconveyor,
  SimulatedElasticConveyor,
  SimulatedValueConveyor,
} from "../../../../src/running/simulate/conveyors.ts";
import type { SimulationOptions } from "../../../../src/running/simulate/options.ts";
import { type SimulatedPE, type SimulationResult, simulate } from "../../../../src/running/simulate/simulate.ts";

/** What the clients in this folder need of a PE. */
export type Seat = Pick<
  SimulatedPE,
  "rank" | "size" | "conveyor" | "elasticConveyor" | "valueConveyor" | "biconveyor" | "elasticBiconveyor" | "turn"
>;

/** A part of a program. */
export type Play<Result = void> = Generator<void, Result, void>;

type Blocking = Pick<ElasticBiconveyor, "advance" | "reset"> & { begin(item?: unknown): unknown };

function* inTurn<Result>(call: () => Result): Play<Result> {
  yield;
  return call();
}

/** The same object, with generators around what blocks. */
function inTurns(conveyor: object): unknown {
  const blocking = Object.getPrototypeOf(conveyor) as Blocking;
  return Object.assign(conveyor, {
    begin: (item?: unknown) => inTurn(() => void blocking.begin.call(conveyor as ElasticBiconveyor, item)),
    advance: (done?: boolean) => inTurn(() => blocking.advance.call(conveyor as ElasticBiconveyor, done)),
    reset: () => inTurn(() => blocking.reset.call(conveyor as ElasticBiconveyor)),
  });
}

/** A group's PE that is a thread. */
export function threadSeat(group: Group): Seat {
  return {
    rank: group.rank,
    size: group.size,
    conveyor: (item, options) => inTurns(conveyorOf(group, item, options)) as SimulatedConveyor<typeof item>,
    elasticConveyor: (options) => inTurns(elasticConveyor(group, options)) as SimulatedElasticConveyor,
    valueConveyor: <V>(options?: ValueOptions<V>) =>
      inTurns(valueConveyor(group, options)) as SimulatedValueConveyor<V>,
    biconveyor: (query, reply, answer, options) =>
      inTurns(biconveyor(group, query, reply, answer, options)) as SimulatedBiconveyor<typeof query, typeof reply>,
    elasticBiconveyor: (answer, options) =>
      inTurns(elasticBiconveyor(group, answer, options)) as SimulatedElasticBiconveyor,
    turn: () => inTurn(() => {}),
  };
}

/** Plays a part to its end, on a thread. */
export function playOut<Result>(play: Play<Result>): Result {
  for (;;) {
    const { done, value } = play.next();
    if (done) return value;
  }
}

/** Plays a part at all virtual PEs; what one of them threw is thrown as it is. */
export function playVirtually<Result>(
  options: SimulationOptions,
  play: (seat: SimulatedPE) => Play<Result>,
): SimulationResult<Result> {
  try {
    // a gigabyte of address space for each of thousands of runs is more than the collector likes
    return simulate({ memoryBytes: 2 ** 25, ...options }, play);
  } catch (error) {
    const { cause, message } = error as Error;
    if (cause instanceof Error) cause.message = `${message.split("\n")[0]}\n${cause.message}`;
    throw cause ?? error;
  }
}
