/** A folder in which the programs and commands of a page run as they would at a user's. */
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { installed } from "../../package/installed.ts";
import { fixture, root } from "../../support/paths.ts";

/** What a command has printed. */
export interface Printed {
  readonly stdout: string;
  /** Both streams, in the order in which they came. */
  readonly both: string;
}

const made: string[] = [];
process.on("exit", () => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true });
});

/** What a place has beside the package. */
interface PlaceOptions {
  /** Whether it has `machine.json`, the model of the machine that the pages show trees of. */
  readonly model?: boolean;
  /** Whether it has the tests of a clone, whose files some commands name. */
  readonly clone?: boolean;
}

/**
 * A new folder: with the packed package and what pages use beside it installed.
 * It is removed when the process ends.
 */
export async function makePlace({ model = false, clone = false }: PlaceOptions = {}): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), "tundish-docs-"));
  made.push(dir);
  writeFileSync(join(dir, "package.json"), '{"type": "module"}');
  const modules = join(dir, "node_modules");
  mkdirSync(modules);
  const folder = join(await installed(), "node_modules/tundish");
  symlinkSync(folder, join(modules, "tundish"));
  for (const name of ["@types", "ajv", "piscina"]) symlinkSync(join(root, "node_modules", name), join(modules, name));
  if (clone) symlinkSync(join(root, "test"), join(dir, "test"));
  if (model) copyFileSync(fixture("machines", "smelt-intel-xeon-e5-v2-2x10.json"), join(dir, "machine.json"));
  // without it npx asks the registry
  mkdirSync(join(dir, "bin"));
  const npx = `#!/bin/sh\nshift\nexec ${JSON.stringify(process.execPath)} ${JSON.stringify(join(folder, "dist/lib/main.js"))} "$@"\n`;
  writeFileSync(join(dir, "bin/npx"), npx, { mode: 0o755 });
  return dir;
}

/** Runs a command of a shell in such a folder. Its exit code is not looked at: some commands show an error. */
export function runIn(dir: string, command: string): Promise<Printed> {
  return new Promise((resolve) => {
    const path = [join(dir, "bin"), join(process.execPath, ".."), process.env.PATH].join(delimiter);
    const child = execFile("sh", ["-c", command], {
      cwd: dir,
      timeout: 90_000,
      env: { ...process.env, PATH: path },
    });
    let [stdout, both] = ["", ""];
    child.stdout?.on("data", (data) => {
      stdout += data;
      both += data;
    });
    child.stderr?.on("data", (data) => (both += data));
    child.on("close", () => resolve({ stdout, both }));
  });
}

/** What V8 says of `--jitless` on Node 20 and 22, and no longer on later ones. */
const OF_V8 = /^Warning: disabling flag --expose_wasm due to conflicting flags\n/m;

/** Whether a command has printed what is expected; `…` stands for any text of one line. */
export function isPrinted({ stdout, both: all }: Printed, expected: string): boolean {
  const both = all.replace(OF_V8, "");
  const parts = expected
    .trimEnd()
    .split("…")
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const pattern = new RegExp(`^${parts.join(".*")}\\s*$`);
  return pattern.test(stdout) || pattern.test(both);
}
