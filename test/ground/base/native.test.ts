/** Calls of native code, by each way that this Node.js has: koffi, and node:ffi from Node.js 26.1 on. */
import { execFileSync } from "node:child_process";
import { closeSync, openSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Native } from "../../../src/ground/base/native/calls.ts";
import { native } from "../../../src/ground/base/native/native.ts";
import { nodeNative } from "../../../src/ground/base/native/node-ffi.ts";
import { setting } from "../../../src/ground/base/settings.ts";
import { root } from "../../support/paths.ts";
import { testUnless } from "../../support/skip.ts";

const hasFfi = ((): boolean => {
  try {
    createRequire(import.meta.url)("node:ffi");
    return true;
  } catch {
    return false;
  }
})();
const isLinux = process.platform === "linux";

const WAYS: readonly (readonly [name: string, why: string | null, open: () => Native])[] = [
  [
    "koffi",
    setting("native") === "on" && native() ? null : "koffi is switched off, or not installed",
    () => native() as Native,
  ],
  ["node:ffi", hasFfi ? null : `Node.js ${process.versions.node} has no node:ffi`, nodeNative],
];

const test = suite("native code");

for (const [name, why, open] of WAYS) {
  const each = (what: string, body: (calls: Native) => void) =>
    testUnless(test, why ?? (isLinux ? null : "names of Linux"), `${name}: ${what}`, () => body(open()));

  each("numbers of all lengths, there and back", (calls) => {
    const libc = calls.load("libc.so.6");
    assert.is(libc.func("int abs(int x)")(-7), 7);
    const labs = libc.func("long labs(long x)");
    assert.is(labs(-(2 ** 40)), 2 ** 40);
    assert.is(labs(-3), 3);
    assert.is(libc.func("unsigned int htonl(unsigned int x)")(0x01020384), 0x84030201);
    assert.is(calls.load(null).func("int getpid()")(), process.pid);
    // once more after V8 has compiled the caller
    for (let i = 0; i < 20_000; i++) if (labs(-i) !== i) assert.unreachable(String(i));
  });

  each("texts, memory, null, and addresses as numbers", (calls) => {
    const libc = calls.load(null);
    assert.is(libc.func("size_t strlen(const char *text)")("tundish"), 7);
    const memory = new Uint8Array(new SharedArrayBuffer(64));
    const at = Number(calls.address(memory));
    assert.ok(at > 0 && Number.isSafeInteger(at));
    assert.is(Number(calls.address(memory.subarray(8))), at + 8);
    assert.ok(libc.func("void *memset(void *at, int byte, size_t bytes)")(memory, 5, 8) !== null);
    const byAddress = calls.load(null).func("intptr_t memset(uintptr_t at, int byte, size_t bytes)");
    assert.is(byAddress(at + 7, 5, 1), at + 7);
    assert.equal([...memory.subarray(6, 10)], [5, 5, 0, 0]);
    assert.is(libc.func("void *dlopen(const char *file, int flags)")("/no/such/library.so", 2), null);
    assert.is(Number(calls.address(libc.symbol("_exit", "void *"))) > 0, true);
  });

  each("the number of an error", (calls) => {
    const file = join(tmpdir(), `tundish-native-${process.pid}`);
    const [one, other] = [openSync(file, "w"), openSync(file, "r")];
    try {
      const flock = calls.load(null).func("int flock(int fd, int operation)");
      assert.is(flock(one, 2 | 4), 0);
      assert.is(flock(other, 2 | 4), -1);
      assert.is(calls.errno(), constants.errno.EAGAIN);
    } finally {
      for (const fd of [one, other]) closeSync(fd);
      rmSync(file);
    }
  });

  each("a library and a function that there are not are errors", (calls) => {
    assert.throws(() => calls.load("/no/such/library.so"));
    assert.throws(() => calls.load(null).func("int tundish_no_such_function(int x)"), /no_such_function|symbol/i);
  });
}

const doctor = (value: string): string => {
  const env = { ...process.env, TUNDISH_NATIVE: value };
  return execFileSync(process.execPath, [join(root, "dist/lib/main.js"), "doctor", "--json"], {
    env,
    encoding: "utf8",
  });
};

testUnless(test, hasFfi ? null : "node:ffi is not there", "TUNDISH_NATIVE=node: PEs are pinned and woken by it", () => {
  const { findings } = JSON.parse(doctor("node")) as { findings: { name: string; state: string; text: string }[] };
  const found = new Map(findings.map((one) => [one.name, one]));
  assert.match(found.get("node:ffi")?.text ?? "", /^v\d+\./);
  assert.is(found.get("waiting")?.text, "by sched_yield and futex");
});

testUnless(
  test,
  hasFfi ? "node:ffi is there" : null,
  "TUNDISH_NATIVE=node in a Node.js without it: said, and what to do",
  () => {
    const { findings } = JSON.parse(doctor("node")) as { findings: { name: string; state: string; advice: string }[] };
    const found = findings.find(({ name }) => name === "node:ffi");
    assert.is(found?.state, "missing");
    assert.match(found?.advice ?? "", /Node\.js 26\.1 or newer/);
  },
);

test.run();
