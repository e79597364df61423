/** What users get from npm: a project in which the packed tarballs of tundish and of tundish-bench are installed. */
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { root } from "../support/paths.ts";

const exec = promisify(execFile);

/** Of all files of a run (test/run.mjs), or of this one if it runs by itself. */
const shared = process.env.TUNDISH_TEST_SHARED ?? mkdtempSync(join(tmpdir(), "tundish-installed-"));
if (process.env.TUNDISH_TEST_SHARED === undefined) {
  process.on("exit", () => rmSync(shared, { recursive: true, force: true }));
}

/** The folder of the project, which is only to be read. The first file that needs it makes it, others wait for that. */
export async function installed(): Promise<string> {
  const project = join(shared, "installed");
  const lock = `${project}.lock`;
  while (!existsSync(project)) {
    try {
      mkdirSync(lock);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      await delay(100);
      continue;
    }
    try {
      if (!existsSync(project)) await make(project);
    } finally {
      rmSync(lock, { recursive: true });
    }
  }
  return project;
}

async function make(project: string): Promise<void> {
  const making = mkdtempSync(`${project}-`);
  // built already, and a build beside running tests would change files under them
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", making, ".", "./packages/tundish-bench"];
  await exec("npm", pack, { cwd: root });
  const tarballs = readdirSync(making).map((name) => `./${name}`);
  writeFileSync(join(making, "package.json"), JSON.stringify({ name: "user", private: true }));
  const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", ...tarballs];
  await exec("npm", install, { cwd: making });
  renameSync(making, project);
}

/** A copy of the project. */
export async function installedIn(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  cpSync(await installed(), folder, { recursive: true, verbatimSymlinks: true });
}
