/** `tundish bench mpi --only drivers`: shape and sense, not speed; wrong messages and dead processes end it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { MpiBench } from "../../bench/mpi/bench-mpi.ts";
import { exchange } from "../../bench/mpi/drivers-exchange.ts";
import {
  DRIVER_SIZES,
  DRIVERS,
  type DriversTask,
  driversText,
  LEADS,
  placesOf,
  type Traffic,
  WARM,
} from "../../bench/mpi/drivers-job.ts";
import type { Link } from "../../bench/mpi/drivers-link.ts";
import { driversMemory, IN, LinkMemory, OUT } from "../../bench/mpi/drivers-memory.ts";
import { LAYOUTS, layoutText } from "../../bench/mpi/works.ts";
import { runChild } from "../../bench/peers/child.ts";
import { Output } from "../../src/cli/terminal/output.ts";
import { printMpi } from "../../src/cli/text/bench-mpi-text.ts";
import { both, clean, cpus, LIMIT_MS } from "../bench/peers-here.ts";
import { mpiOf } from "../mpi/launchers.ts";
import { testUnless } from "../support/skip.ts";
import { cli } from "./support/cli.ts";

const folder = mkdtempSync(join(tmpdir(), "tundish-drivers-"));
const test = suite("cli bench mpi drivers");
test.after(() => rmSync(folder, { recursive: true, force: true }));

const WHATS = (Object.keys(LEADS) as Traffic[]).flatMap((traffic) =>
  DRIVER_SIZES.map((bytes) => driversText(traffic, bytes)),
);

/** Keeps what is printed. */
class Kept extends Output {
  text = "";
  override print(text: string): void {
    this.text += `${text}\n`;
  }
}

test("where threads run: PEs first, then those that drive; nobody shares a CPU that is one's own", () => {
  const layout = { nodes: 2, pes: 2 };
  const of = (count: number) =>
    [0, 1].map((node) =>
      placesOf(
        layout,
        node,
        Array.from({ length: count }, (_, i) => 10 + i),
      ),
    );
  assert.equal(of(6), [
    { cpus: [10, 11, 14], crowded: { own: false, node: false } },
    { cpus: [12, 13, 15], crowded: { own: false, node: false } },
  ]);
  assert.equal(of(5), [
    { cpus: [10, 11, null], crowded: { own: false, node: true } },
    { cpus: [12, 13, null], crowded: { own: false, node: true } },
  ]);
  assert.equal(of(3)[1], { cpus: [null, null, null], crowded: { own: true, node: true } });
});

test("memory: no two buffers or words of a node overlap, and a word says whose its buffer is", () => {
  for (const bytes of DRIVER_SIZES) {
    const memory = driversMemory(2, bytes);
    const links = [0, 1].map((pe) => new LinkMemory(memory, pe, 2, bytes));
    const all = links.flatMap((link) => [...link.out, ...link.in]);
    for (const [i, one] of all.entries()) one.fill(i + 1);
    for (const [i, one] of all.entries()) assert.ok(one.every((value) => value === i + 1));
    for (const link of links) {
      for (let b = 0; b < OUT; b++) assert.is(link.whoseOut(b), 0);
      link.giveOut(OUT - 1, 1);
      link.giveIn(0, 1);
      assert.equal(
        [link.whoseOut(OUT - 1), link.whoseOut(0), link.whoseIn(0), link.whoseIn(1)],
        [1, 0, 1, 0],
      );
    }
    // nor do words lie in buffers
    for (const [i, one] of all.entries()) assert.ok(one.every((value) => value === i + 1));
  }
});

/** A PE that talks to itself. @param spoil what happens to a message on its way */
function loop(memory: LinkMemory, spoil: (words: Int32Array, n: number) => void): Link {
  let sent = 0;
  const come = new Set<number>();
  return {
    isFree: () => true,
    send(buffer) {
      memory.inWords[sent % IN].set(memory.outWords[buffer]);
      spoil(memory.inWords[sent % IN], sent);
      come.add(sent++ % IN);
    },
    hasCome: (buffer) => come.has(buffer),
    release: (buffer) => come.delete(buffer),
    turn() {},
    finish() {},
  };
}

