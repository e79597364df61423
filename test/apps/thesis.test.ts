/**
 * The programs after TRAM's thesis in apps/: verified on threads and on virtual PEs, with and without aggregation; that a wrong
 * result is noticed; their options; what is special about each. Over nodes: test/nodes/apps.test.ts.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Messages } from "../../apps/messages.ts";
import type { AppReport } from "../../apps/runner.ts";
import type { PE, Spmd } from "../../src/index.ts";
import type { SimulationOptions } from "../../src/running/simulate/options.ts";
import { simulateAsync } from "../../src/running/virtual/simulate-async.ts";
import { cli } from "../interface/cli/support/cli.ts";
import { LONG } from "../support/long.ts";
import { root } from "../support/paths.ts";
import { drawn } from "../support/sample.ts";
import { launchPooled } from "../support/thread-pool.ts";
import { THESIS } from "./support/thesis.ts";

type Name = (typeof THESIS)[number][0];

const file = (name: Name): string => join(root, "dist/apps", `${name}.js`);
const module = (name: Name): URL => pathToFileURL(file(name));

/** Runs one on threads, and gives what PE 0 returned. */
async function run(name: Name, pes: number, ...args: string[]): Promise<AppReport> {
  const options = { pes, args, waitTimeout: 60_000, heapBytes: name === "lean-md" ? 2 ** 24 : 2 ** 23 };
  const [report, ...others] = await launchPooled(module(name), options);
  assert.ok(others.every((other) => other === undefined));
  return report as AppReport;
}

/** Runs one on virtual PEs. */
async function virtual(name: Name, args: readonly string[], options: Partial<SimulationOptions> = {}) {
  const { default: program } = (await import(module(name).href)) as { default: Spmd };
  const settings = { pes: 16, nodes: 4, memoryBytes: 2 ** 28, ...options, args };
  const result = await simulateAsync(settings, program);
  return { ...result, report: result.results[0] as AppReport };
}

async function refused(what: Promise<unknown>): Promise<Error> {
  const error = await what.catch((error: unknown) => error);
  assert.instance(error, Error);
  return error as Error;
}

const ALL_PES = [1, 2, 4] as const;

for (const [name, words, fewer] of THESIS) {
  const test = suite(`app ${name}`);

  for (const pes of ALL_PES) {
    test(`${pes} PEs, aggregated and not: one result`, async () => {
      const on = await run(name, pes, ...words);
      assert.equal([on.app, on.pes, on.errors, on.aggregate], [name, pes, 0, "on"]);
      assert.ok(on.messages > 0 && on.seconds > 0 && on.messagesPerSecond > 0 && on.payloadBytes > on.messages);
      assert.ok(on.buffers < on.messages, `${on.buffers} buffers`);
      // all messages by themselves: in a plain run with one number of PEs, for LeanMD not with 4, which take their time
      if (!LONG && pes !== ALL_PES[drawn(name === "lean-md" ? 2 : 3, "off", name)]) return;
      const off = await run(name, pes, ...words, "--aggregate", "off");
      assert.is(off.buffers, off.messages);
      const { messages, payloadBytes, checksum, errors } = on;
      assert.equal({ ...off, messages, payloadBytes, checksum, errors }, off);
    });
  }

  test("a wrong result is noticed", async () => {
    const error = await refused(run(name, 2, ...words, "--spoil"));
    assert.match(error.message, new RegExp(`${name}: errors = [1-9]\\d*, of \\d+ messages, at 2 PEs`));
  });

  test("virtual PEs: the result of threads; the same run for a seed; another time for another", async () => {
    const { checksum } = await run(name, 2, ...words);
    const small = [...words, ...fewer];
    for (const aggregate of ["on", "off"]) {
      const two = await virtual(name, [...words, "--aggregate", aggregate], { pes: 2, nodes: 2 });
      assert.is(two.report.checksum, checksum);
      const many = await virtual(name, [...small, "--aggregate", aggregate], { pes: LONG ? 128 : 16 });
      assert.is(many.report.errors, 0);
    }
    const options = { pes: 8, nodes: 2, jitter: 2, seed: 3 };
    const first = await virtual(name, small, options);
    assert.equal(await virtual(name, small, options), first);
    assert.is.not((await virtual(name, small, { ...options, seed: 4 })).time, first.time);
  });

  test("several hops, groups, one buffer of each link", async () => {
    for (const way of [
      ["--hops", "2", "--group-size", "4"],
      ["--hops", "3", "--group-size", "2"],
      ["--buffers-per-link", "1", "--buffer-bytes", "128"],
      ["--mesh", "2x2x4"],
    ]) {
      assert.is((await virtual(name, [...words, ...fewer, ...way])).report.errors, 0, way.join(" "));
    }
  });

  test.run();
}

const test = suite("programs after TRAM's thesis");

