/**
 * Worlds give back what they take of the system: mappings, threads, descriptors, files, memory. A process that launches
 * for ever must not come to vm.max_map_count.
 *
 * TUNDISH_TEST_LONG=1: a soak of 2,000 worlds of all kinds, and as many bare threads beside it; its figures are
 * printed.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { LONG } from "../../../support/long.ts";
import { testUnless } from "../../../support/skip.ts";
import { PES, type Resources } from "./resources.ts";
import type { Way } from "./worlds.program.ts";

const program = fileURLToPath(new URL("./worlds.program.js", import.meta.url));
const noProc = process.platform === "linux" ? null : "needs /proc";

async function play(way: Way | "all", worlds: number, samples: number): Promise<Resources[]> {
  const folder = mkdtempSync(join(tmpdir(), "tundish-leaks-"));
  try {
    const args = ["--expose-gc", program, way, `${worlds}`, `${samples}`];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      env: { ...process.env, TMPDIR: folder },
    });
    return stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Resources);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function print(way: string, found: readonly Resources[]): void {
  for (const [i, sample] of found.entries()) console.log(`${process.version} ${way} ${i}: ${JSON.stringify(sample)}`);
}

const test = suite("leaks");

/** Bytes of objects that a world may leave in the main thread. */
const MOST_KEPT = 2000;

const PLAIN = [
  ["launch", 12],
  ["all", 8],
] as const;
const EACH = (["launch", "open", "join", "fail", "terminate"] as const).map((way) => [way, 200] as const);

for (const [way, worlds] of LONG ? EACH : PLAIN) {
  testUnless(test, noProc, `${worlds} worlds: ${way}`, async () => {
    const [before, after] = (await play(way, worlds, 1)) as [Resources, Resources];
    const { threads, descriptors, shared, temporary } = before;
    assert.equal(
      { ...after, mappings: 0, resident: 0, objects: 0 },
      { threads, descriptors, shared, temporary, mappings: 0, resident: 0, objects: 0 },
    );
    assertMappings(before, after, worlds);
  });
}

/** The heap of the main thread has some more mappings or fewer each time. */
function assertMappings(before: Resources, after: Resources, worlds: number): void {
  const grown = after.mappings - before.mappings;
  const most = 24 + (worlds * PES) / 10;
  assert.ok(grown <= most, `${worlds} worlds of ${PES} PEs left ${grown} mappings, more than ${most}`);
}

if (LONG) {
  const worlds = 2000;
  testUnless(test, noProc, `a soak of ${worlds} worlds of all kinds`, async () => {
    print("bare threads", await play("bare", worlds, 8));
    const found = await play("all", worlds, 8);
    print("worlds", found);
    const [before, after] = [found[0], found.at(-1)] as [Resources, Resources];
    assertMappings(before, after, worlds);
    // compiled code is some of it; a world that is kept has more than this
    const kept = ((after.objects - before.objects) * 1e6) / worlds;
    assert.ok(kept <= MOST_KEPT, `each world left ${kept} bytes of objects, more than ${MOST_KEPT}`);
    for (const name of ["threads", "descriptors", "shared", "temporary"] as const)
      assert.is(after[name], before[name], name);
  });
}

test.run();
