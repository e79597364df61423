/** Whatever goes wrong in whatever collective: the right error, at every PE, at every later call too. */

import { readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { suite, type Test } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/ground/base/package-file.ts";
import { launch } from "../../src/running/launch/launch.ts";
import type { LaunchOptions } from "../../src/running/run/options.ts";
import { LONG, rounds } from "../support/long.ts";
import { drawn } from "../support/sample.ts";
import { launchPooled } from "../support/thread-pool.ts";
import {
  type Args,
  type Fault,
  NOTE_BYTES,
  type Note,
  TOO_EARLY,
  type Told,
  tell,
} from "./programs/failing.program.ts";
import { FOR_MEMORY, WAITS } from "./support/waits.ts";

const program = sibling("./programs/failing.program.js", import.meta.url);
const ALL: readonly string[] = [...WAITS, ...FOR_MEMORY];
const SOON = 60_000;
/** How often a run is begun again in which a PE was ended, or late for the preparations, before it could say anything. */
const TRIES = 16;
/** How often everything is repeated, with other forms, numbers of PEs and manners each time. */
const ROUNDS = rounds(1, 100);
let runs = 0;

interface Outcome {
  readonly error: Told;
  readonly notes: readonly (Note | null)[];
  readonly culprit: number;
}

type Wrong = Pick<Args, "fault" | "wait" | "limit">;
/** Options of the world, or of a run of launch(), whose the last two are; times are to be multiplied by `patience`. */
type More = (patience: number) => Pick<LaunchOptions, "waitTimeout" | "timeout" | "signal">;

const MISMATCHES: readonly Fault[] = ["skip", "swap", "other root", "other length", "other type", "other op"];
/** Whether a PE gets the error: where calls do not match, the culprit does as well. */
const isTold = (fault: Fault, rank: number, culprit: number): boolean => rank !== culprit || MISMATCHES.includes(fault);

/** Runs a world of 2 or 3 PEs in which one goes wrong; forms and manners vary from run to run. */
async function run(wrong: Wrong, more: More, tries = TRIES): Promise<Outcome> {
  const patience = 2 ** Math.min(3, TRIES - tries);
  const i = runs++;
  const pes = 2 + (i % 2);
  // the others' root is PE 0
  const culprit = wrong.fault === "other root" ? 1 : i % pes;
  const notes = new SharedArrayBuffer(pes * NOTE_BYTES);
  const forms = ["blocking", "async", "some async"] as const;
  const form = wrong.limit === "signal" ? "async" : forms[i % 3];
  const args: Args = { ...wrong, culprit, notes, form, quiet: i % 4 < 2 };
  const started = performance.now();
  const { timeout, signal, ...world } = more(patience);
  const ended =
    timeout || signal
      ? launch(program, {
          pes,
          args,
          timeout: 4 * SOON,
          ...(timeout && { timeout }),
          ...(signal && { signal }),
        })
      : launchPooled(program, {
          pes,
          args,
          ...world,
          ...(wrong.fault === "loop" && { stray: culprit }),
        });
  const error = await ended.then(
    () => assert.unreachable(`the run ended well: ${JSON.stringify(args)}`),
    (error: unknown) => tell(error),
  );
  const took = performance.now() - started;
  assert.ok(took < SOON, `took ${took} ms: ${JSON.stringify(args)}`);
  const read = Array.from({ length: pes }, (_, rank): Note | null => {
    const text = new TextDecoder().decode(new Uint8Array(notes, rank * NOTE_BYTES, NOTE_BYTES).slice());
    return text.startsWith("{") ? (JSON.parse(text.slice(0, text.indexOf("\0"))) as Note) : null;
  });
  // on a very busy machine a PE may be ended (after 250 ms) before it has said anything
  const bytes = new Uint8Array(notes);
  const silent = read.some(
    (note, rank) => bytes[rank * NOTE_BYTES] === TOO_EARLY || (note === null && isTold(wrong.fault, rank, culprit)),
  );
  if (silent && tries > 1) return run(wrong, more, tries - 1);
  return { error: error as Told, notes: read, culprit };
}

/** All PEs that are to be told got that error, and the same again from every later call, at once. */
async function check(wrong: Wrong, code: string, message: RegExp, more: More = () => ({})): Promise<Outcome> {
  const outcome = await run(wrong, more);
  const { error, notes, culprit } = outcome;
  assert.is(error.code, code, JSON.stringify(error));
  assert.match(error.message, message);
  for (const [rank, note] of notes.entries()) {
    if (!isTold(wrong.fault, rank, culprit)) continue;
    const what = `PE ${rank}: ${JSON.stringify(note)}`;
    assert.ok(note !== null, what);
    assert.is(note.first.code, code, what);
    assert.match(note.first.message, message, what);
    assert.is(note.later.length, 1, what);
    const [{ name, message: later, rank: lost }] = note.later;
    assert.equal([name, lost], [error.name, error.rank], what);
    // launch() may say where the PEs were, besides
    assert.ok(error.message.startsWith(later.replace(/ \[ERR_\w+\]$/, "")), what);
    assert.is(note.calls, 2 * ALL.length);
    assert.ok(note.took < SOON, what);
  }
  return outcome;
}

/** A test for the named collectives, two at a time. */
function each(test: Test, name: string, waits: readonly string[], body: (wait: string) => Promise<void>): void {
  test(`${name}: ${waits.length} collectives, ${ROUNDS} times`, async () => {
    const left = Array.from({ length: ROUNDS }, () => waits).flat();
    const work = async () => {
      for (let wait = left.shift(); wait !== undefined; wait = left.shift()) {
        try {
          await body(wait);
        } catch (cause) {
          throw new Error(`${wait}: ${(cause as Error).message}`, { cause });
        }
      }
    };
    await Promise.all([work(), work()]);
  });
}

/**
 * The collectives of a plain run: half of them, which is drawn, and the other half for the fault that comes next. So
 * each is met in every run, and with each fault in every other one.
 */
const shareOf = (fault: Fault, waits = ALL): readonly string[] => {
  const place = (["throw", "exit", "return", "skip"] as Fault[]).indexOf(fault);
  return LONG ? waits : waits.filter((name) => (ALL.indexOf(name) + place + drawn(2, "half")) % 2 === 0);
};

const lost = suite("a PE that is lost");
for (const [fault, message, cause] of [
  ["throw", /^PE \d threw TypeError: something broke/, "TypeError: something broke"],
  ["exit", /^PE \d's thread ended with exit code 3/, undefined],
  ["return", /^PE \d has (returned from its main, or left,|left) without the call/, undefined],
] as [Fault, RegExp, string | undefined][]) {
  each(lost, fault, shareOf(fault), async (wait) => {
    const { error, notes, culprit } = await check({ fault, wait }, "ERR_TUNDISH_RANK_LOST", message);
    assert.is(error.rank, culprit);
    if (fault !== "return") assert.is(error.cause, cause);
    for (const note of notes) {
      if (note === null) continue;
      assert.is(note.first.rank, culprit);
      if (fault !== "return") assert.is(note.first.cause, cause);
    }
  });
}
lost.run();

const mismatch = suite("calls that do not match");
const withRoot = ALL.filter((name) => /^(broadcast|reduce of|gather|scatter)/.test(name));
const withLength = ALL.filter((name) => /array$|^reduceScatter|^scan|^exscan|^alltoall$|^alloc/.test(name));
const withType = ALL.filter((name) => /array$|^reduceScatter|scan$|gather$|^alltoall/.test(name));
const withOp = ALL.filter((name) => /reduce|scan/.test(name));
for (const [fault, waits] of [
  [
    "skip",
    shareOf(
      "skip",
      ALL.filter((name) => name !== "barrier"),
    ),
  ],
  ["swap", ALL.filter((_, i) => i % 2 === 1)],
  ["other root", withRoot],
  ["other length", withLength],
  ["other type", withType],
  ["other op", withOp],
] as [Fault, readonly string[]][]) {
  each(mismatch, fault, waits, async (wait) => {
    const message = /^PE \d.* called .*; PE \d.* called .* \(call number \d+\)/;
    const { error, culprit } = await check({ fault, wait }, "ERR_TUNDISH_MISMATCH", message);
    assert.match(error.message, `PE ${culprit} called `);
    assert.match(error.message, wait.split(" ")[0]);
  });
}
mismatch.run();

const limits = suite("limits");
const late: Fault = "come late";
const tooLong = /^PE \d waited for PE \d.* longer than it was given/;
/** On a busy machine another one may take as long. */
const notThere = (culprit: number) => new RegExp(`Not yet there: PE (\\d, )*${culprit}[ ,]`);
/** One half of them in a plain run, and the other one below: which is drawn. */
const [half, otherHalf] = [0, 1].map((part) => WAITS.filter((_, i) => (i + drawn(2, "limits")) % 2 === part));
each(limits, "timeout of the call", half, async (wait) => {
  const { error, culprit } = await check({ fault: late, wait, limit: "timeout" }, "ERR_TUNDISH_TIMEOUT", tooLong);
  assert.match(error.message, notThere(culprit), `${error.message}`);
});
const some = ALL.filter((_, i) => i % 3 === 0);
each(limits, "waitTimeout of the world", some, async (wait) => {
  for (const fault of [late, "loop"] as const) {
    const { error, culprit } = await check({ fault, wait }, "ERR_TUNDISH_TIMEOUT", tooLong, (patience) => ({
      waitTimeout: 300 * patience,
    }));
    assert.match(error.message, notThere(culprit), `${error.message}`);
  }
});
each(limits, "signal of the call", LONG ? WAITS : otherHalf, async (wait) => {
  const message = /^PE \d's wait was aborted: RangeError: enough/;
  const { error } = await check({ fault: late, wait, limit: "signal" }, "ERR_TUNDISH_ABORTED", message);
  assert.is(error.cause, "RangeError: enough");
});
limits.run();

const ofRun = suite("limits of the run");
let before = 0;
/** Threads of this process. */
const tasks = () => Number(/^Threads:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
ofRun.before(async () => {
  // starts the threads of libuv's pool, which later versions of Node than 20 start when they are first needed
  await stat(".");
  before = process.platform === "linux" ? tasks() : 0;
});
/** Whatever they wait in, launch() ends it: two of them in a plain run. */
const two = (waits: readonly string[]): readonly string[] => waits.slice(0, rounds(2, waits.length));
each(ofRun, "timeout of the run", two(["barrier", "alloc", "gather", "allreduce of an array"]), async (wait) => {
  const message = /^The run took longer than \d+ ms/;
  await check({ fault: "loop", wait }, "ERR_TUNDISH_TIMEOUT", message, (patience) => ({
    timeout: 600 * patience,
  }));
});
each(ofRun, "signal of the run", two(["broadcast of a value", "free", "scan", "alltoallv"]), async (wait) => {
  await check({ fault: late, wait }, "ERR_TUNDISH_ABORTED", /^The run was aborted: RangeError: stop/, (patience) => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(new RangeError("stop")), 500 * patience);
    return { signal: abort.signal };
  });
});
ofRun("there were 100 runs and more each time, and no thread of the last ones is left", async () => {
  assert.ok(runs >= 100 * ROUNDS, `${runs} runs`);
  if (process.platform !== "linux") return;
  const until = performance.now() + SOON;
  while (tasks() > before && performance.now() < until) await delay(20);
  assert.ok(tasks() <= before, `${tasks()} threads`);
});
ofRun.run();
