/** V8's budget before it optimizes: larger while PEs fill the CPUs of a young world, and V8's own afterwards. */
import { execFile } from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import v8 from "node:v8";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readTopology } from "../../src/machine/topology.ts";
import { usableCpus } from "../../src/machine/usable.ts";
import { youngWorld } from "../../src/run/young-world.ts";
import { fixture } from "../support/paths.ts";
import { testUnless } from "../support/skip.ts";

const test = suite("young worlds");
const other = process.versions.v8.startsWith("11.3.") ? null : "the V8 of Node 20 only";
const late = "--interrupt-budget=675840";
const own = "--interrupt-budget=67584";

/** The flags that are set meanwhile. */
async function flagsOf(meanwhile: () => unknown): Promise<string[]> {
  const { setFlagsFromString } = v8;
  const { TUNDISH_OPTIMIZE: optimize } = process.env;
  delete process.env.TUNDISH_OPTIMIZE;
  const flags: string[] = [];
  v8.setFlagsFromString = (flag) => flags.push(flag);
  syncBuiltinESMExports();
  try {
    await meanwhile();
  } finally {
    v8.setFlagsFromString = setFlagsFromString;
    syncBuiltinESMExports();
    if (optimize !== undefined) process.env.TUNDISH_OPTIMIZE = optimize;
  }
  return flags;
}

const end = (world: Disposable) => world[Symbol.dispose]();

testUnless(test, other, "from the first world that fills the CPUs to the end of the last one", async () => {
  const flags = await flagsOf(() => {
    const worlds = [youngWorld(2, 2), youngWorld(4, 2)];
    end(worlds[0]);
    end(worlds[0]);
    const third = youngWorld(2, 1.5);
    end(worlds[1]);
    end(third);
  });
  assert.equal(flags, [late, own]);
});

testUnless(test, other, "for a time at most; the end of the world changes nothing then", async () => {
  const flags = await flagsOf(async () => {
    const world = youngWorld(2, 2, 1);
    await delay(50);
    end(world);
  });
  assert.equal(flags, [late, own]);
});

test("PEs that leave a CPU idle, and those who want V8 as it is: nothing is set", async () => {
  const flags = await flagsOf(() => {
    end(youngWorld(1, 2));
    process.env.TUNDISH_OPTIMIZE = "soon";
    end(youngWorld(2, 2));
  });
  assert.equal(flags, []);
});

testUnless(test, other, "launch sets it", async () => {
  const cpus = usableCpus(await readTopology()).length;
  const run = async (flags: string[], pes: number[], optimize: string) => {
    const env = { ...process.env, NODE_OPTIONS: "", TUNDISH_OPTIMIZE: optimize };
    const args = [...flags, fixture("programs/world-flags.mjs"), ...pes.map(String)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    return JSON.parse(stdout) as string[];
  };
  assert.equal(await run([], [cpus, cpus], ""), [late, own]);
  assert.equal(await run(["--interrupt-budget=70000"], [cpus], ""), []);
  assert.equal(await run([], [cpus], "soon"), []);
});

test.run();
