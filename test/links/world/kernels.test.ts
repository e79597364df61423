/** The kernels that launch() compiles for its PEs. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { compileAhead, compileFile } from "../../../src/ground/memory/kernels/compile.ts";
import { HEAP_KERNELS } from "../../../src/ground/memory/kernels/kernels.ts";
import { launch } from "../../../src/running/launch/launch.ts";

const test = suite("kernels of a world");

test("no PE compiles any: all get those of the launching thread", async () => {
  const program = sibling("./kernels.program.js", import.meta.url);
  assert.equal(await launch(program, { pes: 2, timeout: 30_000 }), [8192, 8192]);
});

test("a file is compiled once in a thread, and one that is missing is told", async () => {
  const { "kernels.wasm": ahead } = await compileAhead([HEAP_KERNELS]);
  assert.is(compileFile(HEAP_KERNELS), ahead);
  const missing = { ...HEAP_KERNELS, name: "missing.wasm" };
  assert.throws(() => compileFile(missing), /Expected WebAssembly kernels .*missing\.wasm, got: ENOENT/);
  const rejected = await compileAhead([missing]).then(
    () => false,
    () => true,
  );
  assert.ok(rejected);
});

test.run();
