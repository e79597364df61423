/** Async forms: they leave the event loop running, queue up, and fail as blocking ones do. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RankLostError } from "../../src/ground/base/errors.ts";
import { sibling } from "../../src/ground/base/package-file.ts";
import { launchPooled } from "../support/thread-pool.ts";
import type { Part } from "./programs/async.program.ts";
import type { Told } from "./programs/failing.program.ts";
import { WAITS } from "./support/waits.ts";

const program = sibling("./programs/async.program.js", import.meta.url);

function play<T>(pes: number, name: Part): Promise<T[]> {
  return launchPooled(program, { pes, args: { name }, waitTimeout: 20_000 });
}

const later = suite("Async forms");
for (const pes of [2, 3]) {
  later(`timers run while a PE waits, ${pes} PEs`, async () => {
    for (const ticks of await play<number>(pes, "timers")) assert.ok(ticks >= 3, `${ticks} ticks`);
  });
  later(`calls queue up, ${pes} PEs`, async () => void (await play(pes, "queue")));
  later(`a blocking call has to wait its turn, ${pes} PEs`, async () => {
    for (const refused of await play<Told[]>(pes, "alone")) {
      assert.is(refused.length, WAITS.length);
      for (const told of refused) {
        assert.is(told?.code, "ERR_TUNDISH_USAGE");
        assert.match(told.message, /^An Async collective of this group is still under way at this PE; await it/);
      }
    }
  });
  later(`a signal that has fired already, ${pes} PEs`, async () => {
    for (const told of await play<Told[]>(pes, "aborted before")) {
      assert.is(told.length, 2 * WAITS.length);
      for (const { code, message, cause } of told) {
        assert.equal([code, cause], ["ERR_TUNDISH_ABORTED", "RangeError: too late"]);
        assert.match(message, /^The call was aborted before it began: RangeError: too late/);
      }
    }
  });
}

later("a call has begun when the function returns", async () => void (await play(2, "at once")));

later("waitTimeout is for each wait", async () => {
  const args = { name: "late each" };
  assert.equal(await launchPooled(program, { pes: 2, args, waitTimeout: 800 }), [6, 6]);
});

for (const [pes, code, message] of [
  [2, "ERR_TUNDISH_TIMEOUT", /^PE 0 waited for its own earlier calls longer than .* Not yet there: PE 1 \(barrier,/],
  [3, "ERR_TUNDISH_ABORTED", /^PE \d's wait was aborted: TimeoutError/],
] as const) {
  later(`a call that waits for its turn has its limits: ${code}`, async () => {
    const started = performance.now();
    const options = { pes, args: { name: "queued limits" }, stray: 1 };
    const failed = await launchPooled(program, options).catch((cause: unknown) => cause);
    const error = failed as { code: string; message: string };
    assert.is(error.code, code);
    assert.match(error.message, message);
    assert.ok(performance.now() - started < 10_000);
  });
}

/** What the PEs say when PE 0 has thrown in an op, by rank. */
async function ownError(name: Part): Promise<Told[][]> {
  const quietly = new SharedArrayBuffer(3 * 4096);
  const error = await launchPooled(program, { pes: 3, args: { name, quietly } }).catch((error: unknown) => error);
  assert.instance(error, RankLostError);
  assert.is((error as RankLostError).rank, 0);
  assert.match((error as Error).message, /^PE 0 threw SyntaxError: no such op/);
  const texts = [0, 1, 2].map((rank) => {
    const text = new TextDecoder().decode(new Uint8Array(quietly, rank * 4096, 4096).slice());
    return text.slice(0, text.indexOf("\0"));
  });
  return texts.map((text) => JSON.parse(text) as Told[]);
}

for (const name of ["own error", "own error later"] as const) {
  later(`an op that throws ends the world: ${name}`, async () => {
    for (const [rank, told] of (await ownError(name)).entries()) {
      if (rank === 0) assert.is(told.shift()?.name, "SyntaxError");
      for (const { code, rank: lost, cause } of told) {
        assert.equal([code, lost, cause], ["ERR_TUNDISH_RANK_LOST", 0, "SyntaxError: no such op"]);
      }
    }
  });
}

later("no timer is left that would keep the thread", async () => {
  assert.equal(await play(2, "many"), [0, 0]);
});
later.run();
