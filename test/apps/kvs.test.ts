/** The replicated store under load: on threads, on virtual PEs, again on its logs; verified. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { cli } from "../interface/cli/support/cli.ts";
import { root } from "../support/paths.ts";
import { launchPooled } from "../support/thread-pool.ts";

const test = suite("app kvs");
const file = join(root, "dist/apps/kvs.js");

async function run(pes: number, ...args: string[]): Promise<Record<string, unknown>> {
  const [report, ...others] = await launchPooled(pathToFileURL(file), { pes, args, waitTimeout: 60_000 });
  assert.ok(others.every((other) => other === undefined));
  return report as Record<string, unknown>;
}

for (const [pes, ...args] of [
  [1],
  [2, "--replicas", "1"],
  [3, "--dissemination", "tree"],
  [4, "--clients", "5"],
  [4, "--replicas", "2", "--gets", "0"],
] as const) {
  test(`${pes} PEs ${args.join(" ")}`, async () => {
    const { app, errors, ops } = await run(pes, "--ops", "200", ...args);
    assert.equal([app, errors], ["kvs", 0]);
    assert.ok((ops as number) >= 200);
  });
}

test("again on its logs", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tundish-kvs-"));
  try {
    for (const seed of ["1", "2"])
      assert.is((await run(4, "--ops", "100", "--log", folder, "--fsync", "never", "--seed", seed)).errors, 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("on virtual PEs", async () => {
  const { code, stdout, stderr } = await cli(["simulate", file, "--pes", "5", "--args", '["--ops","300"]']);
  assert.is(code, 0, stderr);
  assert.match(stdout, /app: 'kvs', pes: 5, replicas: 3, .*errors: 0/);
});

test.run();
