/** Kernels of programs: on threads, in open worlds, on virtual PEs, by modules of clang and by modules that are written here. */

import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkModule } from "../../../src/facilities/kernel/check.ts";
import { load } from "../../../src/facilities/kernel/source.ts";
import { UsageError } from "../../../src/ground/base/errors.ts";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { open } from "../../../src/index.ts";
import { addressOf } from "../../../src/kernel.ts";
import { simulateAsync } from "../../../src/simulate.ts";
import { eachMpi } from "../../machine/mpi/launchers.ts";
import { job } from "../../nodes/jobs.ts";
import { oneOf } from "../../nodes/some-of.ts";
import { rounds } from "../../support/long.ts";
import { testUnless } from "../../support/skip.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import program, { type Job } from "./programs/kernels.program.ts";
import { moduleOf } from "./support/module.ts";
import { built, rebuilt, whyNoClang } from "./support/state.ts";

const file = sibling("./programs/kernels.program.js", import.meta.url);
const test = suite("kernels");

const run = (pes: number, args: Job): Promise<unknown[]> =>
  launchPooled(file, { pes, args, heapBytes: 2 ** 26, waitTimeout: 30_000 });

/** What every PE finds in state.c, whatever its PEs are. */
const STATE = { calls: [41, 42], counted: true, numbers: [4.5, 2.5], applied: [10, 25], constructed: 7 };

for (const isAsync of [false, true]) {
  const form = isAsync ? ", Async" : "";
  test(`threads${form}: data is placed once, thread-local data in each PE`, async () => {
    for (const pes of [1, 2, 3]) {
      const all = await run(pes, { what: "state", bytes: built(), isAsync });
      assert.equal(all, new Array(pes).fill(STATE));
    }
  });

  test(`threads${form}: a module without data stores into arrays of the heap`, async () => {
    assert.equal(await run(3, { what: "module", bytes: moduleOf(), isAsync }), new Array(3).fill([2.5, true]));
  });
}

testUnless(test, whyNoClang(), "clang builds what is in the checkout: it behaves the same", async () => {
  assert.equal(await run(2, { what: "state", bytes: rebuilt() }), [STATE, STATE]);
});

test("each PE has a stack of its own", async () => {
  const all = await run(3, { what: "stacks", bytes: built(), rounds: rounds(20, 2000) });
  assert.equal(all, [1000, 1000, 1000]);
});

test("a stack that is too small is told when it is freed", async () => {
  const [first, second] = await run(2, { what: "overrun", bytes: built() });
  assert.match(String(first), /^free: expected the stack of the kernel to stay in its bytes.*stackBytes.*_HEAP/);
  assert.is(second, 2000);
});

test("kernels are made and freed again and again: the heap has its memory back, and data is placed anew", async () => {
  const all = await run(2, { what: "again", bytes: built(), rounds: rounds(50, 2000) });
  assert.equal(all, new Array(2).fill([4.5, 7, true]));
});

test("a module that the program has compiled", async () => {
  assert.equal(await run(2, { what: "compiled", bytes: built() }), [
    [41, 4.5, 7],
    [41, 4.5, 7],
  ]);
  const plain = await run(2, { what: "compiled", bytes: moduleOf() }).catch((error: Error) => error.message);
  assert.match(String(plain), /expected a compiled WebAssembly\.Module that is position-independent/);
});

test("what is no module, and no array of the heap", () => {
  assert.throws(
    () => load("sum.wasm"),
    /^kernel: expected the URL of a file, .* got "sum\.wasm"\. For a path: new URL/,
  );
  assert.throws(() => load(new URL("./none.wasm", import.meta.url)), /none\.wasm: ENOENT.*_USAGE/);
  assert.throws(() => addressOf(new Float64Array(1)), /^addressOf: expected an array in the heap, .* Copy it/);
  assert.throws(() => addressOf(8 as never), /got 8\./);
});

test("an open world, over several runs", async () => {
  await using world = await open({ pes: 2, timeout: 30_000 });
  for (let i = 0; i < 3; i++)
    assert.equal(await world.run(file, { args: { what: "state", bytes: built() } }), [STATE, STATE]);
});

test("virtual PEs of two nodes: each node has data of its own, each PE a stack", async () => {
  const args = { what: "state", bytes: built(), isAsync: true } as const;
  assert.equal((await simulateAsync({ pes: 4, nodes: 2, args }, program)).results, new Array(4).fill(STATE));
  const plain = { what: "module", bytes: moduleOf(), isAsync: true } as const;
  const { results } = await simulateAsync({ pes: 4, nodes: 2, args: plain }, program);
  assert.equal(
    results,
    [1.5, 1.5, 3.5, 3.5].map((x) => [x, true]),
  );
});

eachMpi(
  test,
  "nodes: each places the data",
  async (kind) => {
    const args = { what: "state", bytes: [...built()] };
    const { said, text } = await job(kind, { program: file.href, pes: [2, 1], args });
    assert.equal(
      said.flatMap(({ results }) => results as unknown[]),
      [STATE, STATE, STATE],
      text,
    );
  },
  oneOf("Open MPI"),
);

test("PEs with different modules: all are told, and the world goes on", async () => {
  const [first, second, third] = (await run(3, { what: "differing", bytes: moduleOf() })) as [string, number][];
  assert.match(
    first?.[0] ?? "",
    /^kernel: expected the same module at all PEs, got another one at PE 1 than at PE 0.*_MISMATCH/,
  );
  assert.match(second?.[0] ?? "", /got another one at PE 0 than at PE 1/);
  assert.equal([first?.[1], second?.[1], third?.[1]], [3, 3, 3]);
});

