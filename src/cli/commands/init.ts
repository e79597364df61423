/** `tundish init`: a first program or an example, and where they are missing the files that it needs to run. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { type ExitCode, OK } from "../terminal/exit.ts";
import type { Output } from "../terminal/output.ts";
import { exampleFiles, listExamples } from "./examples.ts";

/** The options as parsed by commander. */
export interface InitCommandOptions {
  readonly example?: string;
  readonly list?: boolean;
}

/** The parts of a package.json that matter here. */
interface PackageJson {
  readonly type?: string;
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** What was done, as `--json` prints it. */
interface Initialised {
  readonly schema: "tundish/init@1";
  readonly folder: string;
  readonly wrote: readonly string[];
  /** Files that were there already. */
  readonly kept: readonly string[];
  /** The commands to run next, in that folder. */
  readonly next: readonly string[];
}

/** The first program: all in one file, with a name as the examples have. */
const FIRST = "k-means";
const TOOLS = ["tsx", "typescript", "@types/node"];

/**
 * Writes the first program, or the example with the files that it imports, and tsconfig.json and package.json where there are none, and prints what to do next.
 * @throws UsageError for an example that there is not, if the program is there already, or the folder cannot be written to; then nothing is written
 */
export async function initCommand(
  given: string | undefined,
  options: InitCommandOptions,
  output: Output,
): Promise<ExitCode> {
  if (options.list) return printExamples(output);
  const folder = resolve(given ?? ".");
  const require = createRequire(import.meta.url);
  const ours = require("tundish/package.json") as PackageJson;
  const template = (file: string): string =>
    readFileSync(join(require.resolve("tundish/package.json"), "../templates", file), "utf8");
  const { example } = options;
  const { files: sources, packages } =
    example === undefined
      ? { files: new Map([[`${FIRST}.ts`, template(`${FIRST}.ts`)]]), packages: [] }
      : exampleFiles(example);
  const theirs = packageIn(folder);
  // in a package of CommonJS only this ending makes a module of it
  const ending = theirs === undefined || theirs.type === "module" ? ".ts" : ".mts";
  const program = `${example ?? FIRST}${ending}`;
  const files = new Map([
    ...[...sources].map(([path, text]): [string, string] => [renamed(path, ending), withNames(text, ending)]),
    ["tsconfig.json", template("tsconfig.json")],
    ["package.json", `${JSON.stringify(newPackage(folder, program, packages, ours), null, 2)}\n`],
  ]);
  const kept = [...files.keys()].filter((file) => existsSync(join(folder, file)));
  if (kept.includes(program)) {
    throw new UsageError(
      `init expected no ${program} in ${folder}, got one, and does not overwrite it. Move it, or name another folder: tundish init FOLDER`,
    );
  }
  const wrote = [...files.keys()].filter((file) => !kept.includes(file));
  save(
    folder,
    wrote.map((file) => [file, files.get(file) as string]),
  );
  const next = nextSteps(theirs, program, packages);
  if (output.json) {
    const document: Initialised = {
      schema: "tundish/init@1",
      folder,
      wrote,
      kept,
      next: next.map(([line]) => line),
    };
    output.document(document);
    return OK;
  }
  for (const file of wrote) output.note(`wrote ${join(given ?? "", file)}`);
  for (const file of kept) output.note(`kept ${join(given ?? "", file)}, which was there already`);
  if (kept.includes("tsconfig.json")) {
    output.note(
      'the program needs "module": "nodenext", "types": ["node"], "rewriteRelativeImportExtensions": true and "esnext.disposable" in "lib" there',
    );
  }
  const steps = given === undefined || given === "." ? next : [[`cd ${quoted(given)}`, ""] as const, ...next];
  const width = Math.max(...steps.map(([line]) => line.length));
  const lines = steps.map(([line, meaning]) => `  ${line.padEnd(width)}  ${meaning}`.trimEnd());
  output.section("Next", lines.join("\n"));
  return OK;
}

/** @returns undefined if there is none @throws UsageError for one that is no JSON object */
function packageIn(folder: string): PackageJson | undefined {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return undefined;
  try {
    const found: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (typeof found !== "object" || found === null) throw new Error(`it is ${JSON.stringify(found)}`);
    return found;
  } catch (cause) {
    throw new UsageError(`init expected a JSON object in ${file}: ${(cause as Error).message}`, { cause });
  }
}

/** With the versions that Tundish is tested with. */
function newPackage(
  folder: string,
  program: string,
  packages: readonly string[],
  { version, dependencies = {}, devDependencies = {} }: PackageJson,
): object {
  const versions: PackageJson["dependencies"] = {
    ...dependencies,
    ...devDependencies,
    tundish: `^${version}`,
  };
  const name = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return {
    name: name || "first-program",
    private: true,
    type: "module",
    scripts: { start: `tsx ${program}`, build: "tsc" },
    dependencies: Object.fromEntries(["tundish", ...packages].map((name) => [name, versions[name]])),
    devDependencies: Object.fromEntries(TOOLS.map((tool) => [tool, versions[tool]])),
  };
}

/** Commands, and what they do. @param theirs the package.json that was there */
function nextSteps(
  theirs: PackageJson | undefined,
  program: string,
  packages: readonly string[],
): (readonly [string, string])[] {
  const built = `dist/${program.replace(/ts$/, "js")}`;
  const all = "on all cores, without a build";
  if (theirs === undefined) {
    return [
      ["npm install", ""],
      ["npm start", all],
      [`npm run build && node ${built}`, "the same, compiled"],
    ];
  }
  const installed = { ...theirs.dependencies, ...theirs.devDependencies };
  const missing = TOOLS.filter((tool) => !(tool in installed));
  const needed = ["tundish", ...packages].filter((name) => !(name in installed));
  return [
    ...(needed.length === 0 ? [] : [[`npm install ${needed.join(" ")}`, ""] as const]),
    ...(missing.length === 0 ? [] : [[`npm install --save-dev ${missing.join(" ")}`, ""] as const]),
    [`npx tsx ${program}`, all],
    [`npx tsc --outDir dist && node ${built}`, "the same, compiled"],
  ];
}

/** A path as one word of a shell. */
const quoted = (path: string): string => (/^[\w./@-]+$/.test(path) ? path : JSON.stringify(path));

const renamed = (path: string, ending: string): string => path.replace(/\.ts$/, ending);

/** With the files that it imports by their new names. */
const withNames = (text: string, ending: string): string =>
  text.replaceAll(/(?<=(?: from |^import |\bimport\()"\.[^"\s]*)\.ts(?=")/gm, ending);

/** The examples, one a line. */
function printExamples(output: Output): ExitCode {
  const examples = listExamples();
  if (output.json) output.document({ schema: "tundish/examples@1", examples });
  else {
    const width = Math.max(...examples.map(({ name }) => name.length));
    for (const { name, what } of examples) output.print(`${name.padEnd(width)}  ${what}`);
  }
  return OK;
}

/** With those above it. Not by `recursive`, which never ends where the system makes no folder and says ENOENT, as in /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder) || dirname(folder) === folder) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
}

/** @throws UsageError */
function save(folder: string, files: readonly (readonly [string, string])[]): void {
  try {
    makeFolder(folder);
    for (const [file, text] of files) {
      makeFolder(dirname(join(folder, file)));
      writeFileSync(join(folder, file), text, { flag: "wx" });
    }
  } catch (cause) {
    throw new UsageError(`init cannot write into ${folder}: ${(cause as Error).message}`, { cause });
  }
}
