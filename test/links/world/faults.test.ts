/** Whatever happens to a PE, its peers and the launcher are told what and to whom, soon. */

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RankLostError, TimeoutError } from "../../../src/ground/base/errors.ts";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import type { LaunchOptions } from "../../../src/running/run/options.ts";
import { LONG } from "../../support/long.ts";
import { patiently } from "../../support/patiently.ts";
import { type Args, type Fault, NOTE_BYTES, type Note, WAITS } from "./faults.program.ts";

const program = sibling("./faults.program.js", import.meta.url);
/** For a run that nothing holds up, on a busy machine. */
const SOON = 60_000;
/** How often a run is begun again in which a PE had not said what it saw when the grace of its thread was over. */
const TRIES = 10;

interface Outcome {
  readonly error: Error & { code?: string; rank?: number; cause?: unknown };
  readonly notes: readonly (Note | null)[];
}

/** A run in which all PEs but the culprit have written down what they saw. */
async function run(pes: number, args: Omit<Args, "notes">, more: LaunchOptions = {}): Promise<Outcome> {
  for (let left = TRIES; ; left--) {
    const outcome = await runOnce(pes, args, more);
    // on a busy machine a thread may be ended (after 250 ms) before it has written anything
    const silent = outcome.notes.some((note, rank) => note === null && rank !== args.culprit);
    if (!silent || left === 1) return outcome;
  }
}

async function runOnce(pes: number, args: Omit<Args, "notes">, more: LaunchOptions): Promise<Outcome> {
  const buffer = new SharedArrayBuffer(pes * NOTE_BYTES);
  const options = {
    pes,
    args: { ...args, notes: buffer },
    timeout: 4 * SOON,
    waitTimeout: 3 * SOON,
    ...more,
  };
  const started = performance.now();
  const error = await launch(program, options).then(
    () => assert.unreachable("the run ended well"),
    (error: unknown) => error as Outcome["error"],
  );
  const took = performance.now() - started;
  assert.ok(took < SOON, `took ${took} ms`);
  const notes = Array.from({ length: pes }, (_, rank): Note | null => {
    const bytes = new Uint8Array(buffer, rank * NOTE_BYTES, NOTE_BYTES).slice();
    const end = bytes.indexOf(0);
    return end > 0 ? (JSON.parse(new TextDecoder().decode(bytes.subarray(0, end))) as Note) : null;
  });
  return { error: error as Outcome["error"], notes };
}

