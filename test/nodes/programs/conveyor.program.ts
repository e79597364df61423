/** Conveyors over nodes: steps one after the other, most of which are those of the tests on one node. */
import * as assert from "uvu/assert";
import { type PE, type Spmd, spmd } from "../../../src/index.ts";
import accumulating from "../../facilities/conveyor/programs/accumulate.program.ts";
import awaiting from "../../facilities/conveyor/programs/await.program.ts";
import memory from "../../facilities/conveyor/programs/memory.program.ts";
import packets from "../../facilities/conveyor/programs/packets.program.ts";
import running from "../../facilities/conveyor/programs/run.program.ts";
import states from "../../facilities/conveyor/programs/states.program.ts";
import values from "../../facilities/conveyor/programs/values.program.ts";
import { casesWith, nameOf, playCase } from "../../facilities/conveyor/support/cases.ts";
import { mix } from "../../facilities/conveyor/support/payloads.ts";
import { playOut, threadSeat } from "../../facilities/conveyor/support/seats.ts";
import { types, uses } from "../../facilities/conveyor/support/uses.ts";
import selecting from "../../facilities/selector/selector.program.ts";
import { own } from "./conveyor-parts.ts";

/** Something to be done by all PEs. */
export interface Step {
  readonly in:
    | "matrix"
    | "states"
    | "uses"
    | "run"
    | "tables"
    | "packets"
    | "values"
    | "await"
    | "selector"
    | "memory"
    | "own";
  /** What the program is given; the name of what is done. */
  readonly args: unknown;
  /** What it must return at each PE. @default anything */
  readonly want?: unknown;
}

/** Of the matrix. */
export interface MatrixArgs {
  readonly buffers: 1 | 2 | 4;
  readonly count: number;
  readonly sessions: number;
  /** Which of the cases. @default all */
  readonly only?: readonly number[];
}

/** So that a session that hangs has a name. */
const TIMEOUT_MS = 40_000;

function named<Result>(name: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).stack}`, { cause: error });
  }
}

/** Every type of conveyor, of items of several sizes. */
function matrix(pe: PE, { buffers, only, ...volume }: MatrixArgs): void {
  for (const [i, one] of casesWith(buffers).entries()) {
    if (only?.includes(i) === false) continue;
    const limited = { ...one, options: { ...one.options, timeout: TIMEOUT_MS } };
    named(nameOf(one), () => playOut(playCase(threadSeat(pe), limited, volume, mix(pe.size, i, buffers))));
  }
}

function use(pe: PE, name: string): void {
  for (const options of types) {
    const limited = { ...options, timeout: TIMEOUT_MS };
    named(JSON.stringify(options), () => playOut(uses[name](threadSeat(pe), limited)));
  }
}

const programs: Readonly<Record<Step["in"], (pe: PE, args: never) => unknown>> = {
  matrix,
  states: states.main,
  uses: use,
  run: running.main,
  tables: accumulating.main,
  packets: packets.main,
  values: values.main,
  await: awaiting.main,
  selector: selecting.main,
  memory: memory.main,
  own: (pe, name: string) => own[name](pe),
};

const program: Spmd = spmd(async (pe, steps) => {
  const times: Record<string, number> = {};
  for (const { in: where, args, want } of steps as readonly Step[]) {
    const started = performance.now();
    const name = `${where} ${JSON.stringify(args)}`;
    try {
      const result = await programs[where](pe, args as never);
      if (want !== undefined) assert.equal(result, want);
    } catch (error) {
      throw new Error(`${name}, PE ${pe.rank} of ${pe.size}: ${(error as Error).stack}`, { cause: error });
    }
    times[name] = Math.round(performance.now() - started);
  }
  return times;
});

export default program;
