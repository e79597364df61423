/**
 * Loads the parts of the built package in Node.js: as scripts, with the code that V8 made of them in earlier processes.
 * Modules cannot be given such code, and what `module.enableCompileCache` keeps of them has no function that is called
 * later.
 *
 * It becomes dist/lib/load.js; the files beside it get from it what bundlers of users get from the modules in
 * dist/lib/esm.
 */
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import vm from "node:vm";
import { getEnvironmentData, isMainThread } from "node:worker_threads";
import { namedCode } from "../call-site/named-code.ts";
import { cacheFolder } from "../files/cache-folder.ts";
import { fnv1a, hashDigits } from "../hash.ts";
import { type Compiled, isGrowing, isWorth, keepCompiled, LOOKING, readCompiled } from "./compiled.ts";
import { KEEPS_CODE } from "./keeper.ts";
import { type Part, type Script, scriptOf } from "./script.ts";

/** Changes with the parts; defined by scripts/build/lib.mjs. */
declare const TUNDISH_PARTS: string;
/** The names of files of dist/lib that are modules for Node.js as well; likewise. */
declare const TUNDISH_MODULES: readonly string[];

/** After so long V8 has dropped code that is not used any more, s: what is left is not worth to be kept. */
const LONGEST = 10;

/** Options that may be V8's: those of Node.js that are often used are none. */
const V8S =
  /^--(?!(no-)?(title|cpu-prof|heap-prof|import|require|loader|env-file|conditions|inspect|enable-source|warnings|eval|print|input-type|test|watch|permission|allow-|experimental-|preserve-|deprecation|trace-(deprecation|env|event|exit|promises|require|sigint|sync-io|tls|uncaught|warnings)))/;
const begun = process.uptime();
const parts = new Map<string, Part>();
const folder = codeFolder();
const role = isMainThread ? "main" : "thread";
/** Whether this process looks at its end for code that is not kept yet. */
const looks = Math.random() < LOOKING;
/** A script whose code is to be kept, and the bytes of what is kept. */
type Growing = Omit<Compiled, "code"> & { readonly script: vm.Script; readonly bytes: number };
/** By the name of the file. */
const growing = new Map<string, Growing>();

/** Where V8's code is kept; null if it is not. */
function codeFolder(): string | null {
  // a coverage is less precise with it
  const base = process.env.NODE_V8_COVERAGE === undefined ? cacheFolder() : null;
  if (base === null) return null;
  const { version, arch, execArgv, env } = process;
  // V8 refuses code that was made with other options of its own; Node 20 shows the paths of the process that made it
  const options = [...(env.NODE_OPTIONS ?? "").split(/\s+/), ...execArgv].filter((one) => V8S.test(one));
  const key = hashDigits([TUNDISH_PARTS, import.meta.url, version, arch, ...options].join("\n"));
  return resolve(base, "v8-code", key);
}

/** A part by its name, `./chunk-world.js`. @throws what the part throws */
export function load(name: string): Part {
  const found = parts.get(name);
  if (found !== undefined) return found;
  const file = new URL(`./esm/${name}`, import.meta.url);
  const make = compile(scriptOf(textOf(file)), file, name.slice(2));
  const part = make(load, new URL(name, import.meta.url).href, importPart, (url) => import(url));
  parts.set(name, part);
  return part;
}

/** As `import()`. */
export async function importPart(name: string): Promise<unknown> {
  return TUNDISH_MODULES.includes(name) ? import(new URL(name, import.meta.url).href) : load(name);
}

function textOf(file: URL): string {
  try {
    return readFileSync(file, "latin1");
  } catch (cause) {
    const message =
      `${(cause as Error).message}. The package is bundled: the bundler must know the condition "module" ` +
      "(esbuild: --conditions=module beside others). See docs/platforms.md of the package. [ERR_TUNDISH_MODULE]";
    throw Object.assign(new Error(message, { cause }), { name: "ModuleError", code: "ERR_TUNDISH_MODULE" });
  }
}

/** Changes when a file is edited, which is rare: to read it all takes longer than V8 takes for the code. */
function sourceOf(file: URL): number {
  const { mtimeMs, size } = statSync(file);
  return fnv1a([size, mtimeMs / 2 ** 32, mtimeMs]) >>> 0;
}

function compile(text: string, from: URL, name: string): Script {
  const file = `${role}-${name}`;
  const filename = from.href;
  const source = folder === null ? 0 : sourceOf(from);
  const kept = folder === null ? undefined : readCompiled(folder, file, source);
  const script = new vm.Script(text, { filename, cachedData: kept?.code });
  const made: unknown = script.runInThisContext();
  // of another realm: in Jest, whose tests have globals of their own
  if (!(made instanceof Function)) {
    // biome-ignore lint/security/noGlobalEval: the only way to run a script in the realm of this module
    return globalThis.eval(namedCode(text, filename)) as Script;
  }
  // what V8 refuses, as it was made with other options, would be refused for ever
  const taken = script.cachedDataRejected ? undefined : kept;
  if (folder !== null && (looks || isGrowing(taken))) {
    grow(file, { script, generation: taken?.generation ?? 0, source, bytes: taken?.code.length ?? 0 });
  }
  return made as Script;
}

/** Keeps the code at the end of this thread: by then it has what the program calls. */
function grow(file: string, one: Growing): void {
  if (!isMainThread && getEnvironmentData(KEEPS_CODE) !== true) return;
  if (growing.size === 0) process.once("exit", keepAll);
  growing.set(file, one);
}

function keepAll(): void {
  if (folder === null || process.uptime() - begun > LONGEST) return;
  for (const [file, { script, generation, source, bytes }] of growing) {
    const code = script.createCachedData();
    if (isWorth(generation, code.length, bytes))
      keepCompiled(folder, file, { code, generation: generation + 1, source });
  }
}
