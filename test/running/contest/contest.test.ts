/** Trees that are measured on this machine: who contends, what is kept, and where. */

import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ChannelKind } from "../../../src/ground/base/channel-kinds.ts";
import { AbortedError, TimeoutError, UsageError, WorldClosedError } from "../../../src/ground/base/errors.ts";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { fingerprint } from "../../../src/machine/model/fingerprint.ts";
import type { MachineModel } from "../../../src/machine/model/machine-model.ts";
import { guessModel } from "../../../src/machine/topology/guess.ts";
import { readTopology } from "../../../src/machine/topology/topology.ts";
import { usableCpus } from "../../../src/machine/topology/usable.ts";
import { measuredTrees } from "../../../src/running/contest/contest.ts";
import { decide } from "../../../src/running/contest/decision.ts";
import { holdLock } from "../../../src/running/contest/lock.ts";
import { choiceFile, keepChoice, readChoice } from "../../../src/running/contest/store.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import type { LaunchOptions } from "../../../src/running/run/options.ts";
import { contendersOn } from "../../../trees/generate/contenders.ts";
import { generateTrees } from "../../../trees/generate/generate.ts";
import { checkTrees } from "../../../trees/model/check-world-trees.ts";
import type { Trees } from "../../../trees/model/tree.ts";
import { LONG, rounds } from "../../support/long.ts";
import { loadMachine, machineNames } from "../../trees/support/reference.ts";

const program = sibling("./contest.program.js", import.meta.url);
const folder = mkdtempSync(join(tmpdir(), "tundish-choices-"));
process.env.TUNDISH_CACHE = folder;

const topology = await readTopology();
const cpus = usableCpus(topology);
/** This machine as if it had been profiled. */
const here: MachineModel = { ...guessModel(topology, cpus), fingerprint: fingerprint(topology) };
const pes = Math.min(4, here.pes.length);
const size = here.pes.length;
/** Whether what was measured is kept for good; a busy machine may be too noisy. */
const isKept = ({ contest }: Trees): boolean => contest?.steady === true;

/** The files of choices. */
const choiceFiles = (): string[] =>
  readdirSync(folder)
    .filter((file) => file.startsWith("trees-"))
    .map((file) => join(folder, file));

/** The locks of contests that are held, or were left over. */
const locks = (): string[] => readdirSync(folder).filter((name) => name.startsWith("contest.lock"));

/** As often as it takes: a contest has a limit of time, and on a busy machine the launch goes on without one. */
async function untilMeasured(hold: () => Promise<Seen>): Promise<Seen> {
  for (;;) {
    const seen = await hold();
    if (seen.plan.contest !== undefined) return seen;
  }
}

/** In the long run as often as it takes to see a contest that is kept for good. */
async function untilKept(hold: () => Promise<Seen>): Promise<Seen> {
  let seen = await untilMeasured(hold);
  for (let i = 0; LONG && !isKept(seen.plan) && i < 20; i++) {
    // another set of PEs, as far as the choices go: what is not kept for good holds for a while
    for (const file of choiceFiles()) rmSync(file);
    renew();
    seen = await untilMeasured(hold);
  }
  if (LONG) assert.ok(isKept(seen.plan));
  return seen;
}
let fresh = 0;
/** A model that no contest has been held for. */
function renew(): void {
  fresh++;
  const send = here.send.map((row) => row.map((cost) => (cost === 0 ? 0 : cost + fresh / 1000)));
  current = { ...here, send };
}
let current = here;

interface Seen {
  readonly plan: Trees;
  readonly explained: string;
  /** What a group of all PEs says of itself. */
  readonly group: string;
  readonly sum: number;
}

async function run(options: LaunchOptions): Promise<Seen> {
  const [first] = await launch<Seen>(program, { pes, timeout: 60_000, ...options });
  return first as Seen;
}

/** What a contest for a model could have chosen, with a mark. */
function choice(model: MachineModel, steady: boolean, machine: string): Trees {
  const list = [{ name: "smelt", predicted: 1, measured: 1, spread: steady ? 0.1 : 2, won: 0 }];
  const contest = { turns: 7, steady, broadcast: list, reduce: list, barrier: list };
  return { ...generateTrees(model), machine, contest };
}

