/**
 * Loads the parts of the built package in Node.js: as scripts, with the code that V8 made of them in earlier processes. Modules cannot be
 * given such code, and what `module.enableCompileCache` keeps of them has no function that is called later.
 *
 * It becomes dist/lib/load.js; the files beside it get from it what bundlers of users get from the modules in dist/lib/esm.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import vm from "node:vm";
import { getEnvironmentData, isMainThread } from "node:worker_threads";
import { cacheFolder } from "../files/cache-folder.ts";
import { hashDigits } from "../hash.ts";
import { type Compiled, isGrowing, keepCompiled, readCompiled } from "./compiled.ts";
import { KEEPS_CODE } from "./keeper.ts";
import { type Part, type Script, scriptOf } from "./script.ts";

/** Changes with the parts; defined by scripts/build/lib.mjs. */
declare const TUNDISH_PARTS: string;
/** The names of files of dist/lib that are modules for Node.js as well; likewise. */
declare const TUNDISH_MODULES: readonly string[];

/** After so long V8 has dropped code that is not used any more, s: what is left is not worth to be kept. */
const LONGEST = 10;

const begun = process.uptime();
const parts = new Map<string, Part>();
const folder = codeFolder();
const role = isMainThread ? "main" : "thread";
/** The scripts whose code is to be kept, by the name of the file. */
const growing = new Map<string, { readonly script: vm.Script; readonly kept: Compiled | undefined }>();

/** Where V8's code is kept; null if it is not. */
function codeFolder(): string | null {
  // a coverage is less precise with it
  const base = process.env.NODE_V8_COVERAGE === undefined ? cacheFolder() : null;
  if (base === null) return null;
  // V8 refuses code that was made with other options, and knows a script by its length only
  const { version, arch, execArgv, env } = process;
  const key = hashDigits([TUNDISH_PARTS, version, arch, env.NODE_OPTIONS, ...execArgv].join("\n"));
  return join(base, "code", key);
}

/** A part by its name, `./chunk-world.js`. @throws what the part throws */
export function load(name: string): Part {
  const found = parts.get(name);
  if (found !== undefined) return found;
  const file = new URL(`./esm/${name}`, import.meta.url);
  const text = scriptOf(readFileSync(file, "latin1"));
  const make = compile(text, file.href, name.slice(2));
  const part = make(load, new URL(name, import.meta.url).href, importPart, (url) => import(url));
  parts.set(name, part);
  return part;
}

/** As `import()`. */
export async function importPart(name: string): Promise<unknown> {
  return TUNDISH_MODULES.includes(name) ? import(new URL(name, import.meta.url).href) : load(name);
}

function compile(text: string, filename: string, name: string): Script {
  const file = `${role}-${name}`;
  const kept = folder === null ? undefined : readCompiled(folder, file);
  const script = new vm.Script(text, { filename, cachedData: kept?.code });
  const made: unknown = script.runInThisContext();
  // of another realm: in Jest, whose tests have globals of their own
  if (!(made instanceof Function)) {
    // biome-ignore lint/security/noGlobalEval: the only way to run a script in the realm of this module
    return globalThis.eval(`${text}\n//# sourceURL=${filename}`) as Script;
  }
  const used = script.cachedDataRejected ? undefined : kept;
  if (folder !== null && isGrowing(used)) grow(file, script, used);
  return made as Script;
}

/** Keeps the code at the end of this thread: by then it has what the program calls. */
function grow(file: string, script: vm.Script, kept: Compiled | undefined): void {
  if (!isMainThread && getEnvironmentData(KEEPS_CODE) !== true) return;
  if (growing.size === 0) process.once("exit", keepAll);
  growing.set(file, { script, kept });
}

function keepAll(): void {
  if (folder === null || process.uptime() - begun > LONGEST) return;
  for (const [file, { script, kept }] of growing)
    keepCompiled(folder, file, { code: script.createCachedData(), generation: (kept?.generation ?? 0) + 1 });
}
