/** `tundish init`: a program in one file, and where they are missing the files that it needs to run. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { UsageError } from "../../../ground/base/errors.ts";
import { type ExitCode, OK } from "../terminal/exit.ts";
import type { CommandOutput } from "../terminal/output.ts";
import { exampleFile, listExamples, template } from "./examples.ts";
import { dependencyOn, packageRoot } from "./installed.ts";

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

/** The outcome, as `--json` prints it. */
interface Initialised {
  readonly schema: "tundish/init@1";
  readonly folder: string;
  readonly wrote: readonly string[];
  /** Files that were there already. */
  readonly kept: readonly string[];
  /** The commands to run next, in that folder. */
  readonly next: readonly string[];
}

/** The example that is the first program. */
const FIRST = "k-means";
const TOOLS = ["tsx", "typescript", "@types/node"];

/** The settings that a program needs in tsconfig.json, as `compilerOptions` of JSON. */
const NEEDED = { module: "nodenext", types: ["node"], lib: ["esnext.disposable"] } as const;

/**
 * Writes an example, and tsconfig.json and package.json where there are none, and prints what to do next.
 * @throws UsageError for an example that there is not, if the program is there already, or the folder cannot be written
 * to; then nothing is written
 */
export async function initCommand(
  given: string | undefined,
  options: InitCommandOptions,
  output: CommandOutput,
): Promise<ExitCode> {
  if (options.list) return printExamples(output);
  const folder = resolve(given ?? ".");
  const { example = FIRST } = options;
  const { text, packages } = exampleFile(example);
  const versions = versionsOf(packageRoot());
  const theirs = packageIn(folder);
  // in a package of CommonJS only this ending makes a module of it
  const program = `${example}${theirs === undefined || theirs.type === "module" ? ".ts" : ".mts"}`;
  const files = new Map([
    [program, text],
    ["tsconfig.json", template("tsconfig.json")],
    ["package.json", `${JSON.stringify(newPackage(folder, program, packages, versions), null, 2)}\n`],
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
  const next = nextSteps(folder, theirs, program, packages, versions);
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
  const lacking = kept.includes("tsconfig.json") ? lackingIn(join(folder, "tsconfig.json")) : [];
  if (lacking.length > 0) output.note(`the program needs ${lacking.join(", ")} there`);
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

/** The options that a tsconfig.json does not have, as lines of it; all for one that is not plain JSON. */
function lackingIn(file: string): string[] {
  let options: Readonly<Record<string, unknown>> = {};
  try {
    options = JSON.parse(readFileSync(file, "utf8")).compilerOptions ?? {};
  } catch {
    // with comments, or no JSON at all
  }
  const words = (value: unknown) => [value].flat().map((one) => String(one).toLowerCase());
  return Object.entries(NEEDED)
    .filter(([name, needed]) => !words(needed).every((one) => words(options[name]).includes(one)))
    .map(([name, needed]) => `${JSON.stringify(name)}: ${JSON.stringify(needed)}`);
}

/** By package: the version that Tundish is tested with, and of Tundish the one that runs. */
function versionsOf(root: string): Readonly<Record<string, string>> {
  const ours = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as PackageJson;
  const { version = "", dependencies, devDependencies } = ours;
  return { ...dependencies, ...devDependencies, tundish: dependencyOn(root, version) };
}

function newPackage(
  folder: string,
  program: string,
  packages: readonly string[],
  versions: Readonly<Record<string, string>>,
): object {
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
  folder: string,
  theirs: PackageJson | undefined,
  program: string,
  packages: readonly string[],
  versions: Readonly<Record<string, string>>,
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
  const known = { ...theirs.dependencies, ...theirs.devDependencies };
  const missing = (names: readonly string[]) => names.filter((name) => !(name in known));
  // what no registry has is named by its place
  const specs = missing(["tundish", ...packages]).map((name) =>
    versions[name]?.startsWith("file:") ? quoted(versions[name].slice("file:".length)) : name,
  );
  const tools = missing(TOOLS);
  const install = [
    ...(specs.length === 0 ? [] : [`npm install ${specs.join(" ")}`]),
    ...(tools.length === 0 ? [] : [`npm install --save-dev ${tools.join(" ")}`]),
  ];
  const isInstalled = ["tundish", ...packages, ...TOOLS].every((name) => isFound(folder, name));
  if (install.length === 0 && !isInstalled) install.push("npm install");
  return [
    ...install.map((line) => [line, ""] as const),
    [`npx tsx ${program}`, all],
    [`npx tsc --outDir dist && node ${built}`, "the same, compiled"],
  ];
}

/** Whether a package is installed for programs in a folder, there or above it. */
function isFound(folder: string, name: string): boolean {
  if (existsSync(join(folder, "node_modules", name))) return true;
  return dirname(folder) !== folder && isFound(dirname(folder), name);
}

/** A path as one word of a shell. */
const quoted = (path: string): string => (/^[\w./@-]+$/.test(path) ? path : JSON.stringify(path));

/** The examples, one a line. */
function printExamples(output: CommandOutput): ExitCode {
  const examples = listExamples();
  if (output.json) output.document({ schema: "tundish/examples@1", examples });
  else {
    const width = Math.max(...examples.map(({ name }) => name.length));
    for (const { name, what } of examples) output.print(`${name.padEnd(width)}  ${what}`);
  }
  return OK;
}

/** With those above it. `recursive` never ends where the system makes no folder and says ENOENT, as in /proc. */
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
