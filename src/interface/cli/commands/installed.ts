/** How the running package was installed, and so how another project gets the same. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of this package. */
export const packageRoot = (): string => dirname(createRequire(import.meta.url).resolve("tundish/package.json"));

/** npm's record beside the packages that it has installed. */
interface HiddenLockfile {
  readonly packages?: Readonly<Record<string, { readonly resolved?: string; readonly link?: boolean }>>;
}

/**
 * The version of this package for `dependencies`: a range if it comes from a registry, else where it was installed from
 * (a tarball), or where it lies (a clone, a link), as no registry is known to have it.
 * @param root the folder of the package
 */
export function dependencyOn(root: string, version: string): string {
  const modules = dirname(root);
  const lockfile = join(modules, ".package-lock.json");
  if (!modules.endsWith("node_modules")) return `file:${root}`;
  // another package manager than npm: most have it from a registry
  if (!existsSync(lockfile)) return `^${version}`;
  const { packages } = JSON.parse(readFileSync(lockfile, "utf8")) as HiddenLockfile;
  const { resolved } = packages?.["node_modules/tundish"] ?? {};
  if (!resolved?.startsWith("file:")) return `^${version}`;
  const tarball = resolve(dirname(modules), fromFile(resolved));
  return `file:${existsSync(tarball) ? tarball : root}`;
}

/** The path of `file:…`, which npm writes with and without slashes, and relative to the project. */
const fromFile = (spec: string): string =>
  spec.startsWith("file://") ? fileURLToPath(spec) : spec.slice("file:".length).replaceAll("%23", "#");
