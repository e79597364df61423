/**
 * Every error that Tundish throws deliberately.
 *
 * There is one base class, one class per cause, and a fixed `code` to match on. A message states what was expected,
 * what was given, and what to do next. It ends with the code in brackets, because a structured clone (postMessage, a
 * pool of workers) keeps an error's message but drops its code and its class. `instanceof` also holds between two
 * copies of the package (for example the ESM build and a linked checkout), because it tests a registered symbol.
 */

import { define } from "./objects/define.ts";

/** The fixed error codes. */
export type TundishErrorCode =
  | "ERR_TUNDISH_USAGE"
  | "ERR_TUNDISH_NO_PE"
  | "ERR_TUNDISH_WORLD_CLOSED"
  | "ERR_TUNDISH_RANK_LOST"
  | "ERR_TUNDISH_TIMEOUT"
  | "ERR_TUNDISH_ABORTED"
  | "ERR_TUNDISH_MISMATCH"
  | "ERR_TUNDISH_HEAP"
  | "ERR_TUNDISH_STATE"
  | "ERR_TUNDISH_RANGE"
  | "ERR_TUNDISH_INDEX"
  | "ERR_TUNDISH_RIGID"
  | "ERR_TUNDISH_MISFIT"
  | "ERR_TUNDISH_OFLO"
  | "ERR_TUNDISH_MODEL_INVALID"
  | "ERR_TUNDISH_PLAN"
  | "ERR_TUNDISH_MODULE"
  | "ERR_TUNDISH_HWLOC"
  | "ERR_TUNDISH_NO_HWLOC"
  | "ERR_TUNDISH_NATIVE"
  | "ERR_TUNDISH_MPI"
  | "ERR_TUNDISH_NO_MPI"
  | "ERR_TUNDISH_ENVIRONMENT"
  | "ERR_TUNDISH_LOG"
  | "ERR_TUNDISH_LOG_CORRUPT"
  | "ERR_TUNDISH_LOG_LOCKED";

const kTundishError: symbol = Symbol.for("tundish.error");

/** Base of all errors of this package. */
export class TundishError extends Error {
  /** The cause, for programs to match on. */
  readonly code: TundishErrorCode;
  /** The name of its class. It is defined, as what is inherited from a frozen Error.prototype cannot be assigned. */
  declare name: string;

  /** @param message the sentence; the code is appended to it */
  constructor(code: TundishErrorCode, message: string, options?: ErrorOptions) {
    super(withCode(message, code), options);
    this.code = code;
    define(this, "name", { value: new.target.name, writable: true, enumerable: true, configurable: true });
    define(this, kTundishError, { value: true });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: the same method serves each subclass under its own name
    return isInstance(value, this);
  }
}

/** Outside the class: the bundler renames a class that refers to its own name, and the names of its errors with it. */
function isInstance(value: unknown, type: typeof TundishError): boolean {
  if (typeof value !== "object" || value === null || !(kTundishError in value)) return false;
  return type === TundishError || hasName(value, type.name);
}

/** Appends the code to a message unless it is there already. */
function withCode(message: string, code: TundishErrorCode): string {
  const mark = ` [${code}]`;
  return message.endsWith(mark) ? message : message + mark;
}

/** An error's message without the code at its end, to be quoted within another message. */
export function sentenceOf({ message, code }: Error & { readonly code?: unknown }): string {
  const mark = ` [${String(code)}]`;
  return message.endsWith(mark) ? message.slice(0, -mark.length) : message;
}

/** Appends sentences to an error's message. */
export function addWords(error: TundishError, words: readonly string[]): void {
  error.message = withCode([sentenceOf(error), ...words].join(" "), error.code);
}

function hasName(value: object, name: string): boolean {
  for (let proto = Object.getPrototypeOf(value); proto; proto = Object.getPrototypeOf(proto)) {
    if (proto.constructor?.name === name) return true;
  }
  return false;
}

/** A call had invalid arguments, or was made where it is not allowed. */
export class UsageError extends TundishError {
  constructor(message: string, options?: ErrorOptions) {
    super("ERR_TUNDISH_USAGE", message, options);
  }
}

/** A free function was called on a thread that is not a PE. */
export class NoPEError extends TundishError {
  constructor(what: string) {
    super(
      "ERR_TUNDISH_NO_PE",
      `${what} acts on the calling thread's PE, and this thread is not a PE. Call it inside an spmd() main started by launch() or simulateAsync(); in a generator for simulate() call the methods of its PE.`,
    );
  }
}