test("messages are told apart: changed, doubled, lost, out of order, of another length", () => {
  const [from, to] = [0, 1].map((rank) => new Messages({ rank, size: 2 } as PE, 7, 50)) as [Messages, Messages];
  const text = Array.from({ length: 4 }, (_, index) => Uint8Array.from(from.make(1, index, 50)));
  const errorsOf = (...received: Uint8Array[]): number => {
    const receiver = new Messages({ rank: 1, size: 2 } as PE, 7, 50);
    for (const bytes of received) receiver.take(0, bytes, 50);
    return receiver.errors + receiver.missing([0], 4);
  };
  const [a, b, c, d] = text as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
  assert.is(errorsOf(a, b, c, d), 0);
  assert.is(errorsOf(a, c, b, d), 2);
  assert.is(errorsOf(a, b, b, c, d), 4);
  assert.is(errorsOf(a, b, d), 2);
  assert.is(errorsOf(a, b, c, d.with(49, (d[49] as number) ^ 1)), 1);
  assert.is(errorsOf(a, b, c, d.subarray(1)), 1);
  assert.is(errorsOf(a, b, c, Uint8Array.of(...d, 0)), 1);
  // another pair, another seed
  to.take(1, from.make(1, 0, 50), 50);
  assert.is(to.errors, 1);
});

test("stream: one to all", async () => {
  const one = await run("stream", 3, "--pattern", "one-to-all", "--messages", "50", "--bytes", "8");
  assert.equal([one.messages, one.payloadBytes], [100, 800]);
  const none = await run("stream", 2, "--messages", "0");
  assert.equal([none.messages, none.errors], [0, 0]);
});

test("a report has the options of conveyors that were given", async () => {
  const given = ["--mesh", "2,2,4", "--adapt", "--buffer-bytes", "4096", "--max-delay", "0.5"];
  const { report } = await virtual("stream", ["--messages", "3", ...given]);
  const { mesh, adapt, bufferBytes, maxDelay } = report;
  assert.equal(
    { mesh, adapt, bufferBytes, maxDelay },
    { mesh: [2, 2, 4], adapt: true, bufferBytes: 4096, maxDelay: 0.5 },
  );
  const plain = await virtual("stream", ["--messages", "3"]);
  assert.not("mesh" in plain.report || "adapt" in plain.report || "hops" in plain.report);
});

test("staggered stream: an acknowledgement for each window, and for the rest", async () => {
  const args = ["--messages", "25", "--window", "10", "--bytes", "6"];
  const { messages, payloadBytes } = await run("staggered-stream", 3, ...args);
  assert.equal([messages, payloadBytes], [6 * (25 + 3), 6 * (25 * 6 + 3 * 4)]);
  // nobody waits within a window: a larger one takes less virtual time
  const timeOf = async (window: string) =>
    (await virtual("staggered-stream", ["--messages", "30", "--window", window])).report.seconds;
  assert.ok((await timeOf("5")) > 2 * (await timeOf("30")));
});

test("synthetic: sizes and gaps of each distribution have their means", async () => {
  for (const word of ["constant", "uniform", "exponential", "bimodal"]) {
    const args = ["--messages", "100", "--bytes", "64", "--sizes", word, "--gap", "700", "--gaps", word];
    const { report } = await virtual("synthetic", args, { pes: 8, nodes: 1 });
    const { messages, payloadBytes, seconds } = report;
    const mean = payloadBytes / messages;
    assert.ok(word === "constant" ? mean === 64 : Math.abs(mean / 64 - 1) < 0.1, `${word}: ${mean} bytes`);
    const gap = (seconds * 1e9) / 700; // of each PE: 100 for each of 7 others
    assert.ok(Math.abs(gap / 700 - 1) < 0.25, `${word}: ${gap} ns`);
  }
});

test("RandomAccess: one result on any number of PEs, also with a limited look-ahead", async () => {
  const args = ["--log2-table", "9"];
  const { checksum, messages } = await run("random-access", 1, ...args);
  assert.is(messages, 4 * 512);
  for (const pes of [2, 3]) {
    const report = await run("random-access", pes, ...args, "--look-ahead", "30");
    assert.is(report.checksum, checksum);
    // a PE has a buffer of this many updates for each
    assert.ok(report.buffers >= messages / Math.floor(30 / pes), `${report.buffers} buffers`);
  }
  const error = await refused(run("random-access", 2, "--look-ahead", "1"));
  assert.match(error.message, /--look-ahead: expected 0, or at least 2, one for each buffer of a PE, got 1/);
  for (const mesh of ["2x2", "4", "1x4"]) {
    const report = await run("random-access", 4, ...args, "--look-ahead", "30", "--mesh", mesh);
    assert.equal([report.errors, report.updates], [0, 4], mesh);
  }
  for (const [clash, ...given] of [
    ["--hops", "2"],
    ["--buffer-bytes", "64"],
  ] as const) {
    const refusal = await refused(run("random-access", 4, "--look-ahead", "30", clash, ...given));
    assert.match(refusal.message, new RegExp(`--look-ahead: decides .* so ${clash} cannot be beside it; leave`));
  }
});

