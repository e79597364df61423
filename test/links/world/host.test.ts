/** createWorld and join: threads that somebody else starts, the main thread among them. */
import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  createWorld,
  type Group,
  join,
  type PE,
  StateError,
  type Ticket,
  UsageError,
  WorldClosedError,
  type WorldOptions,
} from "../../../src/index.ts";
import { readBinding } from "../../../src/machine/topology/affinity.ts";
import type { Contents } from "../../../src/running/launch/ticket.ts";
import { type Told, tell } from "../../collectives/programs/failing.program.ts";
import { type Case, everyKindAndOp } from "../../collectives/support/cases.ts";
import { Arena } from "../../collectives/support/places.ts";
import { play } from "../../collectives/support/play.ts";
import { noPinning } from "../../machine/surroundings.ts";
import { root } from "../../support/paths.ts";
import { testUnless } from "../../support/skip.ts";
import { ARENA_BYTES, type Job } from "./host.worker.ts";
import { WorldThreads } from "./world-threads.ts";

const limits: WorldOptions = { waitTimeout: 20_000, heapBytes: 2 ** 23 };

/** What a promise rejects with. */
const failure = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    (value) => assert.unreachable(`no error, but ${String(value)}`),
    (error: unknown) => error,
  ) as Promise<Error>;

const groups = (pe: PE): ((ranks: readonly number[]) => Group) => {
  const made = new Map<string, Group>();
  return (ranks) => {
    const group = made.get(`${ranks}`) ?? pe.group(ranks);
    made.set(`${ranks}`, group);
    return group;
  };
};

const members = suite("members");

members("plain workers", async () => {
  await using threads = new WorldThreads(3);
  using host = await createWorld({ ...limits, pes: 3 });
  assert.is(host.size, 3);
  const answers = await threads.play(host, "sum");
  for (const [rank, { result }] of answers.entries()) assert.equal((result as number[]).toSpliced(2, 1), [rank, 3, 3]);
});

members("workers that are not to be bound", async () => {
  await using threads = new WorldThreads(2);
  using host = await createWorld({ ...limits, pes: 2, pin: false });
  for (const { result } of await threads.play(host, "sum")) assert.is((result as unknown[])[2], true);
});

members("the main thread plays every collective with Async forms, two workers block", async () => {
  await using threads = new WorldThreads(2);
  using host = await createWorld({ ...limits, pes: 3 });
  const cases: Case[] = everyKindAndOp([3, 150]).filter((_, i) => i % 4 === 0);
  const others = threads.play(host, "play", 1, { cases });
  const pe = await join(host.ticket(0));
  assert.is(pe.cpu, null);
  const arena = new Arena(await pe.allocAsync(Uint8Array, ARENA_BYTES));
  for (const one of cases) await play(pe, arena, groups(pe), { ...one, form: "async" });
  assert.equal(await others, [{ result: cases.length }, { result: cases.length }]);
  pe.leave();
});

members("one thread, two worlds at a time", async () => {
  await using threads = new WorldThreads(2);
  using a = await createWorld({ ...limits, pes: 2 });
  using b = await createWorld({ ...limits, pes: 2 });
  const others = [
    threads.give(0, { ticket: a.ticket(1), part: "sum" }),
    threads.give(1, { ticket: b.ticket(0), part: "sum" }),
  ];
  using first = await join(a.ticket(0));
  using second = await join(b.ticket(1));
  const work = async (pe: PE) => {
    await pe.barrierAsync();
    return pe.allreduceAsync(pe.rank, "sum");
  };
  assert.equal(await Promise.all([work(second), work(first)]), [1, 1]);
  for (const { result } of await Promise.all(others)) assert.is((result as number[])[1], 2);
});

members("a pool's thread joins one world after the other, and keeps nothing of them", async () => {
  await using threads = new WorldThreads(2);
  const listeners: unknown[] = [];
  for (let i = 0; i < 15; i++) {
    using host = await createWorld({ ...limits, pes: 2 });
    // now one thread is PE 0, now the other
    const jobs = [i % 2, 1 - (i % 2)].map((rank, thread) =>
      threads.give(thread, { ticket: host.ticket(rank), part: "listeners" }),
    );
    listeners.push(...(await Promise.all(jobs)).map(({ result }) => result));
  }
  assert.equal(new Set(listeners).size, 1, `${listeners}`);
});