/** The world has ended; no further call on it is possible. */
export class WorldClosedError extends TundishError {
  constructor(message: string, options?: ErrorOptions) {
    super("ERR_TUNDISH_WORLD_CLOSED", message, options);
  }
}

/** A PE threw, exited or was killed. `rank` is its rank and `cause` its error. */
export class RankLostError extends TundishError {
  /** The PE that was lost first. */
  readonly rank: number;

  constructor(rank: number, message: string, options?: ErrorOptions) {
    super("ERR_TUNDISH_RANK_LOST", message, options);
    this.rank = rank;
  }
}

/** A wait or a run exceeded its timeout. */
export class TimeoutError extends TundishError {
  constructor(message: string, options?: ErrorOptions) {
    super("ERR_TUNDISH_TIMEOUT", message, options);
  }
}

/** An AbortSignal ended the wait or the run; `cause` is its reason. */
export class AbortedError extends TundishError {
  constructor(message: string, options?: ErrorOptions) {
    super("ERR_TUNDISH_ABORTED", message, options);
  }
}

/** PEs made collective calls that do not match. */
export class MismatchError extends TundishError {
  constructor(message: string, options?: ErrorOptions) {
    super("ERR_TUNDISH_MISMATCH", message, options);
  }
}

/** The shared heap is full, or a freed block is not an allocated block. */
export class HeapError extends TundishError {
  constructor(message: string, options?: ErrorOptions) {
    super("ERR_TUNDISH_HEAP", message, options);
  }
}

/** A conveyor or another part of a program was called in a state that does not allow the call. Nothing changed. */
export class StateError extends TundishError {
  constructor(message: string, options?: ErrorOptions) {
    super("ERR_TUNDISH_STATE", message, options);
  }
}

/** The destination of an item is not a rank. */
export class RankRangeError extends TundishError {
  constructor(message: string, options?: ErrorOptions) {
    super("ERR_TUNDISH_RANGE", message, options);
  }
}

/** An item names no element of the table that it is for. */
export class IndexRangeError extends TundishError {
  /** The PE that pushed it. */
  readonly from: number;
  /** The index that it has. */
  readonly index: number | bigint;
  /** The length of the table. */
  readonly length: number;

  /** @param what was to be done with the item, and what is to be done now */
  constructor(
    { from, index, length }: Pick<IndexRangeError, "from" | "index" | "length">,
    what: string,
    next: string,
    options?: ErrorOptions,
  ) {
    super(
      "ERR_TUNDISH_INDEX",
      `${what}: ${length === 0 ? "expected a table with elements, as it has none" : `expected an index from 0 to ${length - 1}, as the table has ${length} elements`}; ` +
        `got ${length === 0 ? "index " : ""}${index} from PE ${from}. ${next}`,
      options,
    );
    this.from = from;
    this.index = index;
    this.length = length;
  }
}

/** An item with a length of its own was pushed to, or pulled from, a rigid conveyor. */
export class RigidError extends TundishError {
  constructor(message: string, options?: ErrorOptions) {
    super("ERR_TUNDISH_RIGID", message, options);
  }
}

/** The next item does not have the requested type. It stays the next item. */
export class MisfitError extends TundishError {
  constructor(message: string, options?: ErrorOptions) {
    super("ERR_TUNDISH_MISFIT", message, options);
  }
}

/** An item is too large for the conveyor. */
export class OverflowError extends TundishError {
  constructor(message: string, options?: ErrorOptions) {
    super("ERR_TUNDISH_OFLO", message, options);
  }
}

/** A machine model does not follow `tundish/machine@1`; `path` is the place of the fault. */
export class ModelError extends TundishError {
  /** Path within the document, for example `send.3.7`; empty for the whole document. */
  readonly path: string;

  constructor(path: string, message: string, options?: ErrorOptions) {
    super("ERR_TUNDISH_MODEL_INVALID", message, options);
    this.path = path;
  }
}

/** A plan does not follow `tundish/plan@1`, or does not fit where it is used; `path` is the place of the fault. */
export class PlanError extends TundishError {
  /** Path within the document, for example `conveyors.edges.choice.hops`; empty for the whole document. */
  readonly path: string;

  constructor(path: string, message: string, options?: ErrorOptions) {
    super("ERR_TUNDISH_PLAN", message, options);
    this.path = path;
  }
}

