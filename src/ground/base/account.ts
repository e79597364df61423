/**
 * The account of how a world ended: a sentence and the error that caused it, encoded as bytes that cross threads and
 * nodes.
 *
 * Any value may be thrown, even one whose properties throw when they are read. Encoding always succeeds.
 */

import { type Detail, decodeThrown, type EncodedError, encodeThrown } from "./error-data.ts";
import { deserialize, serialize } from "./objects/serialized.ts";

/** How a world ended: the PE concerned (-1: none), a sentence, and the cause. */
export interface Verdict {
  readonly rank: number;
  readonly message: string;
  readonly cause?: unknown;
}

/** Decreasing detail: first large values and long stacks are dropped, then all stacks and values, then the causes. */
const DETAILS: readonly Detail[] = [
  { depth: 32, count: 1000, bytes: 32_768, stack: 32_768, words: 32_768 },
  { depth: 8, count: 32, bytes: 1024, stack: 1500, words: 1000 },
  { depth: 4, count: 8, bytes: 100, stack: 400, words: 500 },
  { depth: 4, count: 2, bytes: 0, stack: 0, words: 100 },
  { depth: 1, count: 0, bytes: 0, stack: 0, words: 100 },
  { depth: 0, count: 0, bytes: 0, stack: 0, words: 100 },
];

interface Account {
  readonly message: string;
  readonly cause?: EncodedError;
}

/** The most detailed account of a verdict that fits `bytes` bytes (at least 1000). */
export function encodeVerdict({ message, cause }: Verdict, bytes: number): Uint8Array {
  for (const detail of DETAILS) {
    const account: Account = {
      message: message.slice(0, detail.words),
      ...(cause === undefined ? {} : { cause: encodeThrown(cause, detail) }),
    };
    const encoded = serialize(account);
    if (encoded.length <= bytes) return encoded;
  }
  return serialize({ message: "The world has ended" } satisfies Account);
}

/** Decodes the sentence and the cause. */
export function decodeVerdict(bytes: Uint8Array): { message: string; cause?: unknown } {
  const { message, cause } = deserialize(bytes) as Account;
  return cause ? { message, cause: decodeThrown(cause) } : { message };
}