members("a thread that does not leave keeps nothing of a world that was closed or has failed", async () => {
  const before = process.listenerCount("exit");
  for (let i = 0; i < 5; i++) {
    using host = await createWorld({ ...limits, pes: 2 });
    await join(host.ticket(0));
    await join(host.ticket(1));
    assert.ok(process.listenerCount("exit") <= before + 1);
    if (i % 2 === 0) host.lost(1);
  }
  assert.is(process.listenerCount("exit"), before);
  // one that failed is forgotten with the next that is joined
  const failed = await createWorld({ ...limits, pes: 2, waitTimeout: 20 });
  const pe = await join(failed.ticket(0));
  assert.is((await failure(pe.barrierAsync())).name, "TimeoutError");
  using host = await createWorld({ ...limits, pes: 1 });
  (await join(host.ticket(0))).leave();
  assert.is(process.listenerCount("exit"), before);
});

members("a thread that ends is lost to all worlds that it has not left", async () => {
  await using threads = new WorldThreads(1);
  using a = await createWorld({ ...limits, pes: 2 });
  using b = await createWorld({ ...limits, pes: 2 });
  const pes = [await join(a.ticket(0)), await join(b.ticket(0))];
  void threads.give(0, { ticket: a.ticket(1), part: "stay" });
  await pes[0].barrierAsync();
  const ended = threads.give(0, { ticket: b.ticket(1), part: "exit3" });
  await pes[1].barrierAsync();
  for (const pe of pes) {
    const error = tell(await failure(pe.barrierAsync()));
    assert.equal([error.code, error.rank], ["ERR_TUNDISH_RANK_LOST", 1]);
    assert.match(error.message, /^PE 1's thread ended with exit code 3/);
  }
  assert.equal(await ended, { exit: 3 });
});

testUnless(members, noPinning, "a thread that leaves may run where it might before", async () => {
  await using threads = new WorldThreads(2);
  for (const pin of [true, false, true]) {
    using host = await createWorld({ ...limits, pes: 2, pin });
    for (const { result } of await threads.play(host, "affinity")) {
      const [cpu, bound, after] = result as [number | null, number[], number[]];
      assert.equal(bound, pin ? [cpu] : readBinding());
      assert.equal(after, readBinding());
    }
  }
});

members("an Async wait keeps the process", async () => {
  const thread = `import("tundish").then(({ join }) => require("node:worker_threads").parentPort.once("message", (ticket) =>
    setTimeout(async () => (await join(ticket)).allreduce(20, "sum"), 300)));`;
  const main = `
    import { Worker } from "node:worker_threads";
    import { createWorld, join } from "tundish";
    const worker = new Worker(${JSON.stringify(thread)}, { eval: true, execArgv: [] });
    worker.unref();
    const host = await createWorld({ pes: 2 });
    worker.postMessage(host.ticket(1));
    const pe = await join(host.ticket(0));
    pe.allreduceAsync(1, "sum").then((sum) => { console.log(sum); pe.leave(); });`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", main], {
    cwd: root,
    timeout: 20_000,
  });
  assert.is(stdout, "21\n");
});
members.run();

const tickets = suite("tickets");

tickets("serve once", async () => {
  using host = await createWorld({ ...limits, pes: 2 });
  const ticket = host.ticket(1);
  using pe = await join(ticket);
  assert.is(pe.rank, 1);
  for (const again of [ticket, structuredClone(ticket), host.ticket(1)]) {
    const error = await failure(join(again));
    assert.instance(error, UsageError);
    assert.match(error.message, /^join: the seat of PE 1 is taken; each ticket can be used once/);
  }
});

tickets("of two threads with the same one, one gets the seat", async () => {
  await using threads = new WorldThreads(2);
  for (let i = 0; i < 5; i++) {
    using host = await createWorld({ ...limits, pes: 1 });
    const job: Job = { ticket: host.ticket(0), part: "sum" };
    const answers = await Promise.all([threads.give(0, job), threads.give(1, job)]);
    assert.is(answers.filter(({ result }) => result !== undefined).length, 1);
    assert.is(answers.find(({ error }) => error)?.error?.code, "ERR_TUNDISH_USAGE");
  }
});