test("LeanMD: atoms change their cells, and all is as without cells, bit by bit, on any number of PEs", async () => {
  const args = ["--per-dim", "3", "--steps", "24", "--migrate", "2", "--dt", "1", "--reference", "on"];
  args.push("--tolerance", "1");
  const { report } = await virtual("lean-md", args);
  const { checksum, atoms, moved, errors } = report;
  assert.equal([atoms, errors], [729, 0]);
  assert.ok((moved as number) > 0);
  const three = await run("lean-md", 3, ...args);
  assert.equal([three.checksum, three.moved], [checksum, moved]);
});

test("LeanMD: a step that is too long is noticed by the energy, a migration that is too rare before it harms", async () => {
  const args = ["--per-dim", "3", "--steps", "6", "--reference", "off"];
  const energy = await refused(virtual("lean-md", [...args, "--dt", "1"]));
  assert.match(energy.message, /lean-md: errors = 1, of/);
  const far = await refused(virtual("lean-md", [...args, "--dt", "4", "--migrate", "6"]));
  assert.match(
    far.message,
    /lean-md: an atom may go 2 Å from the cell that it was sent to, and one may have gone \d+\.\d\d\. Use a smaller/,
  );
});

test("options that cannot be", async () => {
  for (const [args, message] of [
    [["--mesages", "5"], /Unknown option '--mesages'[\s\S]*--pattern, --messages, .*--buffers-per-link, .*--spoil/],
    [["--pattern", "all"], /--pattern: expected all-to-all or one-to-all, got all/],
    [["--aggregate", "yes"], /--aggregate: expected on or off, got yes/],
    [["--bytes", "1"], /--bytes: expected a whole number from 2 to 1048576, got 1/],
    [
      ["--aggregate", "off", "--type", "simple"],
      /--aggregate off: sends every message by itself, in one hop, so --type has .*leave one of them out/,
    ],
    [["--aggregate", "off", "--buffer-bytes", "64"], /--aggregate off: sends every message by itself/],
    [["--aggregate", "off", "--adapt"], /--aggregate off: .* so --adapt has nothing to decide; leave/],
    [["--aggregate", "off", "--max-delay", "1"], /--aggregate off: .* so --max-delay has nothing to decide/],
    [["--aggregate", "off", "--mesh", "2x2"], /--aggregate off: .* so --mesh has nothing to decide/],
    [["--threshold", "0"], /--threshold: expected a number above 0 to 1, got 0/],
    [["--messages", "20K"], /--messages: expected a whole number from 0 to \d+, got 20K/],
    [["--messages", "1__0"], /--messages: expected a whole number from 0 to \d+, got 1__0/],
    [["--mesh", "3x0"], /--mesh: expected sizes from 1 on, such as 3x5x7, got 3x0/],
    [["--mesh", `2${"x1".repeat(20)}`], /mesh: expected an array of one to 20 whole numbers/],
    [["--mesh", "2", "--hops", "1"], /mesh: expected no hops beside it/],
    [["--type", "trivial"], /type: an elastic conveyor is "tensor" or "simple", got "trivial"/],
  ] as const) {
    assert.match((await refused(run("stream", 1, ...args))).message, message);
  }
  assert.match(
    (await refused(run("synthetic", 1, "--gap", "-1"))).message,
    /--gap: expected a number from 0 to 1000000000, got -1|argument is ambiguous/,
  );
  const words = await refused(virtual("stream", { messages: 5 } as never));
  assert.match(words.message, /args: expected a list of words such as \["--seed", "2"\], got \{"messages":5\}/);
});

test("tundish run: one line, or one document; a wrong result is exit code 1; tundish simulate takes the words as JSON", async () => {
  const words = ["--messages", "30", "--bytes", "20"];
  const { code, stdout, stderr } = await cli(["run", file("stream"), "-n", "2", "--", ...words]);
  assert.is(code, 0, stderr);
  assert.match(stdout, /^0: \{ app: 'stream', pes: 2, pattern: 'all-to-all', messages: 60, .*errors: 0 \}\n$/);
  const json = await cli(["run", file("stream"), "-n", "2", "--json", "--", ...words, "--spoil"]);
  assert.is(json.code, 1);
  const simulated = await cli(["simulate", file("stream"), "-n", "4", "--json", "--args", JSON.stringify(words)]);
  assert.is(simulated.code, 0, simulated.stderr);
  const [report] = (JSON.parse(simulated.stdout) as { results: AppReport[] }).results;
  assert.equal([report?.app, report?.pes, report?.messages], ["stream", 4, 360]);
});

test.run();