/** The user's module cannot be loaded as an SPMD module. */
export class ModuleError extends TundishError {
  constructor(message: string, options?: ErrorOptions) {
    super("ERR_TUNDISH_MODULE", message, options);
  }
}

/** libhwloc rejected an input or a binding. */
export class HwlocError extends TundishError {
  constructor(message: string, options?: ErrorOptions) {
    super("ERR_TUNDISH_HWLOC", message, options);
  }
}

/** libhwloc is not installed, or its version is not supported. */
export class NoHwlocError extends TundishError {
  constructor(message: string, options?: ErrorOptions) {
    super("ERR_TUNDISH_NO_HWLOC", message, options);
  }
}

/** A native library or a call into it failed. */
export class NativeError extends TundishError {
  constructor(message: string, options?: ErrorOptions) {
    super("ERR_TUNDISH_NATIVE", message, options);
  }
}

/** An MPI call failed. The message contains MPI's own text. */
export class MpiError extends TundishError {
  constructor(message: string, options?: ErrorOptions) {
    super("ERR_TUNDISH_MPI", message, options);
  }
}

/** No usable MPI: no library, a library other than the launcher's, or one without thread support. */
export class NoMpiError extends TundishError {
  constructor(message: string, options?: ErrorOptions) {
    super("ERR_TUNDISH_NO_MPI", message, options);
  }
}

/** The machine lacks a requested feature, or one of its limits is reached: threads, mappings, address space. */
export class EnvironmentError extends TundishError {
  constructor(message: string, options?: ErrorOptions) {
    super("ERR_TUNDISH_ENVIRONMENT", message, options);
  }
}

/** A file of a log cannot be read or written; `cause` is the system's error. */
export class LogError extends TundishError {
  /** The file or the folder. */
  readonly file: string;

  constructor(file: string, message: string, options?: ErrorOptions) {
    super("ERR_TUNDISH_LOG", message, options);
    this.file = file;
  }
}

/** A file of a log was changed, or a part of it is gone, after it was written. */
export class CorruptLogError extends TundishError {
  /** The file. */
  readonly file: string;
  /** The place in the file, in bytes. */
  readonly offset: number;

  constructor(file: string, offset: number, message: string, options?: ErrorOptions) {
    super("ERR_TUNDISH_LOG_CORRUPT", message, options);
    this.file = file;
    this.offset = offset;
  }
}

/** A log is open elsewhere. */
export class LogLockedError extends TundishError {
  /** Its folder. */
  readonly folder: string;

  constructor(folder: string, message: string, options?: ErrorOptions) {
    super("ERR_TUNDISH_LOG_LOCKED", message, options);
    this.folder = folder;
  }
}

/** Names classes in spite of a bundler that minifies: errors are known by the names of their classes. */
export function named<Classes extends Readonly<Record<string, object>>>(classes: Classes): Classes {
  for (const [name, type] of Object.entries(classes)) define(type, "name", { value: name });
  return classes;
}

const classes: ReadonlyMap<string, object> = new Map(
  Object.entries(
    named({
      TundishError,
      UsageError,
      NoPEError,
      WorldClosedError,
      RankLostError,
      TimeoutError,
      AbortedError,
      MismatchError,
      HeapError,
      StateError,
      RankRangeError,
      IndexRangeError,
      RigidError,
      MisfitError,
      OverflowError,
      ModelError,
      PlanError,
      ModuleError,
      HwlocError,
      NoHwlocError,
      NativeError,
      MpiError,
      NoMpiError,
      EnvironmentError,
      LogError,
      CorruptLogError,
      LogLockedError,
    }),
  ).map(([name, { prototype }]) => [name, prototype]),
);

/** The class of this package that an error is an instance of, derived or not; undefined for any other error. */
export function classOf(error: Error): string | undefined {
  if (!(kTundishError in error)) return undefined;
  for (let proto = Object.getPrototypeOf(error); proto; proto = Object.getPrototypeOf(proto)) {
    if (classes.has(proto.constructor?.name)) return proto.constructor.name;
  }
  return undefined;
}

/** Turns a plain error from another thread back into an instance of its class of this package. */
export function restoreClass(error: Error, name: string = error.name): void {
  const prototype = classes.get(name);
  if (prototype === undefined || !String((error as { code?: unknown }).code).startsWith("ERR_TUNDISH_")) return;
  Object.setPrototypeOf(error, prototype);
  define(error, kTundishError, { value: true });
}
