/** The programs in examples/ of this package, which `tundish init` copies: their names, files and packages. */
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, posix } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { unknownName } from "../../base/names.ts";

const require = createRequire(import.meta.url);
const folder = (): string => join(require.resolve("tundish/package.json"), "../examples");
const read = (path: string): string => readFileSync(join(folder(), path), "utf8");

/** What a file imports, and hands on. */
const IMPORTED = /(?:^(?:import|export)\b[^;="]* from |^import |\bimport\()"([^"\s]+)"/gm;

export interface Example {
  readonly name: string;
  /** Its first line: what it does, and how. */
  readonly what: string;
}

/** All examples, by name. */
export function listExamples(): Example[] {
  const names = readdirSync(folder()).filter((file) => file.endsWith(".ts"));
  return names.sort().map((file) => {
    const [line = ""] = read(file).split("\n");
    return { name: basename(file, ".ts"), what: line.replace(/^\/\/ /, "") };
  });
}

/** What one needs. */
export interface ExampleFiles {
  /** The texts of its files by their paths; its own comes first. */
  readonly files: ReadonlyMap<string, string>;
  /** Packages beside tundish that they import. */
  readonly packages: readonly string[];
}

/** An example and the files that it imports. @throws UsageError for a name that is none, with the nearest */
export function exampleFiles(name: string): ExampleFiles {
  const names = listExamples().map((one) => one.name);
  if (!names.includes(name)) throw new UsageError(`--example: ${unknownName("example", name, names)}`);
  const files = new Map<string, string>();
  const packages = new Set<string>();
  const add = (path: string): void => {
    if (files.has(path)) return;
    const text = read(path);
    files.set(path, text);
    for (const [, from = ""] of text.matchAll(IMPORTED)) {
      if (from.startsWith(".")) add(posix.join(posix.dirname(path), from));
      else if (!from.startsWith("node:")) packages.add(packageOf(from));
    }
  };
  add(`${name}.ts`);
  packages.delete("tundish");
  return { files, packages: [...packages] };
}

/** `graphology` of `graphology/utils`, `@a/b` of `@a/b/c`. */
const packageOf = (from: string): string => from.split("/", from.startsWith("@") ? 2 : 1).join("/");