test("a PE's messages: as many as told, and a wrong one is noticed", () => {
  const bytes = 1024;
  const memory = new LinkMemory(driversMemory(1, bytes), 0, 1, bytes);
  const run = (whole: boolean, spoil: (words: Int32Array, n: number) => void) => {
    const task: DriversTask = { role: "own", bytes, count: WARM + 50, lead: 4, whole, crowded: false };
    return exchange(loop(memory, spoil), memory, task, { mine: 7, theirs: 7 });
  };
  let sent = 0;
  const { begun, ended } = run(true, () => sent++);
  assert.is(sent, WARM + 50);
  assert.ok(begun > 0 && ended > begun);
  const flip = (at: number) => (words: Int32Array, n: number) => {
    if (n === 40) words[at] ^= 1;
  };
  for (const at of [0, 1, bytes / 4 - 1]) {
    assert.throws(() => run(false, flip(at)), /wrong message of 1024 bytes: expected number 40 of 7, got/);
  }
  for (const at of [2, 100, bytes / 4 - 2]) assert.throws(() => run(true, flip(at)), /wrong message/);
});

for (const [name, tool, missing] of both) {
  const measure = (env: NodeJS.ProcessEnv, ...options: string[]) =>
    cli(["bench", "mpi", "--only", "drivers", "--mpi", tool, "--quick", ...options], {
      env: { UCX_NET_DEVICES: "lo", ...env },
    });

  testUnless(test, missing, `gcc, ${tool}: everything has sense; the same as text`, async () => {
    const { code, stdout, stderr } = await measure({}, "--json");
    // done, or told that the machine did not hold still, as it may beside other tests
    assert.ok(code === 0 || code === 4, stderr);
    const document = JSON.parse(stdout) as MpiBench;
    assert.equal(document.missing, []);
    assert.equal(document.cpus.slice(0, 2), cpus);
    for (const layout of LAYOUTS) {
      for (const who of Object.values(DRIVERS)) {
        const here = document.measured.filter(
          (one) => one.name === who && layoutText(one.layout) === layoutText(layout),
        );
        assert.equal(
          here.map(({ what }) => what),
          WHATS,
        );
      }
    }
    for (const { part, ns, low, high, batch, batches, load, bytes, what } of document.measured) {
      assert.is(part, "drivers");
      assert.is(load, null);
      assert.ok(what.endsWith(`, ${bytes} B`));
      assert.ok(ns > 0 && low <= ns && ns <= high && batch > 0 && batches > 0, what);
    }
    const output = new Kept({});
    printMpi(document, output);
    for (const row of [
      /^Drivers, 2 nodes x 1 PE: how many times faster links are that each PE drives itself /m,
      /^ *[\d.]+ x +stream of 2 +64 B +[\d.]+ [num]?s +[\d.]+ [num]?s to [\d.]+ [num]?s +[\d.]+ [num]?s/m,
      /^ *[\d.]+ x +round trip +64 KiB /m,
      /^Median: [\d.]+ x in streams \(time per message of a node\), [\d.]+ x in round trips\.$/m,
      /^Drivers, 2 nodes x 2 PEs: /m,
    ]) {
      assert.match(output.text, row);
    }
    assert.not.match(output.text, /Collectives|Exchanges/);
  });

  for (const [way, tag] of [
    ["own links", 2000],
    ["one thread per node", 3000],
  ] as const) {
    testUnless(
      test,
      missing,
      `gcc, ${tool}: ${way}: a wrong message, or a dead process, is an error`,
      async () => {
        const library = async (title: string, act: string) => {
          const [source, file] = [join(folder, "lossy.c"), join(folder, `${title}-${tool}-${tag}.so`)];
          writeFileSync(
            source,
            "#include <mpi.h>\n#include <unistd.h>\n" +
              "int MPI_Isend(const void *from, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *to) {\n" +
              "  static int sent;\n" +
              `  if (tag / 1000 == ${tag / 1000} && __atomic_add_fetch(&sent, 1, __ATOMIC_RELAXED) == 300) { ${act} }\n` +
              "  return PMPI_Isend(from, count, type, dest, tag, comm, to);\n}\n",
          );
          await runChild(mpiOf(name).compiler as string, ["-shared", "-fPIC", source, "-o", file], {
            env: clean,
            deadlineMs: LIMIT_MS,
          });
          return file;
        };
        const wrong = await measure({
          TUNDISH_LIBMPI: await library("wrong", "((char *)from)[count - 1] ^= 1;"),
        });
        assert.is(wrong.code, 1, wrong.stderr);
        assert.is(wrong.stdout, "");
        assert.match(
          wrong.stderr,
          /error ERR_TUNDISH_MPI: 2 x 1: drivers of links: .*wrong message of \d+ bytes/,
        );
        const dead = await measure({ TUNDISH_LIBMPI: await library("dead", "if (dest == 0) _exit(7);") });
        assert.is(dead.code, 1, dead.stderr);
        assert.match(dead.stderr, /error ERR_TUNDISH_MPI: 2 x 1: drivers of links: /);
      },
    );
  }
}

test.run();
