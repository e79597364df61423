/** The package as users have it: packed, and unpacked beside what it depends on. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { root } from "../../support/paths.ts";

let made: string | undefined;

/** The folder of the package; made once, and removed when the process ends. */
export function packed(): string {
  made ??= pack();
  return made;
}

function pack(): string {
  const dir = mkdtempSync(join(tmpdir(), "tundish-packed-"));
  process.on("exit", () => rmSync(dir, { recursive: true, force: true }));
  // built already, and a build beside running tests would change files under them
  execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", dir], { cwd: root });
  const [tarball = ""] = readdirSync(dir);
  const folder = join(dir, "node_modules/tundish");
  mkdirSync(folder, { recursive: true });
  execFileSync("tar", ["-xzf", join(dir, tarball), "--strip-components=1", "-C", folder]);
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  ) as Record<string, Record<string, string>>;
  for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), "@types"]) {
    const place = join(dir, "node_modules", name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(root, "node_modules", name), place);
  }
  return folder;
}
