/** A whole simulation as data, so that it can be drawn, printed, shrunk and replayed. */

import * as assert from "uvu/assert";
import type { SimulatedFault } from "../../../../src/running/simulate/options.ts";
import type { SimulationResult } from "../../../../src/running/simulate/simulate.ts";
import { ask, elasticAsking, rigidAsking } from "./asking.ts";
import type { Case } from "./cases.ts";
import { nameOf } from "./cases.ts";
import { elasticWares, rigidWares, type Session, stream, tallyOf, type Watch } from "./client.ts";
import { kindOf } from "./payloads.ts";
import { type Play, playVirtually, type Seat } from "./seats.ts";

export interface Scenario extends Case {
  readonly pes: number;
  readonly nodes: number;
  readonly seed: number;
  readonly jitter: number;
  readonly stalls: readonly Omit<SimulatedFault, "kind">[];
  readonly itemBytes: number;
  /** Of biconveyors. */
  readonly window: number;
  readonly sessions: readonly Session[];
}

/** A conveyor that is watched. */
type Watched = Parameters<Watch>[0];

const sessionOf = (belt: Watched): number => belt.stats().cumulative.begins;

/**
 * V7: while one PE is at the end of a session, none is working in it, and none is more than a session ahead. Looks at the states
 * as they are, not at the last ones told: PEs stall. All are looked at when a PE has begun a session, and when it is at its end: nothing else
 * can be against it, and to look at all of many PEs takes long. So does stats(): a session is read where it may matter.
 */
export function watcher(pes: number): Watch {
  const belts: (Watched | null)[] = new Array(pes).fill(null);
  /** The session that each PE was seen in last: it may be in a later one, in none before. */
  const seen = new Int32Array(pes);
  /** Whether a PE was at the end of a session then: only from there it begins another one. */
  const wasAtEnd: boolean[] = new Array(pes).fill(true);
  return (belt) => {
    const { rank } = belt;
    const isAtEnd = belt.state === "cleanup" || belt.state === "complete";
    if (!isAtEnd && !wasAtEnd[rank] && belts[rank] === belt) return;
    const session = sessionOf(belt);
    belts[rank] = belt;
    seen[rank] = session;
    wasAtEnd[rank] = isAtEnd;
    for (const other of belts) {
      if (other === null || (seen[other.rank] === session && other.state !== "working")) continue;
      const ahead = sessionOf(other) - session;
      assert.ok(Math.abs(ahead) <= 1, `PE ${other.rank} is ${ahead} sessions ahead of PE ${rank}`);
      if (!isAtEnd) continue;
      const isLate = ahead < 0 || (ahead === 0 && other.state === "working");
      assert.not(isLate, `PE ${rank} is ${belt.state} while PE ${other.rank} is ${other.state}`);
    }
  };
}

/** The command line that plays it again. */
export const commandFor = (scenario: Scenario): string =>
  `node dist/test/facilities/conveyor/support/replay.js '${JSON.stringify(scenario)}'`;

/** @throws what the client finds, with the command line that finds it again */
export function playScenario(scenario: Scenario): SimulationResult<number> {
  const { pes, nodes, seed, jitter, stalls } = scenario;
  const faults = stalls.map((stall) => ({ ...stall, kind: "stall" as const }));
  const watch = watcher(pes);
  try {
    return playVirtually({ pes, nodes, seed, jitter, faults, timeout: 60_000 }, (pe) => play(pe, scenario, watch));
  } catch (error) {
    (error as Error).message += `\n${nameOf(scenario)}, seed ${seed}; again:\n${commandFor(scenario)}\n`;
    throw error;
  }
}

/** One PE's part; gives how many items have come. */
export function* play(pe: Seat, one: Scenario, watch: Watch = () => {}): Play<number> {
  const { options, front, itemBytes, window, sessions } = one;
  const bufferBytes = options.bufferBytes as number;
  let come = 0;
  switch (front) {
    case "rigid": {
      const kind = kindOf(itemBytes);
      const c = pe.conveyor(kind.item, options);
      const tally = options.steady ? tallyOf(pe, options) : null;
      for (const session of sessions) {
        yield* c.begin();
        if (tally !== null) yield* tally.begin();
        come += yield* stream(c, rigidWares(c as never, kind, session.low === true), session, watch, tally);
        if (tally !== null) yield* tally.reset();
        yield* c.reset();
      }
      tally?.free();
      c.free();
      return come;
    }
    case "elastic": {
      const c = pe.elasticConveyor(options);
      const tally = options.steady ? tallyOf(pe, options) : null;
      for (const session of sessions) {
        yield* c.begin();
        if (tally !== null) yield* tally.begin();
        come += yield* stream(c, elasticWares(c, bufferBytes, session.low === true), session, watch, tally);
        if (tally !== null) yield* tally.reset();
        yield* c.reset();
      }
      tally?.free();
      c.free();
      return come;
    }
    default: {
      const c =
        front === "bi"
          ? rigidAsking(pe, { ...options, window }, window % 2 === 0)
          : elasticAsking(pe, 2 * bufferBytes, { ...options, window });
      for (const session of sessions) {
        yield* c.begin();
        yield* ask([c], session);
        come += session.count;
        yield* c.reset();
      }
      c.free();
      return come;
    }
  }
}