tickets("that are none are refused", async () => {
  using host = await createWorld({ ...limits, pes: 2 });
  const { kind, rank } = host.ticket(0);
  const json: unknown = JSON.parse(JSON.stringify(host.ticket(0)));
  for (const wrong of [
    undefined,
    null,
    5,
    "ticket",
    {},
    { kind },
    { kind, rank, contents: null },
    { kind, contents: { seat: {} } },
    json,
  ]) {
    const error = await failure(join(wrong as Ticket));
    assert.instance(error, UsageError, JSON.stringify(wrong));
    assert.match(error.message, /^join: expected a ticket made by WorldHost\.ticket\(\)/);
  }
  for (const rank of [-1, 2, 1.5, Number.NaN, "x", undefined, null]) {
    for (const [name, call] of [
      ["ticket", () => host.ticket(rank as number)],
      ["lost", () => host.lost(rank as number)],
    ] as const) {
      const told = new RegExp(`^${name}: expected a rank from 0 to 1, got `);
      assert.throws(call, (error: unknown) => error instanceof UsageError && told.test(error.message));
    }
  }
  const error = await failure(createWorld({ pes: 0 }));
  assert.match(error.message, /^pes: expected a whole number/);
});
tickets("a PE that joined has nobody to post to", async () => {
  using world = await createWorld({ ...limits, pes: 1 });
  using pe = await join(world.ticket(0));
  assert.throws(
    () => pe.post(1),
    (error: Error) => error instanceof StateError && /^post: expected a PE that launch\(\)/.test(error.message),
  );
});
tickets("TUNDISH_WAIT_POLICY: passive, no PE spins, as with more PEs than CPUs; else it is refused", async () => {
  const spins = async (policy: string, pes: number): Promise<boolean> => {
    process.env.TUNDISH_WAIT_POLICY = policy;
    try {
      using host = await createWorld({ ...limits, pes });
      return (host.ticket(0).contents as Contents).seat.spins;
    } finally {
      delete process.env.TUNDISH_WAIT_POLICY;
    }
  };
  for (const [policy, pes, expected] of [
    ["active", 1, true],
    ["passive", 1, false],
    ["active", 1 + availableParallelism(), false],
  ] as const) {
    assert.is(await spins(policy, pes), expected, `${policy}, ${pes} PEs`);
  }
  const refused = await failure(spins("lazy", 1 + availableParallelism()));
  assert.instance(refused, UsageError);
  assert.match(refused.message, /^TUNDISH_WAIT_POLICY: expected active or passive, got "lazy"/);
});

tickets.run();

const ends = suite("ends");

/** The main thread waits as PE 0 for one thread that waits too and one that goes wrong. */
async function lose(
  part: Job["part"],
  meanwhile?: (threads: WorldThreads, host: Awaited<ReturnType<typeof createWorld>>) => unknown,
): Promise<{ errors: Told[]; last: unknown }> {
  await using threads = new WorldThreads(2);
  using host = await createWorld({ ...limits, pes: 3 });
  const waiting = threads.give(0, { ticket: host.ticket(1), part: part === "throw" ? "waitAsync" : "wait" });
  const wrong = threads.give(1, { ticket: host.ticket(2), part });
  const pe = await join(host.ticket(0));
  await pe.barrierAsync();
  if (meanwhile) setTimeout(() => meanwhile(threads, host), 100);
  const errors = [tell(await failure(pe.barrierAsync()))];
  errors.push((await waiting).error as Told);
  for (const call of [
    () => pe.barrierAsync(),
    () => pe.scanAsync(1, "sum"),
    () => pe.allocAsync(Int8Array, 1),
    async () => pe.group([0]),
  ]) {
    errors.push(tell(await failure(call())));
  }
  assert.throws(
    () => pe.barrier(),
    (error: unknown) => tell(error).code === errors[0].code,
  );
  pe.leave();
  return { errors, last: meanwhile ? undefined : await wrong };
}