test("one PE fails: the others are told which and why", async () => {
  const [first, second] = (await run(2, { what: "one fails", bytes: moduleOf() })) as [string, number][];
  assert.match(first?.[0] ?? "", /^kernel: PE 1 could not make it: kernel: expected WebAssembly that .*_MISMATCH/);
  assert.match(
    second?.[0] ?? "",
    /^kernel: expected WebAssembly that this Node\.js can compile, got the bytes.*_USAGE/,
  );
  assert.is(first?.[1], 2);
});

test("a heap that is full: HeapError at all, and the world goes on", async () => {
  const all = (await run(2, { what: "throws", bytes: moduleOf(), stackBytes: 2 ** 30 })) as [string, number][];
  assert.match(all[0]?.[0] ?? "", /_HEAP/);
  assert.match(all[1]?.[0] ?? "", /_HEAP|_MISMATCH/);
  assert.equal(
    all.map(([, size]) => size),
    [2, 2],
  );
});

const PIC = ["env.__memory_base"];

/** The first part of its section dylink.0 ends behind the section. */
function cutOff(bytes: Uint8Array): Uint8Array {
  bytes[Buffer.from(bytes).indexOf("dylink.0") + 9] = 127;
  return bytes;
}

const bad: readonly (readonly [what: string, bytes: Uint8Array, message: RegExp])[] = [
  ["no memory", moduleOf({ memory: null }), /got one without a memory\. AssemblyScript: asc --importMemory/],
  [
    "a memory of its own",
    moduleOf({ memory: { isOwn: true } }),
    /got one with a memory of its own\. .*--import-memory/,
  ],
  ["an unshared memory", moduleOf({ memory: { isShared: false } }), /one that is not shared\. .*--shared-memory/],
  [
    "too little maximum",
    moduleOf({ memory: { most: 256 } }),
    /at least 1024 pages .* got 256\. .*--maximumMemory 65536/,
  ],
  [
    "too much initial memory",
    moduleOf({ memory: { least: 2000 } }),
    /at most 1024 pages .* got 2000\. Raise heapBytes to 131072000/,
  ],
  [
    "data at fixed addresses",
    moduleOf({ dataAt: 1024 }),
    /static data at fixed addresses, which would overwrite the heap\. .*-fPIC/,
  ],
  [
    "data that a start function places",
    moduleOf({ hasPassive: true, hasStart: true }),
    /static data at fixed addresses/,
  ],
  ["a start function", moduleOf({ hasStart: true }), /without a start function, .*asc --exportStart/],
  [
    "a stack at a fixed address",
    moduleOf({ ownGlobal: "__stack_pointer" }),
    /a stack that can be placed, .*--export=__stack_pointer/,
  ],
  ["an import that nobody gives", moduleOf({ functions: ["env.abort"] }), /nothing for env\.abort\. asc --use abort=/],
  ["WASI", moduleOf({ functions: ["wasi_snapshot_preview1.fd_write"] }), /fd_write\. A kernel has no WASI/],
  ["a global offset table", moduleOf({ globals: ["GOT.mem.x"] }), /GOT\.mem\.x\. Compile with -fvisibility=hidden/],
  ["no dylink.0", moduleOf({ globals: PIC }), /the section dylink\.0/],
  ["libraries", moduleOf({ globals: PIC, dylink: { bytes: 8, power: 3, needed: ["libm.so"] } }), /needs libm\.so/],
  [
    "thread-local data that nobody places",
    moduleOf({ globals: PIC, dylink: { bytes: 8, power: 3 }, ownGlobal: "__tls_base" }),
    /__wasm_init_tls as an export .*--export=__wasm_init_tls/,
  ],
  [
    "segments of a position-independent module that all instances write",
    moduleOf({ globals: PIC, dylink: { bytes: 8, power: 3 }, dataAt: 1024 }),
    /Link with --shared-memory/,
  ],
  [
    "more static data than the heap has bytes",
    moduleOf({ globals: PIC, dylink: { bytes: 2 ** 32 - 1, power: 3 } }),
    /static data and functions that have room, got 4294967295 bytes .* make the heap larger/,
  ],
  [
    "static data at a multiple of more than that",
    moduleOf({ globals: PIC, dylink: { bytes: 8, power: 63 } }),
    /8 bytes at a multiple of 9223372036854776000/,
  ],
  ["a damaged section", cutOff(moduleOf({ globals: PIC, dylink: { bytes: 8, power: 3 } })), /a damaged section dylink/],
];
for (const [what, bytes, message] of bad) {
  test(`refused: ${what}`, async () => {
    const all = (await run(2, { what: "throws", bytes })) as [string, number][];
    for (const [text, size] of all) {
      assert.match(text, message);
      assert.match(text, /^kernel: expected .*\[ERR_TUNDISH_USAGE\]$/);
      assert.is(size, 2);
    }
  });
}

test("modules with wrong bytes: a UsageError, or V8 and the check find nothing", () => {
  const whole = built();
  let passed = 0;
  const wrong = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(wrong, (bytes) => {
      const damaged = Uint8Array.from(whole);
      for (const [at, byte] of bytes) damaged[at] = byte;
      try {
        checkModule(load(damaged), 1024, { env: { offset: () => 0 } });
        passed++;
      } catch (error) {
        assert.instance(error, UsageError, String(error));
      }
    }),
    { numRuns: rounds(3000, 100_000) },
  );
  assert.ok(passed > 0);
});

test.run();