const test = suite("contest");
test.before.each(() => {
  for (const file of readdirSync(folder)) rmSync(join(folder, file));
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

test("contenders: the favourite first, each once, four at most, on every machine of up to 64 PEs", () => {
  for (const [i, name] of machineNames.entries()) {
    if (i % rounds(4, 1) > 0) continue;
    const machine = loadMachine(name);
    if (machine.pes.length > 64) continue;
    const { trees, broadcast, reduce, barrier } = contendersOn(machine, { moves: 2000 });
    assert.equal([broadcast[0], reduce[0], barrier[0]], [trees.broadcast, trees.reduce, trees.barrier], name);
    for (const list of [broadcast, reduce, barrier]) {
      assert.ok(list.length >= 1 && list.length <= 4, name);
      assert.is(new Set(list.map((one) => JSON.stringify(one))).size, list.length, name);
    }
    for (const one of broadcast) checkTrees({ ...trees, broadcast: one }, machine.pes.length);
    for (const one of barrier) checkTrees({ ...trees, barrier: one }, machine.pes.length);
    if (machine.pes.length > 8) assert.ok(broadcast.length > 1 && barrier.length > 1, name);
  }
});

test("what was measured is told, the kept ones first", async () => {
  const { contest, ...trees } = await measuredTrees(here, "ump");
  checkTrees(trees, here.pes.length);
  for (const operation of ["broadcast", "reduce", "barrier"] as const) {
    const list = contest?.[operation] ?? [];
    assert.ok(list.length > 0, operation);
    for (const { name, measured, predicted, spread, won } of list) {
      assert.ok(measured > 0 && measured < 1e9, `${name}: ${measured}`);
      assert.ok(predicted >= 0 && spread >= 0 && won >= 0 && won <= (contest?.turns ?? 0));
    }
  }
});

test("launch holds it once, keeps the choice, and takes it from then on", async () => {
  const first = await untilKept(() => run({ machine: current }));
  assert.match(first.explained, /^barrier: \S+ [\d.]+ ns measured \(spread \d+ %/m);
  const [path, ...more] = choiceFiles() as [string, ...string[]];
  assert.is(more.length, 0);
  assert.equal(JSON.parse(readFileSync(path, "utf8")), first.plan);
  // a mark, to see that it is read
  const marked = { ...first.plan, machine: "marked" };
  writeFileSync(path, JSON.stringify(marked));
  assert.is((await run({ machine: current })).plan.machine, "marked");
});

test("worlds that start together hold one contest", async () => {
  const seen = await Promise.all([run({ machine: here }), run({ machine: here }), run({ machine: here })]);
  assert.equal(seen[1]?.plan, seen[0]?.plan);
  assert.equal(seen[2]?.plan, seen[0]?.plan);
});

test("a file that is broken, or of another world, is as if it were not there", async () => {
  renew();
  const plan = choice(current, true, "kept");
  keepChoice(fingerprint(topology), current, "ump", plan);
  const path = choiceFiles()[0] as string;
  assert.is(readChoice(path, size)?.machine, "kept");
  const wrong = { ...plan, broadcast: { ...plan.broadcast, children: { 0: [0] } } };
  for (const text of ["", "{}", "null", "{", JSON.stringify(wrong)]) {
    writeFileSync(path, text);
    assert.is(readChoice(path, size), undefined, text);
  }
  const again = await untilMeasured(() => run({ machine: current, pes: size }));
  assert.is(again.sum, (size * (size - 1)) / 2);
  assert.is(again.plan.machine, here.name);
  assert.equal(JSON.parse(readFileSync(path, "utf8")), again.plan, "written anew");
});

test("a choice that is not to be believed holds for ten minutes, and never in the place of one that is", async () => {
  renew();
  const model = current;
  const own = fingerprint(topology);
  const taken = async () => (await run({ machine: model, pes: size })).plan.machine;
  keepChoice(own, model, "ump", choice(model, false, "noisy"));
  const path = choiceFiles()[0] as string;
  assert.is(await taken(), "noisy");
  const minutesAgo = (minutes: number) => utimesSync(path, 0, Date.now() / 1000 - 60 * minutes);
  minutesAgo(9);
  assert.is(await taken(), "noisy");
  minutesAgo(11);
  assert.is(await taken(), here.name, "measured anew");
  keepChoice(own, model, "ump", choice(model, true, "steady"));
  keepChoice(own, model, "ump", choice(model, false, "noisy"));
  minutesAgo(100_000);
  assert.is(await taken(), "steady");
  // what was measured over other channels says nothing of these
  const over = (channel: ChannelKind) => readChoice(choiceFile(own, model, channel), size)?.machine;
  assert.equal([over("ump"), over("fastforward")], ["steady", undefined]);
});

const failureOf = (running: Promise<unknown>): Promise<Error> =>
  running.then(
    () => assert.unreachable("it has ended well") as never,
    (error: Error) => error,
  );

test("a signal, the time and close() end a contest too, with the errors that they end a run with", async () => {
  renew();
  const options = { machine: current, pes };
  const reason = new Error("enough");
  const before = await failureOf(launch(program, { ...options, signal: AbortSignal.abort(reason) }));
  assert.instance(before, AbortedError);
  assert.is(before.cause, reason);
  assert.equal(choiceFiles(), [], "nothing was measured");
  // somebody else's contest: this one would wait for five seconds
  const release = await holdLock(join(folder, "contest.lock"));
  const started = performance.now();
  const abort = new AbortController();
  const aborted = launch(program, { ...options, signal: abort.signal });
  setTimeout(() => abort.abort(reason), 200);
  const error = await failureOf(aborted);
  assert.instance(error, AbortedError);
  assert.is(error.cause, reason);
  assert.match(error.message, /^The run was aborted: Error: enough \[/);
  const late = await failureOf(launch(program, { ...options, timeout: 200 }));
  assert.instance(late, TimeoutError);
  assert.match(late.message, /^The run took longer than 200 ms \(timeout\)/);
  const closed = launch(program, options);
  const end = failureOf(closed);
  await closed.close();
  assert.instance(await end, WorldClosedError);
  assert.ok(performance.now() - started < 4500, "nobody has waited");
  release?.();
  // while its own is held
  for (const timeout of [30, 60, 120]) {
    const own = await launch<Seen>(program, { ...options, timeout }).catch((error: unknown) => error);
    if (!Array.isArray(own)) assert.instance(own, TimeoutError);
    assert.equal(locks(), [], "given back");
  }
  assert.is((await run(options)).sum, (pes * (pes - 1)) / 2, "the next one is not disturbed");
});

test("who gives up a contest does not end it for others that wait for it", async () => {
  renew();
  const release = await holdLock(join(folder, "contest.lock"));
  const abort = new AbortController();
  const given = failureOf(launch(program, { machine: current, pes, signal: abort.signal }));
  const waiting = run({ machine: current });
  setTimeout(() => abort.abort(), 300);
  assert.instance(await given, AbortedError);
  release?.();
  const { sum } = await waiting;
  assert.is(sum, (pes * (pes - 1)) / 2);
  await untilMeasured(() => run({ machine: current }));
});

test("two processes do not measure at once, and take what the first has found", async () => {
  const script = `
    import { launch } from ${JSON.stringify(sibling("../../../src/index.js", import.meta.url).href)};
    import { existsSync } from "node:fs";
    const machine = JSON.parse(process.argv[1]);
    const [{ plan }] = await launch(process.argv[2], { machine, pes: machine.pes.length, timeout: 60000 });
    console.log(JSON.stringify(plan));`;
  let both: readonly Trees[] = [];
  // again where the limit of the contest was too short for a busy machine
  do {
    renew();
    const args = ["--input-type=module", "-e", script, JSON.stringify(current), program.pathname];
    const said = await Promise.all([1, 2].map(() => promisify(execFile)(process.execPath, args)));
    both = said.map(({ stdout }) => JSON.parse(stdout) as Trees);
  } while (both.some(({ contest }) => contest === undefined));
  assert.equal(both[1], both[0]);
  assert.equal(locks(), []);
});

test("a lock that was left over counts for nothing, one that is held makes others wait", async () => {
  const file = join(folder, "contest.lock");
  const script = `
    import { holdLock } from ${JSON.stringify(sibling("../../../src/running/contest/lock.js", import.meta.url).href)};
    await holdLock(process.argv[1]);
    process.kill(process.pid, "SIGKILL");`;
  for (const native of ["", "off"]) {
    const env = { ...process.env, TUNDISH_NATIVE: native };
    spawnSync(process.execPath, ["--input-type=module", "-e", script, file], { env });
    assert.is(locks().length, 1, "of a process that was killed");
    const release = await holdLock(file);
    assert.is(locks().length, 1);
    assert.is(await holdLock(file, { patience: 100 }), null);
    const waiting = holdLock(file);
    release?.();
    (await waiting)?.();
    assert.equal(locks(), []);
  }
  // of another machine, or of nobody knows whom: by its age
  for (const name of ["kernel.1.2.3.boot-4.token.elsewhere", "1 elsewhere"]) {
    writeFileSync(`${file}.${name}`, "");
    assert.is(await holdLock(file, { patience: 100 }), null);
    (await holdLock(file, { oldMs: 50 }))?.();
    assert.equal(locks(), []);
  }
  const held = await holdLock(file);
  const reason = new Error("enough");
  const aborted = await holdLock(file, { signal: AbortSignal.abort(reason) }).catch((error) => error);
  assert.is(aborted, reason);
  held?.();
  // several at once: one has it at a time, and all have it in the end
  let holders = 0;
  const all = Array.from({ length: 5 }, async () => {
    const own = await holdLock(file, { patience: 60_000 });
    assert.is(++holders, 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    holders--;
    own?.();
  });
  await Promise.all(all);
  assert.equal(locks(), []);
  // nowhere to have it
  (await holdLock("/dev/null/nowhere/contest.lock"))?.();
  (await holdLock(null))?.();
});

test("no folder can be made: no lock, at once", async () => {
  const plain = join(folder, "plain");
  writeFileSync(plain, "");
  for (const nowhere of [plain, join(plain, "below"), "/proc/nope", "/proc/nope/below"]) {
    const started = performance.now();
    const release = await holdLock(join(nowhere, "contest.lock"));
    assert.type(release, "function", nowhere);
    assert.ok(performance.now() - started < 1000, nowhere);
    release?.();
  }
  assert.is(readFileSync(plain, "utf8"), "");
  const deep = join(folder, "a/b/contest.lock");
  const release = await holdLock(deep);
  assert.is(readdirSync(dirname(deep)).length, 1, "folders are made where they can be");
  release?.();
  rmSync(join(folder, "a"), { recursive: true });
});

test("who wins: turns are compared one by one, and a wide spread is not to be believed", () => {
  const turns = (times: readonly number[]) => times.flatMap((time) => [time, time, 9 * time]);
  const near = [100, 100, 100, 500, 500, 500, 500];
  const decided = (...contenders: number[][]) => decide(contenders.map(turns), 3);
  const better = near.map((time) => 0.9 * time);
  const flips = decided(near, better);
  assert.equal([flips.winner, flips.all[1]?.won, flips.steady], [1, 7, false], "near and far by turns");
  const steady = [100, 101, 99, 100, 102, 98, 100];
  assert.equal(
    decided(
      steady,
      steady.map((time) => 0.98 * time),
    ).winner,
    0,
    "within the margin",
  );
  const often = steady.map((time, turn) => time * (turn < 5 ? 0.8 : 1.1));
  assert.is(decided(steady, often).winner, 0, "5 of 7 turns are not enough");
  const nearly = steady.map((time, turn) => time * (turn < 6 ? 0.8 : 1.1));
  const {
    winner,
    all,
    steady: isSteady,
  } = decided(
    steady,
    often,
    nearly,
    steady.map((time) => 0.85 * time),
  );
  assert.equal([winner, all[2]?.won, isSteady], [2, 6, true], "the fastest of those that win");
  assert.is(all[0]?.measured, 100);
  assert.equal([decided(near).winner, decided(near).steady], [0, false], "one alone is measured as well");
  assert.ok(decided(steady).steady);
});

test("launch takes what tundish tree has measured for this machine as it is guessed", async () => {
  const guessed = guessModel(topology);
  keepChoice(fingerprint(topology), guessed, "ump", choice(guessed, true, "measured"));
  if (size > 1) assert.is((await run({ pes: size })).plan.machine, "measured");
  assert.is((await run({ machine: here, pes: size })).plan.machine, size > 1 ? "measured" : here.name);
});

test("a choice that is forced: by the option, by the environment, in groups, and told", async () => {
  const forced = await run({ machine: here, trees: "binary" });
  assert.is(forced.plan.broadcast.algorithm, "binary");
  assert.match(forced.explained, /^trees: binary, forced by the option trees$/m);
  process.env.TUNDISH_TREES = "cluster";
  const told = await run({ machine: here });
  assert.is(told.plan.reduce.algorithm, "cluster");
  assert.match(told.explained, /^trees: cluster, forced by TUNDISH_TREES$/m);
  assert.match(told.group, /^trees: cluster, forced by TUNDISH_TREES$/m);
  assert.is((await run({ machine: here, trees: "mst" })).plan.reduce.algorithm, "mst");
  assert.is((await run({ pes: size + 1, trees: "bad" })).plan.reduce.algorithm, "bad", "oversubscribed too");
  const plan = generateTrees(here, { algorithm: "fibonacci" });
  const own = await run({ machine: here, trees: plan, pes: size });
  assert.is(own.plan.reduce.algorithm, "fibonacci", "a plan is taken as it is");
  assert.not.match(own.explained, /forced by/);
  const refused = async (options: LaunchOptions, message: RegExp) => {
    const error = await run(options).catch((thrown: unknown) => thrown);
    assert.instance(error, UsageError);
    assert.match((error as Error).message, message);
  };
  process.env.TUNDISH_TREES = "smlt";
  await refused({}, /^TUNDISH_TREES: expected one of adaptive, exact, smelt, .*, got "smlt"/);
  delete process.env.TUNDISH_TREES;
  await refused(
    { trees: "smlt" as never },
    /^trees: expected trees of generateTrees\(\), or one of adaptive, exact, smelt, .*, got "smlt"/,
  );
  await refused({ trees: null as never }, /^trees: expected .*, got null/);
  assert.equal(choiceFiles(), [], "none was measured");
});

test("a folder that cannot be written costs nothing but the choice", async () => {
  const plain = join(folder, "plain");
  writeFileSync(plain, "");
  try {
    for (const nowhere of ["/dev/null/nowhere", "/proc/nope", plain]) {
      process.env.TUNDISH_CACHE = nowhere;
      keepChoice(fingerprint(topology), here, "ump", choice(here, true, "lost"));
      assert.is(readChoice(choiceFile(fingerprint(topology), here, "ump"), size), undefined, nowhere);
    }
    const { plan } = await untilMeasured(() => run({ machine: here }));
    assert.ok(plan.contest !== undefined, "measured");
  } finally {
    process.env.TUNDISH_CACHE = folder;
  }
});

test("none is held for a guess, another machine's model, more PEs than cores, a plan, or when told so", async () => {
  const { fingerprint: own, ...guessed } = here;
  assert.ok(own);
  assert.is((await run({})).plan.contest, undefined);
  assert.is((await run({ machine: guessed })).plan.contest, undefined);
  assert.is((await run({ machine: here, pes: here.pes.length + 1 })).plan.contest, undefined);
  const plan = generateTrees(here);
  if (pes === here.pes.length) assert.equal((await run({ machine: here, trees: plan })).plan, plan);
  process.env.TUNDISH_CONTEST = "off";
  assert.is((await run({ machine: here })).plan.contest, undefined);
  process.env.TUNDISH_CONTEST = "of";
  for (const options of [{ machine: here }, {}]) {
    const error = await run(options).catch((error: unknown) => error);
    assert.instance(error, UsageError);
    assert.is(
      (error as Error).message,
      'TUNDISH_CONTEST: expected on or off, got "of". Correct it, or unset it. [ERR_TUNDISH_USAGE]',
    );
  }
  process.env.TUNDISH_CONTEST = "on";
  assert.is((await run({})).plan.contest, undefined);
  delete process.env.TUNDISH_CONTEST;
  const warned = new Promise((resolve) => process.once("warning", resolve));
  const foreign = await run({ machine: { ...here, fingerprint: "0123456789abcdef" } });
  assert.is(foreign.plan.contest, undefined);
  assert.match(String(await warned), /was measured on another machine/);
  assert.equal(choiceFiles(), []);
});

test.run();