for (const [part, exit, message] of [
  ["exit0", 0, /^PE 2 has (left|returned)/],
  ["end", 0, /^PE 2 has (left|returned)/],
  ["exit3", 3, /^PE 2's thread ended with exit code 3/],
  ["throw", 1, /^PE 2's thread ended with exit code 1/],
  ["reject", 1, /^PE 2's thread ended with exit code 1/],
] as [Job["part"], number, RegExp][]) {
  ends(`a thread ends while the others wait: ${part}`, async () => {
    const { errors, last } = await lose(part);
    assert.equal(last, { exit });
    for (const { code, rank, message: told } of errors) {
      assert.equal([code, rank], ["ERR_TUNDISH_RANK_LOST", 2], told);
      assert.match(told, message);
    }
  });
}

ends("a thread that is terminated: the host says so", async () => {
  const { errors } = await lose("loop", async (threads, host) => {
    await threads.workers[1].terminate();
    host.lost(2, new RangeError("terminated"));
  });
  for (const { code, rank, message, cause } of errors) {
    assert.equal(
      [code, rank, message, cause],
      ["ERR_TUNDISH_RANK_LOST", 2, "PE 2 was lost [ERR_TUNDISH_RANK_LOST]", "RangeError: terminated"],
    );
  }
});

ends("close() ends the world for everybody", async () => {
  const { errors } = await lose("loop", (_, host) => host.close());
  for (const { code, message } of errors) {
    assert.equal(
      [code, message],
      ["ERR_TUNDISH_WORLD_CLOSED", "The world was closed by its host [ERR_TUNDISH_WORLD_CLOSED]"],
    );
  }
});

ends("the host goes out of its block: the world is closed; who joins later is told", async () => {
  let ticket: Ticket;
  {
    using host = await createWorld({ ...limits, pes: 2 });
    ticket = host.ticket(0);
  }
  using pe = await join(ticket);
  assert.instance(await failure(pe.barrierAsync()), WorldClosedError);
});

ends("who leaves is missed; what it sent before arrives", async () => {
  await using threads = new WorldThreads(1);
  using host = await createWorld({ ...limits, pes: 2 });
  const left = threads.play(host, "leave", 1);
  using pe = await join(host.ticket(0));
  await pe.barrierAsync();
  assert.is(await pe.broadcastAsync(undefined as unknown, 1), "last words");
  assert.equal(await left, [{ result: undefined }]);
  const error = tell(await failure(pe.barrierAsync()));
  assert.equal([error.code, error.rank], ["ERR_TUNDISH_RANK_LOST", 1]);
  assert.match(error.message, /^PE 1 has left without the call that PE 0 waits in/);
});

ends("waitTimeout: who is waited for has not come", async () => {
  using host = await createWorld({ ...limits, pes: 2, waitTimeout: 100 });
  using pe = await join(host.ticket(0));
  const { name, message } = await failure(pe.gatherAsync(1));
  assert.is(name, "TimeoutError");
  assert.match(message, / PE 1 has not joined: no thread has used the ticket\. \[/);
});

ends("waitTimeout: who is not waited for need not have come", async () => {
  using host = await createWorld({ ...limits, pes: 3, waitTimeout: 100 });
  using pe = await join(host.ticket(0));
  using other = await join(host.ticket(1));
  const [group] = [pe, other].map((one) => one.group([0, 1]));
  const { name, message } = await failure(group?.barrierAsync() ?? Promise.resolve());
  assert.is(name, "TimeoutError");
  assert.match(message, /PE 1/);
  assert.not.match(message, /joined/);
});

ends("a PE whose ticket nobody has used is told of", async () => {
  using host = await createWorld({ ...limits, pes: 2 });
  using pe = await join(host.ticket(0));
  assert.match(host.diagnose().text, /PE 1: has not joined: no thread has used its ticket/);
  assert.equal(
    host.diagnose().pes.map(({ joined }) => joined),
    [true, false],
  );
  const other = await join(host.ticket(1));
  assert.not.match(host.diagnose().text, /joined/);
  other.leave();
  assert.is(pe.size, 2);
});

ends("calls that do not match, on the main thread", async () => {
  await using threads = new WorldThreads(1);
  using host = await createWorld({ ...limits, pes: 2 });
  const other = threads.play(host, "wait", 1);
  using pe = await join(host.ticket(0));
  const error = tell(await failure(pe.allgatherAsync(1)));
  assert.is(error.code, "ERR_TUNDISH_MISMATCH");
  assert.match(error.message, /^PE 0 called allgather of a number; PE 1 called barrier \(call number 1\)/);
  assert.equal((await other)[0].error, error);
});
ends.run();
