/** The module of a kernel: read, compiled, and what is known of it. */
import { readFileSync } from "node:fs";
import { sentenceOf, UsageError } from "../../ground/base/errors.ts";
import { fnv1a } from "../../ground/base/hash.ts";
import { shortText } from "../../ground/base/short-text.ts";
import type { WasmModule } from "../../ground/memory/kernels/webassembly.ts";
import { type Binary, type Dylink, dylinkSection, readBinary } from "./binary.ts";
import { type WasmPort, webAssembly } from "./web-assembly.ts";

/** A module that is compiled. */
export interface Loaded {
  readonly module: WasmModule;
  /** Names it in messages. */
  readonly name: string;
  readonly imports: readonly WasmPort[];
  readonly exports: ReadonlyMap<string, WasmPort["kind"]>;
  readonly dylink: Dylink | null;
  /** Null for one that the program has compiled: V8 does not give its bytes back. */
  readonly binary: Binary | null;
  /** The same at all PEs, if they have the same module. */
  readonly hash: number;
}

/**
 * Compiles it. V8 keeps the code of equal bytes for all threads of a process (its NativeModuleCache), so that the PEs
 * of a node compile a module once.
 * @throws UsageError for what is no module, a file that cannot be read, and bytes that V8 does not compile
 */
export function load(source: unknown): Loaded {
  if (source instanceof (webAssembly.Module as unknown as new () => object)) {
    const module = source as WasmModule;
    const [section] = webAssembly.Module.customSections(module, "dylink.0");
    const parts = partsOf(module, "a WebAssembly.Module");
    const hash = fnv1a(JSON.stringify([parts.imports, [...parts.exports]]));
    return { ...parts, dylink: section === undefined ? null : dylinkSection(section), binary: null, hash };
  }
  const name = source instanceof URL ? source.href : "the bytes of a module";
  const bytes = source instanceof URL ? readFile(source) : bytesOf(source);
  const parts = partsOf(compile(bytes, name), name);
  const binary = readBinary(bytes);
  return {
    ...parts,
    dylink: binary.dylink,
    binary,
    hash: fnv1a(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1")),
  };
}

function partsOf(module: WasmModule, name: string): Pick<Loaded, "module" | "name" | "imports" | "exports"> {
  const exports = webAssembly.Module.exports(module);
  return {
    module,
    name,
    imports: webAssembly.Module.imports(module),
    exports: new Map(exports.map((one) => [one.name, one.kind])),
  };
}

function readFile(url: URL): Uint8Array {
  try {
    return readFileSync(url);
  } catch (cause) {
    throw new UsageError(
      `kernel: expected the URL of a file of WebAssembly, as new URL("./sum.wasm", import.meta.url), got ${url.href}: ` +
        `${(cause as Error).message}. Build it first, and copy it beside what a bundler or compiler writes.`,
      { cause },
    );
  }
}

function bytesOf(source: unknown): Uint8Array {
  // copies, as another thread may write into shared bytes
  if (ArrayBuffer.isView(source))
    return Uint8Array.from(new Uint8Array(source.buffer, source.byteOffset, source.byteLength));
  if (source instanceof ArrayBuffer || source instanceof SharedArrayBuffer)
    return Uint8Array.from(new Uint8Array(source));
  throw new UsageError(
    `kernel: expected the URL of a file, bytes or a WebAssembly.Module, got ${shortText(source)}.` +
      (typeof source === "string" ? " For a path: new URL(path, import.meta.url)." : ""),
  );
}

function compile(bytes: Uint8Array, name: string): WasmModule {
  try {
    return new webAssembly.Module(bytes);
  } catch (cause) {
    throw new UsageError(
      `kernel: expected WebAssembly that this Node.js can compile, got ${name}: ${sentenceOf(cause as Error)}. ` +
        "Is it the binary format (it begins with 00 61 73 6d), and are its features in this version of Node.js?",
      { cause },
    );
  }
}
