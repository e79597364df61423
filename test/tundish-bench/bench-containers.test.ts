/** The works of `bench containers` on pooled worlds: their results are those of one thread. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ALONE_WORKS } from "../../packages/tundish-bench/src/containers/alone.ts";
import { WORKS } from "../../packages/tundish-bench/src/containers/bench-containers.ts";
import { distinctKeys, edgesOf, genome, zipfWords } from "../../packages/tundish-bench/src/containers/inputs.ts";
import type { ContainerAnswer, ContainerJob } from "../../packages/tundish-bench/src/containers/works.ts";
import { launchPooled } from "../support/thread-pool.ts";

const test = suite("bench containers");
const module = new URL("../../packages/tundish-bench/src/containers/bench-containers.program.js", import.meta.url);

const play = async (pes: number, args: ContainerJob) => launchPooled<ContainerAnswer>(module, { pes, args });

test("every work, by three PEs, gives what one thread gives", async () => {
  const few = { warmMs: 0, runs: 2 };
  for (const name of WORKS) {
    // not a multiple of the PEs; throws if they differ
    const answers = await play(3, { kind: "together", name, size: 2003, ...few });
    for (const { times } of answers) assert.ok(times.length === 2 && times.every((ns) => ns > 0), name);
  }
});

test("memory for each entry is measured where there are entries", async () => {
  for (const kind of ["alone", "together"] as const) {
    const job = { kind, size: 20_000, warmMs: 0, runs: 1 };
    const [{ entryBytes }] = await play(1, { ...job, name: "map, insert" });
    // a key and a value at least
    assert.ok(entryBytes !== null && entryBytes >= 12 && entryBytes < 400, `${kind}: ${entryBytes}`);
    assert.is((await play(1, { ...job, name: "array, add" }))[0].entryBytes, null);
  }
});

test("results of one thread: known ones", () => {
  const work = (name: keyof typeof ALONE_WORKS) => {
    const one = ALONE_WORKS[name](1000, () => 0);
    one.run();
    one.run();
    return one.result();
  };
  assert.equal(work("map, insert"), [1000, (999 * 1000) / 4]);
  assert.is(work("counting map, words")[0], new Set(zipfWords(1000, 0, 1000)).size);
  const letters = Buffer.from(genome(0, 1000)).toString("latin1");
  const kmers = new Set(Array.from({ length: 1000 }, (_, i) => letters.slice(i, i + 16)));
  assert.is(work("counting map, k-mers")[0], kmers.size);
  assert.is(work("run of a conveyor, k-mers")[0], kmers.size);
  const labels = Array.from({ length: 1000 }, (_, i) => i);
  const edges = edgesOf(1000, 0, 1000);
  for (let changed = true; changed; ) {
    changed = false;
    for (let i = 0; i < edges.length; i += 2) {
      const least = Math.min(labels[edges[i]], labels[edges[i + 1]]);
      changed ||= labels[edges[i]] !== least || labels[edges[i + 1]] !== least;
      labels[edges[i]] = labels[edges[i + 1]] = least;
    }
  }
  assert.equal(work("disjoint set, union"), [new Set(labels).size, labels.reduce((a, b) => a + b, 0)]);
});

test("inputs are the same for any number of PEs", () => {
  const parts = [0, 30, 71].map((first, i, all) => distinctKeys(first, all[i + 1] ?? 100));
  assert.equal(
    parts.flatMap((part) => [...part]),
    [...distinctKeys(0, 100)],
  );
  assert.is(new Set(distinctKeys(0, 10_000)).size, 10_000);
  assert.equal([...zipfWords(100, 0, 40), ...zipfWords(100, 40, 100)], zipfWords(100, 0, 100));
});

test.run();
