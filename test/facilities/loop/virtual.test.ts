/**
 * Loops on virtual PEs, on one node and over several: every index exactly once, whatever the order of events; bodies
 * throw, loops are aborted, PEs are lost.
 */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { AbortedError, MismatchError, type PE, RankLostError, TimeoutError, UsageError } from "../../../src/index.ts";
import {
  explainLoop,
  forEachAsync,
  forRangeAsync,
  mapEachAsync,
  reduceEachAsync,
  scanEachAsync,
  tasks,
} from "../../../src/loop.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";
import { LONG, rounds } from "../../support/long.ts";
import { SEED } from "../../support/sample.ts";
import { check, pick, playOf, rangeOf, type Seen } from "./support/plays.ts";

const test = suite("loops on virtual PEs");
const LOOPS = 4;

/** Nodes and PEs of a seed. */
interface Size {
  readonly pes: number;
  readonly nodes: number;
}

const onOneNode = (seed: number): Size => ({ pes: 1 + pick(6, seed, 20), nodes: 1 });

function overNodes(seed: number): Size {
  const nodes = 2 + pick(3, seed, 28);
  return { pes: nodes * (1 + pick(3, seed, 29)), nodes };
}

/** Some loops of a seed, in the world and in groups of it, which over nodes have other numbers of PEs on each. */
async function playSeed(seed: number, { pes, nodes }: Size): Promise<number> {
  const seen = Array.from({ length: LOOPS }, () => new Map<number, Seen>());
  const stalls = Array.from({ length: pick(3, seed, 21) }, (_, i) => ({
    ...{ pe: pick(pes, seed, 22, i), at: pick(5000, seed, 23, i), kind: "stall" as const },
    lasting: pick(20_000, seed, 24, i),
  }));
  await simulateAsync({ pes, nodes, seed, jitter: pick(4, seed, 25), faults: stalls }, async (pe) => {
    for (let k = 0; k < LOOPS; k++) {
      // of two halves, each plays the loop among themselves
      const isSplit = pes > 1 && pick(3, seed, k, 26) === 0;
      const group = isSplit ? await pe.splitAsync(pe.rank % 2) : pe;
      assert.ok(group !== null);
      const play = playOf(seed, k, group.size);
      await pe.work(pick(2000, seed, k, 27, pe.rank));
      const ran: number[] = [];
      let ended = "";
      try {
        const body = (index: number) => {
          const i = (index - play.begin) / play.step;
          if (i === play.throwsAt) throw new RangeError(`at ${i}`);
          ran.push(i);
        };
        await forEachAsync(group, rangeOf(play), body, play.options);
      } catch (error) {
        assert.instance(error, RangeError);
        ended = (error as Error).message;
      }
      seen[k]?.set(pe.rank, { ran, ended });
      if (isSplit) group.leave();
    }
  });
  for (let k = 0; k < LOOPS; k++) {
    const isSplit = pes > 1 && pick(3, seed, k, 26) === 0;
    const groups = isSplit ? [0, 1] : [0];
    for (const one of groups) {
      const ranks = [...(seen[k] as Map<number, Seen>).keys()].filter((rank) => !isSplit || rank % 2 === one);
      const all = ranks.map((rank) => seen[k]?.get(rank) as Seen);
      check(playOf(seed, k, all.length), all, `seed ${seed}, loop ${k}, PEs ${ranks}`);
    }
  }
  return LOOPS;
}

// in the long run 10^5, else pieces of 10^4 that CI plays in turn
for (const [where, sizeOf, plain, long] of [
  ["on one node", onOneNode, 200, 100_000],
  ["over nodes", overNodes, 100, 10_000],
] as const) {
  const count = rounds(plain, long);
  test(`${count} seeds ${where}`, async () => {
    const begin = (SEED * 1000) % 2 ** 30;
    for (let i = 0; i < count; i++) await playSeed(begin + i, sizeOf(begin + i));
  });

  const lost = rounds(plain * 0.4, long / 10);
  test(`${lost} seeds ${where} with lost PEs: nothing hangs, and no index is run twice`, async () => {
    let losses = 0;
    for (let i = 0; i < lost; i++) {
      const seed = (SEED * 1000 + i) % 2 ** 30;
      const { pes, nodes } = sizeOf === onOneNode ? { pes: 2 + pick(4, seed, 30), nodes: 1 } : sizeOf(seed);
      if (await loses(seed, { pes, nodes })) losses++;
    }
    assert.ok(losses > lost / 20, `${losses}`);
  });
}

