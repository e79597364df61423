/** Containers beside serial ones: on threads, in jobs of MPI and on virtual PEs; and what goes wrong in them. */
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { open } from "../../../src/index.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";
import { eachMpi, type Kind } from "../../machine/mpi/launchers.ts";
import { job } from "../../nodes/jobs.ts";
import { inTurn } from "../../nodes/some-of.ts";
import { rounds } from "../../support/long.ts";
import { drawn, SEED } from "../../support/sample.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import program, { type Args, type Part, type Told } from "./containers.program.ts";
import { CONTENTS } from "./support/keys.ts";
import { type Case, type Entries, inOrder, serial } from "./support/operations.ts";

const file = sibling("./containers.program.js", import.meta.url);
const play = (pes: number, args: Args | readonly Args[]) => launchPooled(file, { pes, args, waitTimeout: 30_000 });

const test = suite("containers");

/** What all PEs have together is what the serial program has, each key at one PE. */
function check(one: Case, told: readonly Told[]): void {
  const expected = serial(one, told.length);
  const all = (name: keyof Entries) => inOrder(told.flatMap((part) => part[name] as readonly unknown[]));
  for (const name of ["counts", "ordered", "seen", "marks"] as const) {
    assert.equal(all(name), expected[name], `${name} of ${JSON.stringify(one)}, ${told.length} PEs`);
  }
  assert.equal(
    told.flatMap(({ wrong }) => wrong),
    [],
  );
}

const anyArgs: fc.Arbitrary<Args & Case> = fc.record({
  part: fc.constant("random" as const),
  content: fc.constantFrom(...CONTENTS),
  seed: fc.nat(),
  count: fc.nat(200),
  options: fc.record({
    bufferBytes: fc.constantFrom(64, 256, 4096),
    combine: fc.constantFrom(0, 1, 8, 4096),
    hops: fc.constantFrom(1, 2),
  }),
});

const lists = (count: number, seed: number): (Args & Case)[] => fc.sample(anyArgs, { numRuns: count, seed });

for (const pes of [1, 2, 3, 8]) {
  test(`random operations by ${pes} threads`, async () => {
    const world = await open({ pes, heapBytes: 2 ** 24, waitTimeout: 60_000 });
    try {
      const anyBlocking = fc.tuple(anyArgs, fc.boolean()).map(([args, blocks]) => ({ ...args, blocks }));
      await fc.assert(
        fc.asyncProperty(anyBlocking, async (args) => {
          check(args, (await world.run(file, { args })) as Told[]);
        }),
        { seed: SEED, numRuns: rounds(pes === 8 ? 2 : 4, 500) },
      );
    } finally {
      await world.close();
    }
  });
}

test("on 256 virtual PEs, one of which stalls", async () => {
  for (let run = 0; run < rounds(1, 30); run++) {
    const [one] = lists(1, SEED + run) as [Args & Case];
    const args: Args & Case = {
      ...one,
      count: Math.min(one.count, 20),
      options: { bufferBytes: 256, combine: 8 },
    };
    const faults = [{ pe: drawn(256, "stalls", run), at: 3000, kind: "stall" as const, lasting: 200_000 }];
    const { results } = await simulateAsync(
      { pes: 256, nodes: 8, seed: 1 + run, jitter: 2, memoryBytes: 2 ** 28, faults, args },
      program,
    );
    check(args, results as unknown as Told[]);
  }
});

test("on a few virtual PEs, in many orders of events", async () => {
  for (const [run, args] of lists(rounds(4, 300), SEED).entries()) {
    const pes = 1 + (run % 7);
    const { results } = await simulateAsync(
      { pes, seed: run, jitter: 5, memoryBytes: 2 ** 26, args: { ...args, late: 500 * run } },
      program,
    );
    check(args, results as unknown as Told[]);
  }
});

test("collective calls give the same for any number of PEs, at all of them", async () => {
  const steps = CONTENTS.map((content): Args => ({ part: "queries", content }));
  const [first, ...others] = (await Promise.all([1, 3].map((pes) => play(pes, steps)))) as unknown[][][];
  const [expected] = first as unknown[][];
  for (const results of others) for (const result of results) assert.equal(result, expected);
  for (const { wrong } of expected as { wrong: string[] }[]) assert.equal(wrong, []);
  const { results } = await simulateAsync({ pes: 5, nodes: 5, memoryBytes: 2 ** 26, args: steps }, program);
  for (const result of results) assert.equal(result, expected);
  const [texts] = expected as { top: string[]; size: number; none: unknown[] }[];
  assert.is(texts?.top.length, 7);
  assert.equal(texts?.none, []);
  // equal counts are in the order of the keys
  assert.equal(
    texts?.top.map((one) => one.slice(-1)),
    ["4", "4", "4", "4", "4", "4", "4"],
  );
});

