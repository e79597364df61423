/**
 * Call sites: where a program calls the library, for errors: `histogram.ts:12`. They are read from stacks, from which
 * the frames of the library are left out, in its sources and wherever they are bundled to. A user's bundle that has the
 * library in it tells nothing, unless it runs with source maps.
 */
import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of this package, with a separator, and where the library is in it; null in a CommonJS bundle. */
const OWN =
  /^(.*?[\\/])(?:dist[\\/]lib[\\/](?:esm[\\/])?[^\\/]*|(?:dist[\\/](?:modules[\\/])?)?src[\\/]ground[\\/]base[\\/]call-site[\\/]call-site\.[jt]s)$/;
const LIBRARY = /^(?:dist[\\/](?:(?:lib|esm)[\\/]|all-\w+\.js|(?:modules[\\/])?(?:src|trees)[\\/])|(?:src|trees)[\\/])/;
/** More frames than the library and an event loop have between an error and the program. */
const FRAMES = 100;

const here: unknown = import.meta.url;
const file: string = typeof here === "string" && here.startsWith("file:") ? fileURLToPath(here) : "";
const root: string = OWN.exec(file)?.[1] ?? "";

/** A call of the library by the program. */
export interface Caller {
  /** `floyd.ts:12`; a path relative to the working directory. */
  readonly line: string;
  /** The function of the library that was called: `barrier`; "" if it has no name. */
  readonly call: string;
}

/** A frame: its function, "" for none, its file, and its line. */
const FRAME = /^ {4}at (?:async )?(?:(.*?) \()?(?:file:\/\/)?(.+?):(\d+):\d+\)?$/;
/** The name of a method without its class, and without a bundle's suffix. Async collectives are not in stacks. */
const NAME = /(?:^|[. ])([a-z]\w*?)\d*(?: \[as \w+\])?$/i;

/** Whether the library has it, or Node; generated code has a scheme of its own. */
function isOurs(path: string): boolean {
  if (/^(?:node:|tundish:|eval|<)|[\\/]node_modules[\\/]tundish[\\/]/.test(path)) return true;
  if (root === "") return path === file || file === "";
  return path.startsWith(root) && LIBRARY.test(path.slice(root.length));
}

/** The last call of the library in a stack; null if it has none by the program. */
export function callerIn(stack: string): Caller | null {
  let call = "";
  for (const text of stack.split("\n")) {
    const frame = FRAME.exec(text);
    if (frame === null) continue;
    const [, name = "", path = "", line = ""] = frame;
    const plain = decoded(path);
    if (!isOurs(plain)) return { line: `${shown(plain)}:${line}`, call };
    call = /^(?:Collectives\.|awaitOn\d*$)/.test(name) ? "" : (NAME.exec(name)?.[1] ?? "");
  }
  return null;
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** A path as the reader knows it. */
function shown(path: string): string {
  const from = relative(process.cwd(), path);
  return from === "" || from.startsWith("..") ? (path.split(/[\\/]/).at(-1) as string) : from.split(sep).join("/");
}

/** A stack that is read when somebody asks: that takes longer than to take it. */
export class CallSite {
  readonly #error: Error;

  constructor() {
    const { stackTraceLimit } = Error;
    // it may be frozen: then as many as there are
    Reflect.set(Error, "stackTraceLimit", FRAMES);
    this.#error = new Error("here");
    Reflect.set(Error, "stackTraceLimit", stackTraceLimit);
  }

  get caller(): Caller | null {
    return callerIn(this.#error.stack ?? "");
  }

  /**
   * Puts the frames of the program behind those of an error that arose later, in another call, if it has none of its
   * own.
   * @returns the error
   */
  extend(error: unknown): unknown {
    if (!(error instanceof Error) || typeof error.stack !== "string" || callerIn(error.stack) !== null) return error;
    const frames = this.#error.stack?.split("\n").filter((frame) => callerIn(frame) !== null) ?? [];
    // it may be frozen
    Reflect.set(error, "stack", [error.stack, ...frames].join("\n"));
    return error;
  }

  /** The line of the program; "" if there is none. */
  get text(): string {
    return this.caller?.line ?? "";
  }
}