/** @returns whether a PE was told of one that was lost */
async function loses(seed: number, { pes, nodes }: Size): Promise<boolean> {
  const crash = { pe: pick(pes, seed, 31), at: pick(6000 * nodes, seed, 32), kind: "crash" as const };
  const ran = new Map<string, number>();
  const ends = new Array<string>(pes).fill("lost");
  const program = async (pe: PE) => {
    try {
      for (let k = 0; k < LOOPS; k++) {
        const play = playOf(seed, k, pes, false);
        await forEachAsync(
          pe,
          play.count,
          (index) => void ran.set(`${k} ${index}`, (ran.get(`${k} ${index}`) ?? 0) + 1),
          play.options,
        );
      }
      ends[pe.rank] = "all";
    } catch (error) {
      assert.instance(error, RankLostError);
      ends[pe.rank] = "told";
    }
  };
  await simulateAsync({ pes, nodes, seed, jitter: 2, faults: [crash], onLoss: "continue" }, program).catch((error) => {
    assert.instance(error, RankLostError, `seed ${seed}: ${(error as Error).stack}`);
  });
  for (const [index, times] of ran) assert.is(times, 1, `seed ${seed}: ${index}`);
  // a PE that was not lost has ended all loops, or was told
  assert.ok(ends.filter((end) => end === "lost").length <= 1, `seed ${seed}: ${ends}`);
  return ends.includes("told");
}

