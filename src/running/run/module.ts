/** Finds and loads the user's module, built or in TypeScript. */
import { type Stats, statSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ModuleError, UsageError } from "../../ground/base/errors.ts";
import { requireHere, version } from "../../ground/base/package-file.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { findTsx } from "../../ground/base/thread/tsx.ts";
import { findSpmd, type Spmd } from "../../pe/spmd.ts";

/**
 * The URL of a module given as a URL, a `file:` string or a path relative to the working directory.
 * @throws UsageError for any other value; ModuleError if the file does not exist
 */
export function resolveModule(module: URL | string): URL {
  const name: unknown = module instanceof URL ? module.href : module;
  const isUrl = typeof name === "string" && /^(file|data):/.test(name);
  // URLs of other schemes cannot be imported
  if (typeof name !== "string" || (isUrl ? !URL.canParse(name) : module instanceof URL)) {
    throw new UsageError(`module: expected a path, or a file: or data: URL, got ${shortText(module)}`);
  }
  const url = isUrl ? new URL(name) : pathToFileURL(resolve(name));
  if (url.protocol === "file:" && !statOf(url)?.isFile()) {
    if (statOf(url)?.isDirectory()) {
      throw new ModuleError(`Expected the path or URL of a module, got ${String(module)}, which is a folder.`);
    }
    throw new ModuleError(
      `Expected the path or URL of a module, got ${String(module)}: the file ${url.pathname} does not exist, or this process may not read it. ` +
        "Relative paths are resolved from the working directory; in a module use new URL('./file.js', import.meta.url). " +
        "In a bundled program the module must be an entry of the bundle: docs/platforms.md.",
    );
  }
  return url;
}

/** The file, as found; undefined if it is not found, not readable, or not a local path. */
function statOf(url: URL): Stats | undefined {
  try {
    return statSync(url);
  } catch {
    return undefined;
  }
}

/**
 * Imports the module and finds its SPMD program.
 * @throws ModuleError if it has none, or one of another version of this package, or is TypeScript that this thread
 * cannot run; else what the module itself throws
 */
export async function loadProgram(href: string): Promise<Spmd> {
  const url = new URL(href);
  const program = findSpmd(await loadModule(url));
  if (program === undefined) {
    throw new ModuleError(
      `${url.protocol === "file:" ? fileURLToPath(url) : "The module"} has no SPMD program: expected ` +
        "`export default spmd((pe, args) => …)`, found no default export made by spmd().",
    );
  }
  if (program.version && version && program.version !== version) {
    throw new ModuleError(
      `${href} has version ${program.version} of tundish, and the thread that runs it version ${version}. Install one version for ` +
        "both; or bundle both, or neither of them.",
    );
  }
  return program;
}

/**
 * Imports a module, built or in TypeScript.
 * @throws ModuleError if it cannot be read, or is TypeScript that this thread cannot run; else what the module itself
 *   throws
 */
export async function loadModule(url: URL): Promise<{ default?: unknown }> {
  if (/\.[cm]?tsx?$/.test(url.pathname)) await prepareTypeScript(url);
  return importModule(url.href);
}

/** Codes of Node.js for a file that is JSON, or something unknown. */
const NO_MODULE = ["ERR_UNKNOWN_FILE_EXTENSION", "ERR_IMPORT_ASSERTION_TYPE_MISSING", "ERR_IMPORT_ATTRIBUTE_MISSING"];

async function importModule(href: string): Promise<{ default?: unknown }> {
  try {
    return (await import(/* webpackIgnore: true */ /* @vite-ignore */ href)) as { default?: unknown };
  } catch (cause) {
    if (NO_MODULE.includes(String((cause as { code?: unknown } | null)?.code))) {
      throw new ModuleError(`Expected a JavaScript or TypeScript module: ${(cause as Error).message}`, {
        cause,
      });
    }
    if (!(cause instanceof SyntaxError)) throw cause;
    if ((cause as NodeJS.ErrnoException).code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX") {
      throw new ModuleError(
        `${href} or a module that it imports cannot be read: ${cause.message}. Node ${process.versions.node} only removes ` +
          "types. Write it without enums and the like (erasableSyntaxOnly in tsconfig.json), build it to JavaScript, or " +
          "start the program with tsx (npx tsx main.ts).",
        { cause },
      );
    }
    throw new ModuleError(
      `${href} or a module that it imports cannot be read: ${cause.message}. ` +
        "Find the place with: node --check FILE",
      { cause },
    );
  }
}

/** Whether this thread has registered tsx: each time more would make every import slower. */
let hasTsx = false;

/** Enables TypeScript in this thread. On Node 20, tsx does not reach worker threads by itself. */
async function prepareTypeScript(url: URL): Promise<void> {
  if (hasTsx || (process.features as { typescript?: unknown }).typescript) return;
  const tsx = findTsx(url) ?? findTsx(import.meta.url);
  if (tsx !== null) {
    const { register } = (await import(/* webpackIgnore: true */ /* @vite-ignore */ tsx.esm)) as {
      register(): unknown;
    };
    register();
    hasTsx = true;
    // Node loads a .ts module of a package without "type": "module" as CommonJS
    (requireHere(import.meta.url)(tsx.cjs) as { register(): unknown }).register();
    return;
  }
  throw new ModuleError(
    `Cannot run ${fileURLToPath(url)} here: Node ${process.versions.node} does not read TypeScript in every ` +
      "thread. Build it to JavaScript first; or install tsx beside it (npm install tsx); or use Node 22.18, 24 or later.",
  );
}
