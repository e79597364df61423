/** The programs in templates/ of this package, which `tundish init` copies: each is one file. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { UsageError } from "../../../ground/base/errors.ts";
import { unknownName } from "../../../ground/base/names.ts";
import { packageRoot } from "./installed.ts";

const folder = (): string => join(packageRoot(), "templates");

/** The text of a file there. */
export const template = (file: string): string => readFileSync(join(folder(), file), "utf8");

export interface Example {
  readonly name: string;
  /** Its first line: what it does, and how. */
  readonly what: string;
}

/** All examples, by name. */
export function listExamples(): Example[] {
  const names = readdirSync(folder()).filter((file) => file.endsWith(".ts"));
  return names.sort().map((file) => {
    const [line = ""] = template(file).split("\n");
    return { name: basename(file, ".ts"), what: line.replace(/^\/\/ /, "") };
  });
}

/** The parts of an example. */
interface ExampleFile {
  readonly text: string;
  /** Packages beside tundish that it imports. */
  readonly packages: readonly string[];
}

/** @throws UsageError for a name that is none, with the nearest */
export function exampleFile(name: string): ExampleFile {
  const names = listExamples().map((one) => one.name);
  if (!names.includes(name)) throw new UsageError(`--example: ${unknownName("example", name, names)}`);
  const text = template(`${name}.ts`);
  const imported = [...text.matchAll(/^import .* from "([^"]+)"/gm)].map(([, from = ""]) => from);
  return { text, packages: imported.filter((from) => !/^(?:node:|tundish(?:\/|$))/.test(from)) };
}