test("an abort at one PE ends the loop at all, and the group goes on", async () => {
  for (let seed = 0; seed < (LONG ? 1000 : 20); seed++) {
    const { pes, nodes } = seed % 2 === 0 ? { pes: 1 + pick(5, seed, 40), nodes: 1 } : overNodes(seed);
    const { results } = await simulateAsync({ pes, nodes, seed, jitter: 2 }, async (pe) => {
      const controller = new AbortController();
      let told = "";
      let ran = 0;
      const body = () => {
        if (pe.rank === 0 && ++ran === 5) controller.abort("enough");
      };
      const schedule = (["dynamic", "steal", "guided"] as const)[pick(3, seed, 41)] as "dynamic";
      try {
        await forEachAsync(pe, 10_000, body, {
          schedule,
          chunk: 1,
          signal: pe.rank === 0 ? controller.signal : undefined,
        });
      } catch (error) {
        assert.instance(error, AbortedError);
        told = (error as Error).message;
      }
      return [told, await reduceEachAsync(pe, 10, (i) => i, "sum")];
    });
    for (const [told, sum] of results as [string, number][]) {
      assert.match(told, /the loop was aborted: "?enough/, `seed ${seed}`);
      assert.is(sum, 45);
    }
    assert.is(new Set((results as [string, number][]).map(([told]) => told)).size, 1, `seed ${seed}`);
  }
});

for (const nodes of [1, 3]) {
  test(`a timeout at one of 3 PEs on ${nodes} ends the loop at all`, async () => {
    const { results } = await simulateAsync({ pes: 3, nodes, seed: 1 }, async (pe) => {
      try {
        const limits = pe.rank === 1 ? { timeout: 0.01 } : {};
        await forEachAsync(pe, 100_000, () => {}, { schedule: "dynamic", ...limits });
      } catch (error) {
        assert.instance(error, TimeoutError);
        return (error as Error).message;
      }
      return "";
    });
    assert.match(
      (results as string[])[0] as string,
      /expected the loop to end within 0.01 ms; \d+ of 100000 iterations are over/,
    );
    assert.is(new Set(results).size, 1);
  });
}

test("over nodes: one that is done takes pieces of what another has left, under every schedule but static", async () => {
  for (const schedule of ["dynamic", "guided", "steal", "auto", "static"] as const) {
    const { results } = await simulateAsync({ pes: 4, nodes: 2, seed: 3, jitter: 1 }, async (pe) => {
      const progress: number[] = [];
      let ran = 0;
      let others = 0;
      // those of the first node come late
      if (pe.rank < 2) await pe.work(200_000);
      const body = (i: number) => {
        ran++;
        if (i < 2000 !== pe.rank < 2) others++;
      };
      const onProgress = (done: number, total: number) => void progress.push(done, total);
      await forEachAsync(pe, 4000, body, { schedule, ...(pe.rank === 3 ? { onProgress } : {}) });
      return [ran, others, progress.slice(-2), explainLoop(pe)];
    });
    const all = results as [number, number, number[], string][];
    assert.is(
      all.reduce((sum, [ran]) => sum + ran, 0),
      4000,
    );
    const moved = all.reduce((sum, [, others]) => sum + others, 0);
    assert.is(moved > 100, schedule !== "static", `${schedule}: ${moved}`);
    assert.equal(all[3]?.[2], [4000, 4000]);
    assert.match(all[3]?.[3] as string, /2000 of them at first on this node; this PE has got \d+ pieces from others/);
  }
});

test("over nodes: loops that do not wait, other loops at other nodes, tasks", async () => {
  const { results } = await simulateAsync({ pes: 6, nodes: 3, seed: 4, jitter: 3 }, async (pe) => {
    const ran: number[] = [];
    for (let k = 0; k < 50; k++) {
      await pe.work(pick(500, k, pe.rank));
      await forEachAsync(pe, 40, (i) => void ran.push(40 * k + i), {
        wait: false,
        schedule: k % 2 ? "dynamic" : "steal",
      });
    }
    const last = await forEachAsync(
      pe,
      3,
      () => {
        throw new RangeError("unheard");
      },
      { wait: false },
    ).then(
      () => "none",
      (error: Error) => error.message,
    );
    const later = await forEachAsync(pe, 3, () => {}).then(
      () => "none",
      (error: Error) => error.message,
    );
    assert.throws(
      () => tasks(pe, { one() {} }),
      (error: unknown) => error instanceof UsageError && /one node/.test(error.message),
    );
    return [ran, last, later];
  });
  const all = results as [number[], string, string][];
  const ran = all.flatMap(([own]) => own);
  assert.is(ran.length, 2000);
  assert.is(new Set(ran).size, 2000);
  // at all PEs alike, and once
  for (const [, last, later] of all) assert.equal([last, later], ["none", "unheard"]);
  const unseen = simulateAsync({ pes: 3, seed: 5 }, (pe) => {
    const body = (i: number) => {
      if (i === 2) throw new RangeError("at 2");
    };
    return forEachAsync(pe, 3, body, { wait: false });
  });
  await unseen.then(
    () => assert.unreachable(),
    (error) => {
      assert.instance(error, RankLostError);
      assert.match((error as Error).message, /a loop that does not wait.*nobody has seen yet: RangeError: at 2/);
    },
  );
  const other = simulateAsync({ pes: 2, nodes: 2 }, (pe) => forEachAsync(pe, 10 + pe.rank, () => {}));
  await other.then(
    () => assert.unreachable(),
    (error) => {
      assert.instance(error, MismatchError);
      assert.match((error as Error).message, /forEach of 1[01] iterations/);
    },
  );
});

test("results: reductions, maps and scans are those of a plain loop, reproducible ones bit by bit", async () => {
  const terms = (i: number) => Math.sin(i * 1e3) / (1 + i);
  const texts = new Set<string>();
  for (let seed = 0; seed < rounds(60, 2000); seed++) {
    const { pes, nodes } = seed % 2 === 0 ? { pes: 1 + pick(7, seed, 50), nodes: 1 } : overNodes(seed);
    const schedule = (["static", "dynamic", "guided", "steal", "auto"] as const)[pick(5, seed, 51)];
    const chunk = pick(2, seed, 52) === 0 ? undefined : 1 + pick(50, seed, 53);
    const n = 3000;
    const { results } = await simulateAsync({ pes, nodes, seed, jitter: 3 }, async (pe) => {
      const options = { schedule, chunk };
      const sum = await reduceEachAsync(pe, n, terms, "sum", { ...options, reproducible: true, initial: 0.1 });
      const least = await reduceEachAsync(pe, n, terms, (a, b) => Math.min(a, b), options);
      const most = schedule === "guided" ? n : (chunk ?? n);
      const lengthOf = (begin: number, end: number) => {
        assert.ok(end - begin <= most, `seed ${seed}: ${begin} to ${end}`);
        return end - begin;
      };
      const lengths = await forRangeAsync(pe, n, lengthOf, { ...options, reduce: "sum" });
      const squares = await mapEachAsync(pe, [3, 1, 4, 1, 5], (x, i) => ({ x: x * x, i }), options);
      const into = await pe.allocSharedAsync(Float64Array, n);
      const roots = [...(await mapEachAsync(pe, n, (i) => Math.sqrt(i), { ...options, into }))];
      await pe.barrierAsync();
      const scan = [...(await scanEachAsync(pe, n, terms, "sum", { ...options, into }))];
      const before = [
        ...(await scanEachAsync(
          pe,
          5,
          (i) => i + 1,
          (a, b) => a + b,
          { into, exclusive: true, initial: 7 },
        )),
      ];
      return JSON.stringify([sum, least, lengths, squares, scan, before.slice(0, 5), roots]);
    });
    for (const text of results as string[]) texts.add(text);
  }
  assert.is(texts.size, 1);
  const [sum, least, lengths, squares, scan, before, roots] = JSON.parse([...texts][0] as string);
  const all = Array.from({ length: 3000 }, (_, i) => terms(i));
  assert.ok(Math.abs(sum - 0.1 - all.reduce((a, b) => a + b, 0)) < 1e-12);
  assert.is(least, Math.min(...all));
  assert.is(lengths, 3000);
  assert.equal(
    squares,
    [3, 1, 4, 1, 5].map((x, i) => ({ x: x * x, i })),
  );
  let running = 0;
  for (const [i, term] of all.entries()) {
    running += term;
    assert.ok(Math.abs(scan[i] - running) < 1e-12);
  }
  assert.equal(before, [7, 8, 10, 13, 17]);
  assert.ok((roots as number[]).every((root, i) => root === Math.sqrt(i)));
});

test.run();
