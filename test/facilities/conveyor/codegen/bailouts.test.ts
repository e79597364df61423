/**
 * What V8 has compiled of a loop stays: no branch of ours is first taken in compiled code, and no object changes its map. By the
 * traces of V8, in processes of their own.
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { LOOPS } from "../programs/loops.program.ts";

const PROGRAM = fileURLToPath(sibling("../programs/loops.program.js", import.meta.url));
/** Functions that are called for each item, or by each advance. A biconveyor's also stop where its window is full. */
const HOT = ["push", "send", "pull", "put", "commit", "open", "makesRoom", "refused", "advance", "proceed"];
const WINDOW = ["push", "send", "pull"];

/** The names of the functions whose compiled code was left. */
async function bailouts(loop: string): Promise<string[]> {
  // without the options of tests: V8 as programs have it
  const env = { ...process.env, NODE_OPTIONS: "" };
  const { stdout } = await promisify(execFile)(process.execPath, ["--trace-deopt", PROGRAM, loop], {
    env,
    maxBuffer: 2 ** 26,
  });
  assert.match(stdout, /items of each PE: 2\n/);
  // threads may write at the same time
  return [...stdout.matchAll(/bailout \(kind: deopt-eager[^<]*<JSFunction (\S+) \(sfi/g)].map(
    ([, name]) => name as string,
  );
}

const compiled = suite("compiled code");

for (const loop of Object.keys(LOOPS)) {
  compiled(`${loop}: the functions of a loop are compiled once`, async () => {
    const left = await bailouts(loop);
    const hot = left.filter((name) => HOT.includes(name) && !(loop === "bi" && WINDOW.includes(name)));
    // which thread comes first may let one of them see something late
    assert.ok(hot.length <= 2, `${hot.length} bailouts of ${left.length}: ${left.join(", ")}`);
    assert.ok(left.length <= 16, `${left.length} bailouts: ${left.join(", ")}`);
  });
}

compiled.run();
