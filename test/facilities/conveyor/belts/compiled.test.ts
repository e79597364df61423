/** The loop in compiled code (belts/compiled-session.ts) beside the engine: the same sessions by both. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { launch } from "../../../../src/running/launch/launch.ts";
import { rounds } from "../../../support/long.ts";
import { testInTurn } from "../../../support/test-in-turn.ts";
import { launchPooled } from "../../../support/thread-pool.ts";
import type { Args } from "../programs/compiled.program.ts";

const program = sibling("../programs/compiled.program.js", import.meta.url);
const compiled = suite("sessions in compiled code");

const first = Number(process.env.TUNDISH_TEST_SEED ?? Date.now() % 1e6);
console.log(`compiled sessions: TUNDISH_TEST_SEED=${first}`);
const ROUNDS = rounds(30, 1000);
/** One buffer of eight items, and the last one with the ninth. */
const FULL = "0,1,1 then 2: 1 full, 1 last, 0 votes, 9 items";

for (const pes of [1, 2, 3, 5]) {
  testInTurn<Args>(compiled, program, pes, [
    ...Array.from({ length: rounds(2, 8) }, (_, k) => {
      const seed = first + k;
      return [`turns of all kinds, seed ${seed}`, { part: "mixed", seed, rounds: ROUNDS }, ROUNDS] as const;
    }),
    ...[false, true].flatMap((isEngine) => {
      const by = isEngine ? "by the engine" : "compiled";
      return [
        [`PEs that sleep, ${by}`, { part: "sleepers", isEngine }, 0],
        [`sinks that pull and push, ${by}`, { part: "inSink", isEngine }, 0],
        [`an advance sends what is full, ${by}`, { part: "full", isEngine }, FULL],
        [`what is shown stays, ${by}`, { part: "kept", isEngine }, "7,7,false"],
      ] as const;
    }),
  ]);
}

compiled("a conveyor without columns has its first sessions by the engine", async () => {
  const of = (isEngine: boolean) => launch<string>(program, { pes: 2, args: { part: "later", isEngine } });
  assert.equal(await of(false), ["eeecccccccc", "eeecccccccc"]);
  assert.equal(await of(true), ["eeeeeeeeeee", "eeeeeeeeeee"]);
});

async function failure(part: Args["part"], isEngine: boolean): Promise<string> {
  try {
    await launchPooled(program, { pes: 2, args: { part, isEngine }, waitTimeout: 60_000 });
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code} ${message}`;
  }
  return "nothing";
}

for (const isEngine of [false, true]) {
  compiled(`its waits end as others do${isEngine ? ", and those of the engine" : ""}`, async () => {
    assert.match(await failure("otherTerms", isEngine), /^ERR_TUNDISH_(RANK_LOST|MISMATCH) .*do not agree/);
    assert.match(await failure("late", isEngine), /^ERR_TUNDISH_TIMEOUT .*100 ms \(timeout\)/);
    assert.match(await failure("leaving", isEngine), /^ERR_TUNDISH_RANK_LOST .*in the middle of a/);
    assert.match(await failure("aborted", isEngine), /^ERR_TUNDISH_(RANK_LOST|ABORTED) .*enough/);
  });
}

compiled.run();