const AWAITED: readonly (readonly [Args, unknown])[] = [
  [{ part: "values" }, []],
  [{ part: "sessions" }, [10, true, true, true]],
];

test("values, arguments and sessions", async () => {
  const args = AWAITED.map(([one]) => one);
  const expected = AWAITED.map(([, one]) => one);
  for (const pes of [1, 3]) assert.equal(await play(pes, args), new Array(pes).fill(expected));
  const { results } = await simulateAsync({ pes: 4, nodes: 2, memoryBytes: 2 ** 26, args }, program);
  assert.equal(results, new Array(4).fill(expected));
});

test("a key that comes often is sent once by each PE but its owner, unless that is off", async () => {
  assert.equal(await play(1, { part: "combined" }), [[0, 0, 0]]);
  assert.equal(await play(3, { part: "combined" }), new Array(3).fill([2, 2, 2000]));
});

test("whole numbers are sent in batches, unless that is off", async () => {
  for (const blocks of [true, false]) {
    for (const [right, pushes, small, many, off, all] of (await play(3, {
      part: "gathered",
      blocks,
    })) as [boolean, number, boolean, number, boolean, number][]) {
      assert.equal([right, small, off], [true, true, true]);
      // each PE is the owner of about a third; keys that are combined first are sent by themselves if they have come twice
      assert.ok(pushes < 300 && many < 1200 && all > 38_000, `${pushes}, ${many}, ${all}`);
    }
  }
});

test("a source that works for long does not count as one that waits", async () => {
  assert.equal(await launchPooled(file, { pes: 1, args: { part: "working" }, waitTimeout: 200 }), [true]);
});

/** With MPICH the nodes send by MPI, with Open MPI through memory. */
const overNodes = async (kind: Kind): Promise<void> => {
  const cases = lists(3, SEED).map((one) => ({ ...one, options: { bufferBytes: 4096, combine: 8 } }));
  const args: Args[] = [...cases, ...AWAITED.map(([one]) => one)];
  const { code, said, text } = await job(kind, { program: file.href, pes: [2, 2], args });
  assert.is(code, 0, text);
  const told = said.flatMap(({ results }) => results as unknown[][]);
  assert.is(told.length, 4, text);
  for (const [i, one] of cases.entries()) {
    check(
      one,
      told.map((results) => results[i] as Told),
    );
  }
  const others = AWAITED.map(([, expected]) => expected);
  for (const results of told) assert.equal(results.slice(cases.length), others);
};
eachMpi(test, "2 + 2 PEs over nodes", overNodes, inTurn(1, "containers"));

