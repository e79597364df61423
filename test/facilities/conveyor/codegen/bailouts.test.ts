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
/** Functions that are called for each item, or by each advance. */
const HOT = ["push", "send", "pull", "put", "commit", "open", "makesRoom", "refused", "advance", "proceed"];

/** Of one loop. Without the slow start the hot ones of `run` and of a biconveyor were 8 to 10. */
const MOST_HOT = 3;
const MOST = 12;
const TURNS = 8;

/** What V8 tells of a loop. */
async function traceOf(option: string, loop: string): Promise<string> {
  // without the options of tests: V8 as programs have it
  const env = { ...process.env, NODE_OPTIONS: "" };
  const { stdout } = await promisify(execFile)(process.execPath, [option, PROGRAM, loop], {
    env,
    maxBuffer: 2 ** 27,
  });
  assert.match(stdout, /items of each PE: 2\n/);
  return stdout;
}

/** The names of the functions whose compiled code was left. */
async function bailouts(loop: string): Promise<string[]> {
  const stdout = await traceOf("--trace-deopt", loop);
  // threads may write at the same time; code for the inside of a loop (OSR) is left where that ends
  return [...stdout.matchAll(/bailout \(kind: deopt-eager, reason: ([^)]*)[^<]*<JSFunction (\S+) \(sfi/g)]
    .filter(([, reason]) => !(reason as string).includes("OSR"))
    .map(([, , name]) => name as string);
}

const compiled = suite("compiled code");

for (const loop of Object.keys(LOOPS)) {
  compiled(`${loop}: the functions of a loop are compiled once`, async () => {
    // a PE that gets no CPU for a while lets the others see something late: on a busy machine some runs have more
    let least: readonly string[] = await bailouts(loop);
    const hot = (): readonly string[] => least.filter((name) => HOT.includes(name));
    for (let turn = 1; turn < TURNS && (hot().length > MOST_HOT || least.length > MOST); turn++) {
      const left = await bailouts(loop);
      if (left.length < least.length) least = left;
    }
    const what = `${least.length} bailouts: ${least.join(", ")}`;
    assert.ok(hot().length <= MOST_HOT, what);
    assert.ok(least.length <= MOST, what);
  });
}

compiled("push is inlined, and nothing that is called by noInline, nor that", async () => {
  const names: unknown[] = [];
  // on a busy machine a run may end before V8 has optimized the loop
  for (let turn = 0; turn < TURNS && !names.includes("push"); turn++) {
    const trace = await traceOf("--trace-turbo-inlining", Object.keys(LOOPS)[0] as string);
    names.push(...[...trace.matchAll(/^Inlining .*?<SharedFunctionInfo (\S+?)>\} into/gm)].map(([, name]) => name));
  }
  assert.ok(names.includes("push"), [...new Set(names)].join(", "));
  for (const name of ["noInline", "makesRoom", "proceed"]) assert.not(names.includes(name), name);
});

compiled.run();
