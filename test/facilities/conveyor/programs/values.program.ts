/** Values on threads and over nodes: one by one, whole sessions, and PEs that wait. */

import * as fc from "fast-check";
import * as assert from "uvu/assert";
import { PUT_BACK, valueConveyor } from "../../../../src/conveyor.ts";
import { type PE, type Spmd, spmd, UsageError } from "../../../../src/index.ts";
import { playInTurn } from "../../../support/in-turn.ts";
import { mix } from "../support/payloads.ts";
import { playOut, threadSeat } from "../support/seats.ts";
import { passValues, valueTrials } from "../support/values.ts";

export type Part = "pass" | "run" | "sent";

export interface Args {
  readonly part: Part;
  readonly trials?: number;
  readonly hops?: 1 | 2;
}

/** Random values of every kind; the seed is the number of PEs. */
function pass(pe: PE, { trials = 10 }: Args): number {
  for (const trial of fc.sample(valueTrials, { numRuns: trials, seed: pe.size })) {
    try {
      playOut(passValues(threadSeat(pe), trial));
    } catch (error) {
      throw new Error(`${JSON.stringify(trial)}: ${(error as Error).stack}`, { cause: error });
    }
  }
  return 0;
}

const none = (): void => {};
const ITEMS = 300;

/** The i-th value of a PE; one in ten is larger than a buffer. */
const text = (rank: number, i: number): string => `${rank}.${i}`.repeat(i % 10 === 9 ? 200 : 1 + (i % 4));

/**
 * Whole sessions. The sink puts items back, and pushes some of its own while a push of the source waits: both write to the one
 * array that serialize returns.
 */
function run(pe: PE, { hops = 1 }: Args): number {
  let calls = 0;
  const out = Buffer.alloc(4096);
  const c = valueConveyor(pe, {
    ...{ hops, bufferBytes: 256, timeout: 30_000 },
    serialize(value: { text: string; isFirst: boolean }) {
      if (value.isFirst) calls++;
      return out.subarray(0, out.write(JSON.stringify(value)));
    },
    deserialize: (bytes) => JSON.parse(Buffer.from(bytes).toString()) as { text: string; isFirst: boolean },
  });
  for (const ends of ["quiescence", "nonsense"]) {
    const run = () => c.run(none, none, { ends } as never);
    assert.throws(run, (e: unknown) => e instanceof UsageError && e.message.includes("ends"));
    assert.is(c.state, "dormant");
  }
  for (let round = 0; round < 2; round++) {
    let [come, more, refused, isPushing] = [0, 0, 0, true];
    calls = 0;
    const next = new Int32Array(pe.size);
    c.run(
      (push) => {
        for (let i = 0; i < ITEMS; i++) {
          push((pe.rank + i) % pe.size, { text: text(pe.rank, i), isFirst: true });
        }
        isPushing = false;
      },
      (value, from) => {
        if (refused < 50 && mix(pe.rank, come, refused) % 3 === 0) {
          refused++;
          return PUT_BACK;
        }
        come++;
        if (!value.isFirst) return assert.is(value.text, "more");
        const i = next[from]++ * pe.size + ((((pe.rank - from) % pe.size) + pe.size) % pe.size);
        assert.is(value.text, text(from, i));
        if (isPushing && c.push(i % pe.size, { text: "more", isFirst: false })) more++;
        return undefined;
      },
    );
    // a push that waits serializes once
    assert.is(calls, ITEMS);
    assert.ok(refused > 0);
    assert.is(pe.allreduce(come, "sum"), pe.size * ITEMS + pe.allreduce(more, "sum"));
  }
  c.free();
  return 0;
}

/** Send and take, in turn: arrays, each of which is the answer to the one before. */
function sent(pe: PE): number {
  const c = valueConveyor(pe, { of: Float64Array, steady: true, bufferBytes: 64 }).begin();
  const other = (pe.rank + 1) % pe.size;
  const rounds = 60;
  let last = new Float64Array(0);
  if (pe.rank === 0) c.send(other, Float64Array.of(0.5));
  for (let i = 0; i < rounds; i++) {
    assert.is(c.take(), true);
    last = new Float64Array(c.value);
    if (pe.rank > 0 || i < rounds - 1) c.send(other, new Float64Array(last.length + 1).fill(last[0] + 1));
  }
  assert.is(c.take(true), false);
  c.reset();
  const want = (rounds - 1) * pe.size + (pe.rank === 0 ? pe.size : pe.rank);
  assert.equal([last.length, last[0], last.at(-1)], [want, want - 0.5, want - 0.5]);
  c.free();
  return 0;
}

const parts: Readonly<Record<Part, (pe: PE, args: Args) => number>> = { pass, run, sent };

const program: Spmd = spmd((pe, args) =>
  playInTurn(args as Args | readonly Args[], (step) => parts[step.part](pe, step)),
);
export default program;
