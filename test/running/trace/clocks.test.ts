/** Nodes whose wall clocks differ: what is measured between two PEs goes by a clock that both have, or is not told. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { eachMpi, type Kind } from "../../machine/mpi/launchers.ts";
import { job } from "../../nodes/jobs.ts";
import { inTurn } from "../../nodes/some-of.ts";

const program = sibling("./observed.program.js", import.meta.url).href;
const otherClock = sibling("./other-clock.program.js", import.meta.url).href;
const MINUTE = 60_000;
const PES = [2, 1];
const SIZE = 3;
const nodeOf = (rank: number): number => (rank < (PES[0] as number) ? 0 : 1);

const folder = mkdtempSync(join(tmpdir(), "tundish-clocks-"));
const clocks = suite("clocks of nodes");
clocks.after(() => rmSync(folder, { recursive: true }));

/** By PE: by sender: the shortest and the longest latency, ms. */
async function latencies(kind: Kind, order: object, env: NodeJS.ProcessEnv): Promise<[number, number][][]> {
  const { code, said, text } = await job(
    kind,
    { program, pes: PES, args: null, ...order },
    { ...env, NODE_OPTIONS: `--import ${otherClock}` },
  );
  assert.is(code, 0, text);
  const all = said.flatMap(({ results }) => results as [number, number][][]);
  assert.is(all.length, SIZE);
  return all;
}

interface Entry {
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly name: string;
  readonly ts: number;
  readonly id?: string;
  readonly args?: { readonly latency?: number };
}

const entriesOf = (file: string): Entry[] =>
  (JSON.parse(readFileSync(join(folder, file), "utf8")) as { traceEvents: Entry[] }).traceEvents;

for (const [way, byMpi, kinds] of [
  ["by MPI", true, inTurn(0)],
  ["through mapped heaps", false, inTurn(1)],
] as const) {
  eachMpi(
    clocks,
    `one machine, ${way}: latencies, and traces that can be joined`,
    async (kind) => {
      const found = await latencies(kind, { byMpi, trace: join(folder, "trace.json") }, {});
      for (const [shortest, longest] of found.flat())
        assert.ok(shortest >= 0 && longest < MINUTE, `${shortest} to ${longest} ms`);
      const files = [entriesOf("trace.json"), entriesOf("trace.1.json")];
      for (const [node, entries] of files.entries()) {
        assert.equal(
          entries.filter(({ name }) => name === "thread_name").map(({ tid }) => nodeOf(tid)),
          Array(PES[node]).fill(node),
        );
        assert.equal([...new Set(entries.map(({ pid }) => pid))], [node]);
      }
      const begins = new Map(
        files.flat().flatMap(({ ph, id, ts }) => (ph === "s" ? [[id as string, ts] as const] : [])),
      );
      const ends = files.flat().filter(({ ph }) => ph === "f");
      assert.is(ends.length, begins.size);
      for (const { id, ts } of ends) {
        const took = (ts - (begins.get(id as string) as number)) / 1000;
        assert.ok(took > -1 && took < MINUTE, `${id}: ${took} ms`);
      }
    },
    kinds,
  );
}

eachMpi(
  clocks,
  "several machines: no latencies between them",
  async (kind) => {
    const found = await latencies(
      kind,
      { trace: join(folder, "machines.json"), byMpi: false },
      { TUNDISH_TEST_HOSTS: "1" },
    );
    for (const [to, senders] of found.entries()) {
      for (const [from, [shortest, longest]] of senders.entries()) {
        if (nodeOf(from) !== nodeOf(to)) assert.equal([shortest, longest], [-1, -1]);
        else assert.ok(shortest >= 0 && longest < MINUTE, `${shortest} to ${longest} ms`);
      }
    }
    const received = entriesOf("machines.1.json").filter(({ name }) => name.startsWith("from "));
    for (const { name, args } of received) assert.is(args?.latency !== undefined, name === "from 2", name);
  },
  inTurn(2),
);

clocks.run();