test("what cannot be is refused, and the session goes on", async () => {
  const told = (await play(2, { part: "refused" })) as string[][];
  const expected = [
    /^ERR_TUNDISH_USAGE containers: expected containers by name, .* got \{\}/,
    /^ERR_TUNDISH_USAGE containers: counts: expected a container .* got 5/,
    /^ERR_TUNDISH_USAGE containers: a container cannot be called run/,
    /^ERR_TUNDISH_USAGE countingMap: key: expected an item type .* got "text"/,
    /^ERR_TUNDISH_USAGE map: value: expected an item type .* got undefined/,
    /^ERR_TUNDISH_USAGE map: add: expected \{ args, run\(entry, …\) .* got 5/,
    /^ERR_TUNDISH_USAGE map: add: expected .* a function that does not await/,
    /^ERR_TUNDISH_USAGE map: add: args: expected an item type .* got 5/,
    /^ERR_TUNDISH_USAGE combine: expected a whole number from 0 to 16777216, got -1/,
    /^ERR_TUNDISH_USAGE containers: ends: "quiescence" needs the votes .* type: "tensor"/,
    /^ERR_TUNDISH_USAGE containers: unknown option 'combin'; did you mean 'combine'\?/,
    /^ERR_TUNDISH_STATE counts.insert: there is no session; call it inside run/,
    /^ERR_TUNDISH_STATE words.insert: there is no session; call it inside run/,
    /^ERR_TUNDISH_STATE stock.visit: add: there is no session; call it inside run/,
    /^ERR_TUNDISH_USAGE counts.insert: expected a whole number from 0 to 4294967295 \(u32\) as the key, got "tin"/,
    /^ERR_TUNDISH_USAGE counts.insert: expected a whole number .* got -1/,
    /^ERR_TUNDISH_USAGE counts.insert: expected a whole number .* got 0.5/,
    /^ERR_TUNDISH_USAGE counts.insert: expected a whole number >= 1 as the count, got 0/,
    /^ERR_TUNDISH_USAGE words.insert: expected a string as the key, got 7/,
    /^ERR_TUNDISH_USAGE big.insert: expected \{ a: f64 \}, got \{ b: 1 \}/,
    /^ERR_TUNDISH_USAGE any.insert: expected undefined, null, a boolean, .* got Map/,
    /^ERR_TUNDISH_USAGE any.insert: expected undefined, null, a boolean, .* got /,
    /^ERR_TUNDISH_USAGE any.insert: expected a key that is nested at most 64 deep/,
    /^ERR_TUNDISH_USAGE stock.insert: expected f64, got "x"/,
    /^ERR_TUNDISH_USAGE stock.visit: unknown visitor 'ad'; did you mean 'add'\?/,
    /^ERR_TUNDISH_USAGE stock.visit: add: expected f64, got "x"/,
    /^ERR_TUNDISH_USAGE stock.visit: add: expected f64, got nothing/,
    /^ERR_TUNDISH_USAGE things.insert: expected a value that v8.serialize clones/,
    /^ERR_TUNDISH_STATE counts.size: these containers are in a session; call it after the session/,
    /^ERR_TUNDISH_STATE clear: these containers are in a session/,
    /^ERR_TUNDISH_STATE free: these containers are in a session/,
    /^ERR_TUNDISH_STATE run: these containers are in a session/,
    // of the visitor, where it runs
    /^ERR_TUNDISH_USAGE stock.visit: add: entry.value: expected f64, got "x"/,
    /^ERR_TUNDISH_STATE run: these containers are in a session/,
    /^ERR_TUNDISH_USAGE run: expected a function that does not await, got 5/,
    /^ERR_TUNDISH_USAGE run: expected a function that does not await, got .* runAsync/,
    /^ERR_TUNDISH_USAGE timeout: expected a number of milliseconds > 0, got 0/,
    /^ERR_TUNDISH_USAGE counts.topK: expected a whole number >= 0, got -1/,
    /^ERR_TUNDISH_USAGE counts.getAll: expected keys .* got 5/,
    /^ERR_TUNDISH_USAGE counts.owner: expected a whole number .* got "x"/,
    /^ERR_TUNDISH_USAGE entry: expected to be used inside its visitor/,
    /^ERR_TUNDISH_STATE run: these containers were freed; make others/,
  ];
  const ofVisitor = [32, 33, 40];
  for (const messages of told) {
    const ran = messages.length === expected.length;
    const patterns = ran ? expected : expected.filter((_, i) => !ofVisitor.includes(i));
    assert.is(messages.length, patterns.length, messages.join("\n"));
    for (const [i, pattern] of patterns.entries()) assert.match(messages[i] ?? "", pattern);
  }
  assert.equal(
    told.map(({ length }) => length).sort((a, b) => a - b),
    [expected.length - ofVisitor.length, expected.length],
  );
});

const endings: readonly [part: Part, ending: RegExp][] = [
  ["throwing", /^ERR_TUNDISH_RANK_LOST PE 0 threw TypeError: fifty/],
  ["throwingSource", /^ERR_TUNDISH_RANK_LOST PE 1 threw TypeError: no source/],
  ["promised", /^ERR_TUNDISH_RANK_LOST PE \d threw UsageError: ring.visit: go returned a promise/],
  ["differ", /^ERR_TUNDISH_MISMATCH .*containers go: countingMap\(u32\), (other: set|ring: map)/],
  ["endless", /^ERR_TUNDISH_TIMEOUT .* 300 ms/],
  ["aborted", /^ERR_TUNDISH_ABORTED PE 0 aborted .*enough/],
  ["keeping", /^ERR_TUNDISH_TIMEOUT .* 300 ms/],
  ["leaving", /^ERR_TUNDISH_RANK_LOST PE 1's thread ended with exit code 7/],
];

for (const [part, ending] of endings) {
  test(`ends everywhere: ${part}`, async () => {
    let text = "nothing";
    try {
      await play(2, { part });
    } catch (error) {
      const { code, message } = error as { code: string; message: string };
      text = `${code} ${message}`;
    }
    assert.match(text, ending, text);
  });
}

test("a source that sends nothing takes turns, so that others find room", async () => {
  assert.equal(await play(2, { part: "kept" }), new Array(2).fill([800, 800, 800, 800, 800, 800]));
});

test("an operation after the source has returned, of no visitor, is refused", async () => {
  assert.equal(await play(2, { part: "late" }), ["ERR_TUNDISH_STATE", "ERR_TUNDISH_STATE"]);
});

test("a call that blocks is refused on virtual PEs", async () => {
  for (const [part, pattern] of [
    ["throwing", /^run: expected a call that does not block.*await runAsync\(\)/],
  ] as const) {
    try {
      await simulateAsync({ pes: 2, memoryBytes: 2 ** 26, args: { part } as Args }, program);
      assert.unreachable();
    } catch (error) {
      assert.match(String((error as { cause?: Error }).cause?.message), pattern);
    }
  }
});

test.run();
