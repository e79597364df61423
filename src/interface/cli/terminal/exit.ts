/** The exit codes of the CLI, and which error has which. */

import { ModelError, PlanError, sentenceOf, TundishError, type TundishErrorCode } from "../../../ground/base/errors.ts";
import { escaped, shortText } from "../../../ground/base/short-text.ts";

export const OK = 0;
export const FAILED = 1;
export const USAGE = 2;
export const LACKING = 3;
export const NOISY = 4;
export const INTERRUPTED = 130;

/** The exit code of a command. */
export type ExitCode = typeof OK | typeof FAILED | typeof USAGE | typeof LACKING | typeof NOISY | typeof INTERRUPTED;

/** Descriptions of the codes, for the help of every command. */
export const exitCodes: Readonly<Record<ExitCode, string>> = {
  [OK]: "done",
  [FAILED]: "failed",
  [USAGE]: "wrong usage, or a file that cannot be read or written",
  [LACKING]: "this machine or its software lacks something required",
  [NOISY]: "the measurement is too noisy to trust",
  [INTERRUPTED]: "interrupted by Ctrl-C",
};

const codes: Readonly<Record<TundishErrorCode, ExitCode>> = {
  ERR_TUNDISH_USAGE: USAGE,
  ERR_TUNDISH_MODULE: USAGE,
  ERR_TUNDISH_MODEL_INVALID: USAGE,
  ERR_TUNDISH_PLAN: USAGE,
  ERR_TUNDISH_HWLOC: USAGE,
  ERR_TUNDISH_NO_HWLOC: LACKING,
  ERR_TUNDISH_NATIVE: LACKING,
  ERR_TUNDISH_NO_MPI: LACKING,
  ERR_TUNDISH_ENVIRONMENT: LACKING,
  ERR_TUNDISH_HEAP: LACKING,
  ERR_TUNDISH_ABORTED: INTERRUPTED,
  ERR_TUNDISH_MPI: FAILED,
  ERR_TUNDISH_NO_PE: FAILED,
  ERR_TUNDISH_WORLD_CLOSED: FAILED,
  ERR_TUNDISH_RANK_LOST: FAILED,
  ERR_TUNDISH_TIMEOUT: FAILED,
  ERR_TUNDISH_MISMATCH: FAILED,
  ERR_TUNDISH_STATE: FAILED,
  ERR_TUNDISH_RANGE: FAILED,
  ERR_TUNDISH_INDEX: FAILED,
  ERR_TUNDISH_RIGID: FAILED,
  ERR_TUNDISH_MISFIT: FAILED,
  ERR_TUNDISH_OFLO: FAILED,
  ERR_TUNDISH_LOG: FAILED,
  ERR_TUNDISH_LOG_CORRUPT: FAILED,
  ERR_TUNDISH_LOG_LOCKED: FAILED,
};

/**
 * A program that finds the words of its command line wrong throws a UsageError with an `exitCode` of 2: this is the
 * error then, as its PE is lost for no other reason.
 */
function ownError(error: unknown): unknown {
  const cause = causeOf(error) as { code?: unknown; exitCode?: unknown } | undefined;
  const isOfArguments = codeOf(cause) === "ERR_TUNDISH_USAGE" && cause?.exitCode === USAGE;
  return codeOf(error) === "ERR_TUNDISH_RANK_LOST" && isOfArguments ? cause : error;
}

/** The exit code of an error. */
export function exitCodeOf(thrown: unknown): ExitCode {
  const error = ownError(thrown);
  if (!(error instanceof TundishError)) return FAILED;
  // a PE that cannot load the user's module is lost, but the fault is in the named module; and so with a plan
  if (error.code === "ERR_TUNDISH_RANK_LOST" && codeOf(error.cause) === "ERR_TUNDISH_MODULE") return USAGE;
  if (error.code === "ERR_TUNDISH_RANK_LOST" && codeOf(error.cause) === "ERR_TUNDISH_PLAN") return USAGE;
  return codes[error.code] ?? FAILED;
}

/**
 * An error as the CLI prints it: `error ERR_…: message`, then its causes. Stacks are printed with `verbose`; the stack
 * of an error thrown by a PE always, as it is from the user's own program.
 */
export function errorText(thrown: unknown, verbose: boolean): string {
  const error = verbose ? thrown : ownError(thrown);
  const ours = error instanceof TundishError;
  // messages quote names of the user's files and of what is in them
  const lines = [`error ${ours ? `${error.code}: ${printable(sentenceOf(error))}` : String(error)}`];
  if (verbose && error instanceof Error) lines.push(...frames(error));
  let inProgram = codeOf(error) === "ERR_TUNDISH_RANK_LOST";
  let said = lines.join();
  for (const cause of causesOf(error)) {
    const message = printable(cause instanceof Error ? sentenceOf(cause) : shortText(cause));
    const stack = (verbose || inProgram) && cause instanceof Error ? frames(cause) : [];
    // most messages quote their cause; a value that is not an error has no stack to add
    if (verbose || stack.length > 0 || !said.includes(message)) {
      lines.push(`  caused by ${printable(shortText(cause))}`, ...stack);
    }
    said += message;
    inProgram = false;
  }
  if (!ours && !verbose) lines.push("  This is an unexpected error; --verbose shows its stack.");
  return `${lines.join("\n")}\n`;
}

/** A text of several lines, in which nothing moves the cursor otherwise. */
const printable = (text: string): string => text.split("\n").map(escaped).join("\n");

/** An error in the documents of `--json`. */
export interface ErrorEntry {
  /** The fixed code; null for an unexpected error. */
  readonly code: string | null;
  readonly message: string;
  /** The place in a document, as in `conveyors.edges.choice.hops`, where one is at fault. */
  readonly path?: string;
  /** The exit code of the command. */
  readonly exitCode: ExitCode;
  /** Its causes, the nearest first. */
  readonly causes: readonly string[];
}

/** The entry of an error. */
export function errorEntry(thrown: unknown, exitCode: ExitCode = exitCodeOf(thrown)): ErrorEntry {
  const error = ownError(thrown);
  const causes = causesOf(error).map(shortText);
  return error instanceof TundishError
    ? { code: error.code, message: sentenceOf(error), ...placeOf(error), exitCode, causes }
    : { code: null, message: String(error), exitCode, causes };
}

/** Of an error with a document, or, at a PE, of its cause. */
function placeOf(error: unknown): { readonly path?: string } {
  for (const one of [error, causeOf(error)])
    if (one instanceof PlanError || one instanceof ModelError) return one.path === "" ? {} : { path: one.path };
  return {};
}

/** The line that a failing command writes to stdout with `--json`. */
export function errorDocument(entry: ErrorEntry): string {
  return JSON.stringify({ schema: "tundish/error@1", error: entry }, null, 2);
}

function frames(error: Error): string[] {
  const lines = error.stack?.split("\n") ?? [];
  return lines.filter((line) => /^\s+at /.test(line)).map((line) => `    ${line.trim()}`);
}

/** The causes of an error, the nearest first; circular causes are listed once. */
function causesOf(error: unknown): unknown[] {
  const seen = new Set([error]);
  for (let cause = causeOf(error); cause !== undefined && !seen.has(cause); cause = causeOf(cause)) seen.add(cause);
  return [...seen].slice(1);
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | undefined)?.code;
}
