/**
 * The account of an error: an error as text, so that it crosses threads with its name, code, stack and
 * causes, and becomes an error again at the other end.
 *
 * What was thrown may be anything, also something that throws when it is looked at; an account is
 * always given.
 */

import { restoreClass } from "./errors.ts";

/** What is said of the end of a world: the PE concerned (-1: none), a sentence, and the error behind it. */
export interface Verdict {
  readonly rank: number;
  readonly message: string;
  readonly cause?: unknown;
}

interface Description {
  readonly name: string;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly code?: string | number | undefined;
  readonly cause?: Description | undefined;
}

/** How much is told: depth of the chain of causes, characters of each stack and of each message. */
interface Detail {
  readonly causes: number;
  readonly stack: number;
  readonly words: number;
}

/** Ever shorter accounts: the stacks go first, then the causes. */
const DETAILS: readonly Detail[] = [
  { causes: 4, stack: 1500, words: 1000 },
  { causes: 4, stack: 400, words: 500 },
  { causes: 4, stack: 0, words: 100 },
  { causes: 1, stack: 0, words: 100 },
  { causes: 0, stack: 0, words: 100 },
];

/** The most detailed account of a verdict that fits `bytes` bytes (at least 1000). */
export function encodeVerdict({ message, cause }: Verdict, bytes: number): Uint8Array {
  for (const detail of DETAILS) {
    const account = { message: message.slice(0, detail.words), cause: describe(cause, detail) };
    const text = new TextEncoder().encode(JSON.stringify(account));
    if (text.length <= bytes) return text;
  }
  return new TextEncoder().encode('{"message":"The world has ended"}');
}

/** The sentence and the cause out of an account. */
export function decodeVerdict(text: string): { message: string; cause?: Error } {
  const { message, cause } = JSON.parse(text) as {
    message: string;
    cause?: Description;
  };
  return cause ? { message, cause: revive(cause) } : { message };
}

/** Whatever was thrown in one line: `TypeError: x is not a function`, `"text"`, `42`. */
export function inWords(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return `${thrown.name}: ${thrown.message}`;
    return typeof thrown === "string" ? JSON.stringify(thrown) : String(thrown);
  } catch {
    return "a value that cannot be printed";
  }
}

function describe(thrown: unknown, detail: Detail): Description | undefined {
  if (thrown === undefined || detail.causes === 0) return undefined;
  try {
    if (thrown instanceof Error) return describeError(thrown, detail);
  } catch {
    // a getter of its own threw; the line below says what can be said
  }
  return { name: "Error", message: `threw ${inWords(thrown)}`.slice(0, detail.words) };
}

function describeError(error: Error, detail: Detail): Description {
  const { code } = error as { code?: unknown };
  return {
    name: String(error.name),
    message: String(error.message).slice(0, detail.words),
    stack: detail.stack > 0 && error.stack ? String(error.stack).slice(0, detail.stack) : undefined,
    code: typeof code === "string" || typeof code === "number" ? code : undefined,
    cause: describe(error.cause, { ...detail, causes: detail.causes - 1 }),
  };
}

function revive({ name, message, stack, code, cause }: Description): Error {
  const error = new Error(message, cause ? { cause: revive(cause) } : undefined);
  error.name = name;
  // its own stack would show how it got here, not where it was thrown
  error.stack = stack ?? `${name}: ${message}`;
  if (code !== undefined) Object.assign(error, { code });
  restoreClass(error);
  return error;
}