/** What the launcher's error says, and its cause. */
const told: [fault: Fault, message: RegExp, cause: RegExp | null][] = [
  ["throw", /^PE \d threw TypeError: something broke/, /^TypeError: something broke$/],
  ["throw with cause", /^PE \d threw Error: on top/, /^Error: on top$/],
  ["throw text", /^PE \d threw "just text"/, /^just text$/],
  ["throw undefined", /^PE \d threw undefined/, null],
  ["throw nothing printable", /^PE \d threw \{ \[?Symbol\(nodejs\.util\.inspect\.custom\)\]?: /, /^\[object Object\]$/],
  ["reject", /^PE \d threw SyntaxError: rejected/, /^SyntaxError: rejected$/],
  ["exit 3", /^PE \d ended with exit code 3 before its main returned/, null],
  ["exit 0", /^PE \d ended with exit code 0 before its main returned/, null],
  ["throw in a timer", /^PE \d failed outside its main: Error: from a timer/, /^Error: from a timer$/],
  ["reject in the background", /^PE \d failed outside its main: Error: in the back/, /^Error: in the background$/],
  ["wait for nothing", /^PE \d ended with exit code \d+ before its main.*never settled/, null],
];

const faults = suite("a PE that is lost");
for (const [i, [fault, message, cause]] of told.entries()) {
  for (const pes of LONG ? [2, 4] : [i % 2 === 0 ? 2 : 4]) {
    const culprit = (i * 3 + 1) % pes;
    const wait = WAITS[(i + pes) % WAITS.length];
    faults(`${fault}: PE ${culprit} of ${pes}, the others wait in ${wait}`, async () => {
      const { error, notes } = await run(pes, { fault, culprit, wait, rounds: 7 });
      assert.instance(error, RankLostError);
      assert.is(error.code, "ERR_TUNDISH_RANK_LOST");
      assert.is(error.rank, culprit);
      assert.match(error.message, message);
      if (cause === null) assert.is(error.cause, undefined);
      else assert.match(String(error.cause), cause);
      for (const [rank, note] of notes.entries()) {
        if (rank === culprit) continue;
        assert.equal([note?.name, note?.code, note?.rank], ["RankLostError", "ERR_TUNDISH_RANK_LOST", culprit]);
        assert.match(note?.message as string, message);
        if (cause !== null) assert.match(note?.cause as string, cause);
      }
    });
  }
}

faults("codes, stacks and causes of causes reach the launcher", async () => {
  const { error } = await run(2, { fault: "throw with cause", culprit: 1, wait: "barrier", rounds: 0 });
  const top = error.cause as Error & { code: string };
  const deep = top.cause as Error & { code: string };
  assert.equal([top.code, deep.code, deep.name, deep.message], ["ERR_TOP", "ERR_DEEP", "RangeError", "deep down"]);
  assert.match(top.stack as string, /faults\.program/);
  assert.instance(deep, RangeError);
});

for (const wait of WAITS) {
  faults(`a PE that returns early is named by those who wait for it in ${wait}`, async () => {
    const { error, notes } = await run(3, { fault: "return early", culprit: 1, wait, rounds: 7 });
    assert.instance(error, RankLostError);
    assert.is(error.rank, 1);
    assert.match(error.message, /^PE 1 has returned from its main, or left, without the call/);
    assert.is(error.cause, undefined);
    for (const rank of [0, 2]) {
      assert.equal([notes[rank]?.name, notes[rank]?.rank], ["RankLostError", 1]);
      assert.match(notes[rank]?.message as string, /PE 1 has returned from its main/);
    }
  });
}

faults("an answer that cannot be cloned is told as the PE's error", async () => {
  const { error, notes } = await run(2, {
    fault: "answer a function",
    culprit: 0,
    wait: "barrier",
    rounds: 1,
  });
  assert.instance(error, RankLostError);
  assert.is(error.rank, 0);
  assert.match(
    error.message,
    /PE 0 threw UsageError: main: expected a result that can be cloned, .*could not be cloned/,
  );
  assert.is(notes[1]?.rank, 0);
});

for (const pes of [2, 4]) {
  faults(`a PE that never calls: the others' waits end at waitTimeout, ${pes} PEs`, async () => {
    await patiently(300, async (waitTimeout) => {
      const args = { fault: "never call", culprit: 1, wait: "barrier", rounds: 3 } as const;
      const { error, notes } = await runOnce(pes, args, { waitTimeout });
      assert.instance(error, TimeoutError);
      assert.match(error.message, /^PE \d waited for PE \d for \d+ ms, longer than it was given/);
      for (const [rank, note] of notes.entries()) {
        if (rank === 1) {
          assert.is(note, null);
          continue;
        }
        // several may be too late at the same time, each with a message of its own
        assert.is(note?.code, "ERR_TUNDISH_TIMEOUT");
        assert.match(note?.message as string, /^PE \d waited for PE \d for \d+ ms/);
      }
    });
  });

  for (const fault of LONG || pes === 2 ? (["loop", "never call"] as const) : []) {
    faults(`a PE that ${fault}s: the run ends at its timeout, ${pes} PEs`, async () => {
      await patiently(600, async (timeout) => {
        const args = { fault, culprit: pes - 1, wait: "reduce", rounds: 3 } as const;
        const { error, notes } = await runOnce(pes, args, { timeout });
        assert.instance(error, TimeoutError);
        assert.is(error.code, "ERR_TUNDISH_TIMEOUT");
        assert.match(error.message, `longer than ${timeout} ms`);
        assert.match(error.message, /not finished: PE 0, 1/);
        for (const note of notes.slice(0, -1)) assert.is(note?.code, "ERR_TUNDISH_TIMEOUT");
      });
    });
  }
}

faults("a run that takes too long: the PEs that have not returned are named", async () => {
  await patiently(1000, async (timeout) => {
    // nobody waits: all but the culprit return
    const few = await launch(program, {
      ...{ pes: 4, timeout },
      args: { fault: "never call", culprit: 2, wait: "number", rounds: 0, alone: true },
    }).catch((error: unknown) => error);
    assert.instance(few, TimeoutError);
    assert.match(
      (few as Error).message,
      /longer than \d+ ms \(timeout\); not finished: PE 2\. PE 2 is in no call that waits\. \[/,
    );
  });
  const { error } = await runOnce(
    10,
    { fault: "never call", culprit: 3, wait: "barrier", rounds: 0 },
    { timeout: 1500 },
  );
  assert.match(error.message, /not finished: PE 0-9\. /);
});

faults("all PEs loop: the run ends all the same", async () => {
  const error = await launch(program, {
    ...{ pes: 3, timeout: 500 },
    args: { fault: "loop", culprit: 0, wait: "barrier", rounds: 0 },
  }).catch((error: unknown) => error);
  assert.instance(error, TimeoutError);
});
faults.run();
