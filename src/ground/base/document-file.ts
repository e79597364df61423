/** Documents in files: JSON with a format of ours. Their readers name the file and the place of the first fault. */
import { readFile, realpath, stat, writeFile } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { EnvironmentError, sentenceOf, type TundishError, UsageError } from "./errors.ts";
import { replaceFile } from "./replace-file.ts";
import { shortPath, shortText } from "./short-text.ts";

/** A kind of document. */
export interface DocumentKind<T> {
  /** Its name in messages: `a machine model`. */
  readonly what: string;
  /** The command that makes one. */
  readonly madeBy: string;
  /** Checks a document. @throws a fault */
  readonly parse: (document: unknown) => T;
  /** The error for a fault at a place of the document. */
  readonly fault: new (
    path: string,
    message: string,
    options?: ErrorOptions,
  ) => TundishError;
}

/** The path of a file that is given by its path or its URL. @throws UsageError for anything else */
export function filePath(path: string | URL): string {
  if (path instanceof URL && path.protocol === "file:") return fileURLToPath(path);
  // a number would be read as a file that is open
  if (typeof path === "string" && path !== "") return path;
  throw new UsageError(`path: expected the path or the file: URL of a file, got ${shortText(path)}`);
}

/**
 * Reads and checks a document.
 * @param path of the file; `-` is stdin
 * @throws the kind's fault if the file cannot be read, or is not JSON or not such a document; the message names the
 * file
 */
export async function readDocument<T>(path: string, kind: DocumentKind<T>): Promise<T> {
  const { what, madeBy, parse, fault: Fault } = kind;
  const name = path === "-" ? "stdin" : shortPath(path);
  let text: string;
  try {
    text = path === "-" ? await readAll(process.stdin) : await readFile(path, "utf8");
  } catch (cause) {
    const why = (cause as Error).message.replace(path, () => name);
    const message = `${name}: expected ${what}, but it cannot be read (${why}). Make one with: ${madeBy}`;
    throw new Fault("", message, { cause });
  }
  let document: unknown;
  try {
    // some editors write a byte-order mark, which JSON does not allow
    document = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (cause) {
    throw new Fault("", `${name}: expected JSON: ${(cause as Error).message}`, { cause });
  }
  try {
    return parse(document);
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    const { path: place } = cause as TundishError & { readonly path: string };
    throw new Fault(place, `${name}: ${sentenceOf(cause)}`, { cause });
  }
}

/**
 * Writes a document. The file is replaced atomically: a reader sees the old one or the whole new one.
 * @param what its name in messages: `the machine model`
 * @throws EnvironmentError if the file cannot be written
 */
export async function writeDocument(path: string, text: string, what: string): Promise<void> {
  // the target of a link is replaced, not the link; pipes and devices can only be written to
  const target = await realpath(path).catch(() => path);
  const isFile = await stat(target).then(
    (found) => found.isFile(),
    () => true,
  );
  try {
    if (isFile) replaceFile(target, text);
    else await writeFile(target, text);
  } catch (cause) {
    throw new EnvironmentError(
      `Cannot write ${what} to ${path}: ${(cause as Error).message}. Choose a file in a folder that can be written to.`,
      { cause },
    );
  }
}
