/** Worlds that go on without lost PEs (losses.program.ts): on threads, and on virtual PEs. Over nodes: nodes/losses.test.ts. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RankLostError } from "../../../../src/ground/base/errors.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { launch } from "../../../../src/running/launch/launch.ts";
import { createWorld, join } from "../../../../src/running/launch/world.ts";
import { simulateAsync } from "../../../../src/running/virtual/simulate-async.ts";
import { LONG, rounds } from "../../../support/long.ts";
import { shuffled } from "../../../support/sample.ts";
import program, { type Args, CALLS, type Told } from "./losses.program.ts";

const file = sibling("./losses.program.js", import.meta.url);
const test = suite("losses");
const first = Math.floor(Math.random() * 2 ** 30);

/** What PE `rank` must have been told. */
function check(told: unknown, rank: number, pes: number, { culprit, call, how }: Args, text: string): void {
  const [error, again, group, lost, sum] = told as Told;
  const why =
    how === "exit"
      ? "exit code 3"
      : how === "crash"
        ? "crashed"
        : how === "return"
          ? "returned"
          : "RangeError: out of luck";
  assert.match(error, /^RankLostError /, text);
  assert.match(error, `PE ${culprit}`, text);
  if (how !== "return") assert.match(error, why, text);
  assert.is(again, "RankLostError", text);
  assert.is(group, "RankLostError", text);
  assert.equal(lost, [culprit], text);
  const others = (pes * (pes - 1)) / 2 - culprit;
  const survivors = pes - 1;
  const pushed = Array.from({ length: 100 }, (_, i) => i % survivors);
  const own = rank > culprit ? rank - 1 : rank;
  const items = survivors * pushed.filter((dest) => dest === own).length;
  assert.is(sum, 20 * others + items + (survivors > 1 ? 5 : 0), text);
  assert.ok(call);
}

// half of them: on virtual PEs all are played
const onThreads = LONG ? CALLS : shuffled(CALLS, "calls on threads").slice(0, CALLS.length / 2);
for (const [k, call] of onThreads.entries()) {
  test(`on threads, in the middle of: ${call}`, async () => {
    for (let i = 0; i < rounds(1, 40); i++) {
      const seed = first + i;
      const pes = 2 + ((seed + k) % 3);
      const culprit = (seed + 3 * k) % pes;
      const how = (["throw", "exit", "reject"] as const)[(seed + k) % 3] as Args["how"];
      const args: Args = { call, culprit, how, rounds: (seed % 7) * 3 };
      const text = `seed ${seed}: ${JSON.stringify({ pes, ...args })}`;
      const all = await launch<unknown>(file, { pes, args, onLoss: "continue", timeout: 60_000 }).catch(
        (error: Error): never => {
          throw new Error(`${text}: ${error.stack}`);
        },
      );
      for (const [rank, told] of (all as unknown[]).entries()) {
        if (rank !== culprit) check(told, rank, pes, args, text);
        else {
          assert.instance(told, RankLostError, text);
          assert.is((told as RankLostError).rank, culprit);
          if (how !== "exit") assert.instance((told as RankLostError).cause, RangeError, text);
        }
      }
    }
  });
}

test("on virtual PEs: crashes, throws and returns, in the middle of all calls", async () => {
  for (let i = 0; i < rounds(3, 200); i++) {
    for (const call of CALLS) {
      const seed = first + i;
      const pes = 2 + (seed % 4);
      const culprit = (seed >> 2) % pes;
      const isCrash = i % 2 === 0;
      const args: Args = {
        call,
        culprit,
        how: isCrash ? "crash" : "throw",
        rounds: isCrash ? 1e9 : seed % 9,
      };
      const text = `seed ${seed}: ${JSON.stringify({ pes, ...args })}`;
      // a crash comes whatever the program does
      const faults = isCrash ? [{ pe: culprit, at: 20_000 + (seed % 50_000), kind: "crash" as const }] : [];
      if (isCrash && (call === "channel receive" || call === "channel send" || call === "messenger")) continue;
      const { results } = await simulateAsync(
        { pes, seed, jitter: 1, args, faults, onLoss: "continue" },
        program,
      ).catch((error: Error): never => {
        throw new Error(`${text}: ${error.stack}`);
      });
      for (const [rank, told] of results.entries()) {
        if (rank !== culprit) check(told, rank, pes, args, text);
        else assert.instance(told, RankLostError, text);
      }
    }
  }
});

test("one after the other, and all", async () => {
  const module = sibling("./losses-in-turn.program.js", import.meta.url);
  const options = { pes: 4, onLoss: "continue" as const, timeout: 60_000 };
  const all = await launch<unknown>(module, { ...options, args: 3 });
  assert.equal(
    all.map((one) => (one instanceof RankLostError ? one.rank : one)),
    [0, 1, 2, "3: 0,1,2"],
  );
  const error = await launch(module, { ...options, args: 4 }).then(
    () => assert.unreachable(),
    (one: unknown) => one,
  );
  assert.instance(error, RankLostError);
});

test("a timeout ends the world nevertheless", async () => {
  const args: Args = { call: "messenger", culprit: 0, how: "crash", rounds: 0 };
  const began = performance.now();
  const error = await launch(file, { pes: 2, args, onLoss: "continue", timeout: 1000 }).then(
    () => ({ code: "nothing" }),
    (one: Error & { code: string }) => one,
  );
  assert.is(error.code, "ERR_TUNDISH_TIMEOUT");
  assert.ok(performance.now() - began < 20_000);
});

test("onLoss has two values", async () => {
  try {
    await launch(file, { pes: 2, onLoss: "go on" as "end" });
    assert.unreachable();
  } catch (error) {
    assert.match((error as Error).message, /^onLoss: expected one of "end", "continue", got "go on"/);
  }
});

test("a world of threads of the user's: host.lost", async () => {
  using host = await createWorld({ pes: 2, onLoss: "continue", pin: false });
  const pe = await join(host.ticket(0));
  const waiting = pe.barrierAsync().then(
    () => "nothing",
    (error: Error) => error.message,
  );
  host.lost(1, new Error("unplugged"));
  assert.match(await waiting, /^PE 1 is lost: PE 1 was lost/);
  assert.equal(pe.lost, [1]);
  assert.is(await pe.group([0]).allreduceAsync(5, "sum"), 5);
  pe.leave();
});
test.run();
