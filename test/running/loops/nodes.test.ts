/** Loops outside the PEs, of open worlds over nodes: two processes, of 1 and 2 PEs, make the same calls. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { eachMpi, type Kind, mpirun, runLine } from "../../machine/mpi/launchers.ts";
import { inTurn } from "../../nodes/some-of.ts";
import type { Facts } from "./node.program.ts";

const program = fileURLToPath(sibling("./node.program.js", import.meta.url));
const test = suite("loops of open worlds over nodes");

/** What both say, in the order of their nodes. */
async function said(kind: Kind, part: string): Promise<readonly [Facts, Facts]> {
  const folder = mkdtempSync(join(tmpdir(), "tundish-loops-"));
  try {
    const { code, text } = await runLine([...mpirun(kind, 2), process.execPath, program, part, folder]);
    // who has thrown without being asked ends the job
    assert.is(code, 0, text);
    const of = (node: number) => JSON.parse(readFileSync(join(folder, `${node}.json`), "utf8")) as Facts;
    return [of(0), of(1)];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const squares = Array.from({ length: 2000 }, (_, i) => i * i);
const sum = (of: readonly number[]): number => of.reduce((a, b) => a + b, 0);

eachMpi(
  test,
  "results, errors and ends early are those of all processes",
  async (kind) => {
    const both = await said(kind, "all");
    const [zero, one] = both;
    const all = sum(squares.slice(0, 1000));
    for (const [node, facts] of both.entries()) {
      // the ranks of the PEs of this process
      assert.equal(facts.turns, [`results: ${all}`, `results: ${node === 0 ? "[0]" : "[1,2]"}`, "results: 16"]);
      assert.equal(
        facts.sums,
        Array.from({ length: 5 }, () => all),
      );
      assert.ok(Math.abs((facts.bits as number) - 0.1 * ((2999 * 3000) / 2)) < 1e-6);
      assert.equal(facts.words, ["tin-0", "lead-1", "zinc-2"]);
      assert.equal(
        facts.parities,
        [10, 9, 8, 7, 6, 5].map((i) => ({ odd: i % 2 === 1 })),
      );
      assert.equal(facts.none, [[], 3]);
      assert.is(facts.isInto, true);
      assert.equal(facts.squares, [...squares.slice(0, 600), ...new Array<number>(100).fill(0)]);
      let before = 5;
      for (const [i, value] of (facts.scanned as number[]).entries()) {
        assert.is(value, before | 0, `place ${i}`);
        before += squares[i] as number;
      }
      // in the block of the last PE
      const [, begin, end] =
        /^RangeError: no 900 \{"rank":2,"begin":(\d+),"end":(\d+)\}$/.exec(facts.thrown as string) ?? [];
      assert.ok(666 <= Number(begin) && Number(begin) <= 900 && 900 < Number(end), facts.thrown);
      assert.match(facts.missing as string, /^ModuleError: .*expected an exported function squares/);
      assert.match(facts.aborted as string, /^AbortedError: forEach: the loop was aborted: /);
      assert.match(
        facts.late as string,
        node === 0
          ? /^TimeoutError: forEach: expected the loop to end within 60 ms/
          : /^AbortedError: forEach: the loop was aborted: .*node 0/,
      );
      assert.match(facts.early as string, node === 0 ? /^AbortedError: .*node 1/ : /^AbortedError: .*enough/);
      const [first, second, third] = facts.waiting as string[];
      assert.is(first, "results: undefined");
      assert.match(second as string, /^AbortedError: /);
      assert.is(third, "results: 30");
      assert.match(facts.lost as string, /^RankLostError: PE \d .*exit code 7/);
      assert.match(facts.after as string, /^WorldClosedError: The world has ended: .*exit code 7/);
    }
    assert.is(zero.bits, one.bits);
    // each iteration was run once, on one node or the other
    assert.equal(
      (zero.counts as number[]).map((count, i) => count + ((one.counts as number[])[i] as number)),
      Array.from({ length: 500 }, (_, i) => (i % 3 === 1 ? 2 : 1)),
    );
    assert.ok((zero.ran as number) < 1000, `${zero.ran} iterations after the abort of the other node`);
    assert.equal(zero.told, []);
    assert.equal(one.told?.at(-1), [300, 300]);
    assert.ok(one.told?.slice(0, -1).every(([done, total]) => done < 300 && total === 300));
  },
  inTurn(0, "outside"),
);

eachMpi(
  test,
  "a loop without a world; one that is refused at a process ends the world at all",
  async (kind) => {
    const [zero, one] = await said(kind, "apart");
    for (const { sums, after } of [zero, one]) {
      assert.equal(sums, [285]);
      assert.match(after as string, /^WorldClosedError: /);
    }
    assert.match(one.misuse as string, /^UsageError: forEach: expected a whole number of iterations/);
    assert.match(zero.misuse as string, /^(RankLost|WorldClosed)Error: .*Node 1 could not .*UsageError: forEach/);
  },
  inTurn(1, "outside"),
);

eachMpi(
  test,
  "another body at another process is a mismatch",
  async (kind) => {
    for (const { misuse } of await said(kind, "other")) {
      assert.match(misuse as string, /^MismatchError: PE \d called mapEach of 8 iterations \(steal, .*body/);
    }
  },
  inTurn(2, "outside"),
);

eachMpi(
  test,
  "a call that is refused at a process before there is a world",
  async (kind) => {
    const [zero, one] = await said(kind, "bare");
    assert.match(one.misuse as string, /^UsageError: reduceEach: expected a whole number of iterations/);
    assert.match(zero.misuse as string, /^RankLostError: Node 1 could not .*UsageError: reduceEach/);
  },
  inTurn(0, "outside"),
);

eachMpi(
  test,
  "another kind of scan at another process is a mismatch",
  async (kind) => {
    for (const { misuse } of await said(kind, "scan")) assert.match(misuse as string, /^MismatchError: .*scanEach sum/);
  },
  inTurn(1, "outside"),
);

eachMpi(
  test,
  "who stays in a body for too long ends the world, and all hear why",
  async (kind) => {
    const [zero, one] = await said(kind, "stuck");
    assert.match(zero.late as string, /^TimeoutError: forEach: expected the loop to end within 50 ms/);
    assert.match(one.late as string, /^AbortedError: .*forEach: expected the loop to end within 50 ms/);
  },
  inTurn(2, "outside"),
);

eachMpi(
  test,
  "an abort at one process while the body's module is being loaded ends the world, as the others go on loading",
  async (kind) => {
    const [zero, one] = await said(kind, "loading");
    for (const { late, took } of [zero, one]) {
      assert.match(late as string, /^(Aborted|RankLost|Timeout|WorldClosed)Error: /);
      // the limit of the world is 30 s
      assert.ok((took as number) < 25_000, `${took} ms`);
    }
  },
  inTurn(0, "outside"),
);

test.run();
