/** The kernels of examples/kernels: those in the checkout, and built again, give the product that JavaScript gives. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Report } from "../../examples/support/example.ts";
import { sibling } from "../../src/ground/base/package-file.ts";
import { whyNoClang } from "../facilities/kernel/support/state.ts";
import { root } from "../support/paths.ts";
import { testUnless } from "../support/skip.ts";
import { launchPooled } from "../support/thread-pool.ts";

const test = suite("examples, kernels");
const KERNELS = ["assemblyscript", "c", "rust", "zig"];
/** Their compilers need not be there. */
const OTHERS = ["rust", "zig"];
const folder = mkdtempSync(join(tmpdir(), "tundish-kernels-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

test("those in the checkout, of sizes that are no multiples of the blocks", async () => {
  for (const from of KERNELS) {
    for (const size of ["4", "300", "514"]) {
      const args = ["--from", from, "--size", size, "--turns", "1", "--warm", "0"];
      const program = pathToFileURL(join(root, "dist/examples/matrix-kernels.js"));
      // the example itself compares the results
      const [report] = await launchPooled<Report>(program, { pes: 3, args, waitTimeout: 60_000 });
      assert.equal([report?.checked, report?.from], [true, from]);
    }
  }
});

testUnless(
  test,
  whyNoClang(),
  "built again, with clang, they are what is in the checkout, or give the same bits",
  async () => {
    execFileSync(process.execPath, [join(root, "scripts/example-kernels.mjs"), folder], { stdio: "pipe" });
    const files = readdirSync(folder);
    const built = KERNELS.filter((from) => files.includes(`matrix-${from}.wasm`));
    assert.equal([...built, ...OTHERS.filter((from) => !built.includes(from))], KERNELS);
    const product = (file: string) =>
      launchPooled(sibling("./support/product.program.js", import.meta.url), { pes: 1, args: file });
    for (const from of built) {
      const file = `matrix-${from}.wasm`;
      const [old, fresh] = [await product(join(root, "examples/kernels", file)), await product(join(folder, file))];
      assert.equal(fresh, old);
    }
  },
);

test.run();
