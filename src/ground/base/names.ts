/** Names that are not known, such as a misspelt option: it would have no effect, and nobody would notice. */

import { UsageError } from "./errors.ts";
import { shortText } from "./short-text.ts";

/** Other programs' names of options, where the names are not alike. */
const ALIASES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    pes: ["workers", "threads", "processes", "procs", "np", "n", "size", "ranks", "concurrency"],
    heapBytes: ["heap", "heapSize", "memory", "memoryBytes"],
    bufferBytes: ["buffer", "bufferSize"],
    itemBytes: ["itemSize"],
    maxBytes: ["memory", "limit"],
    timeout: ["timeoutMs", "deadline", "ms"],
    signal: ["abort", "abortSignal", "controller"],
    machine: ["model"],
    trees: ["plan", "algorithm"],
    algorithm: ["trees"],
  }),
);

/** Longest part of a name that a message repeats. */
const MOST = 60;

/** `unknown option 'workers'; did you mean 'pes'? Known options: pes, machine`. @param kind `option` */
export function unknownName(kind: string, name: unknown, known: readonly string[]): string {
  const near = typeof name === "string" ? nearestName(kind, name, known) : undefined;
  const hint = near === undefined ? "." : `; did you mean '${near}'?`;
  return `unknown ${kind} ${nameText(name)}${hint} Known ${kind.replace(/x$/, "xe")}s: ${known.join(", ")}`;
}

function nameText(name: unknown): string {
  if (typeof name !== "string") return shortText(name);
  return name.length > MOST ? `'${name.slice(0, MOST)}…'` : `'${name}'`;
}

/**
 * Passes for an object that has no other than these names.
 * @param where the object, for the message
 * @throws UsageError that names them all
 */
export function checkNames(where: string, value: unknown, known: readonly string[], kind = "field"): void {
  if (!isRecord(value)) throw new UsageError(`${where}: expected an object, got ${shortText(value)}`);
  // allocates nothing, as it is part of short calls
  for (const name in value) {
    if (known.includes(name) || !Object.hasOwn(value, name)) continue;
    throw new UsageError(`${where}: ${unknownName(kind, name, known)}`);
  }
}

/** Whether it is an object with fields: no list. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The known name that was most likely meant; undefined when none is near. */
function nearestName(kind: string, name: string, known: readonly string[]): string | undefined {
  const alias = kind === "option" ? known.find((one) => ALIASES.get(one)?.includes(name)) : undefined;
  if (alias !== undefined) return alias;
  let nearest: string | undefined;
  let least = 3;
  for (const one of known) {
    const changes = distance(name.slice(0, MOST).toLowerCase(), one.toLowerCase());
    // of a short name less than half may differ
    if (changes > least || 2 * changes >= Math.max(name.length, one.length)) continue;
    if (changes === least && nearest !== undefined) continue;
    [nearest, least] = [one, changes];
  }
  return nearest;
}

/** Characters to insert, remove or replace to make one of the other (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const kept = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(kept, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
