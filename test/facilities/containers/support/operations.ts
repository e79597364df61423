/** Random operations of each PE on some containers, and what a serial program makes of them. */
import { differentKeys, idOf, KEYS } from "./keys.ts";

/** What is played: the operations depend on nothing else. */
export interface Case {
  readonly content: string;
  readonly seed: number;
  /** Operations of each PE. */
  readonly count: number;
}

/** An operation; of the map of order the key is one that no other PE uses, so that what comes of it does not depend on others. */
export type Operation =
  | { readonly kind: "count"; readonly key: unknown; readonly by: number }
  | {
      readonly kind: "insert" | "insertIfMissing" | "scramble" | "scrambleIfExists";
      readonly key: unknown;
      readonly x: number;
    }
  | { readonly kind: "erase" | "halve" | "add" | "remember"; readonly key: unknown };

const KINDS = [
  ...["count", "count", "count", "insert", "insertIfMissing", "scramble", "scrambleIfExists"],
  ...["erase", "halve", "add", "remember"],
] as readonly Operation["kind"][];

/** A generator of numbers from 0 to 1. Source: mulberry32 (Tommy Ettinger, public domain). */
function random(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The operations of a PE, in order. */
export function operationsOf({ content, seed, count }: Case, rank: number, size: number): Operation[] {
  const next = random(Math.imul(seed, 31) + rank);
  const below = (n: number) => Math.floor(next() * n);
  const [, keys] = KEYS[content] as (typeof KEYS)[string];
  const own = differentKeys(content).filter((_, i) => i % size === rank % size);
  const fewer = own.length === 0 ? (["count", "remember"] as const) : KINDS;
  return Array.from({ length: count }, (): Operation => {
    const kind = fewer[below(fewer.length)] as Operation["kind"];
    if (kind === "count") {
      // some come often
      const key = keys[below(2) === 0 ? 0 : below(keys.length)];
      return { kind, key, by: below(3) === 0 ? 1 + below(5) : 1 };
    }
    if (kind === "remember" || kind === "add") return { kind, key: keys[below(keys.length)] };
    const key = own[below(own.length)];
    return kind === "erase" || kind === "halve" ? { kind, key } : { kind, key, x: below(1000) };
  });
}

/** What the visitor `scramble` does: the order of two of them matters. */
export const scrambled = (value: number | undefined, x: number): number => ((value ?? 7) * 31 + x) % 1009;

/** All entries, by the text of their keys, in order. */
export interface Entries {
  readonly counts: readonly (readonly [string, number])[];
  readonly ordered: readonly (readonly [string, number])[];
  readonly seen: readonly string[];
  readonly marks: readonly (readonly [number, number])[];
}

/** In an order that depends on nothing else. */
export const inOrder = <T>(list: Iterable<T>): T[] => [...list].sort((a, b) => (String(a) < String(b) ? -1 : 1));

/** What a serial program makes of the operations of all PEs. */
export function serial(one: Case, size: number): Entries {
  const counts = new Map<string, number>();
  const ordered = new Map<string, number>();
  const seen = new Set<string>();
  const marks = new Map<number, number>();
  const add = <K>(map: Map<K, number>, key: K, by: number) => map.set(key, (map.get(key) ?? 0) + by);
  for (let rank = 0; rank < size; rank++) {
    for (const operation of operationsOf(one, rank, size)) {
      const id = idOf(one.content, operation.key);
      const before = ordered.get(id);
      switch (operation.kind) {
        case "count":
          add(counts, id, operation.by);
          break;
        case "insert":
          ordered.set(id, operation.x);
          break;
        case "insertIfMissing":
          if (before === undefined) ordered.set(id, operation.x);
          break;
        case "erase":
          ordered.delete(id);
          break;
        case "scrambleIfExists":
          if (before === undefined) break;
          ordered.set(id, scrambled(before, operation.x));
          break;
        case "scramble":
          ordered.set(id, scrambled(before, operation.x));
          add(marks, operation.x % 13, 1);
          seen.add(id);
          break;
        case "halve":
          // an odd one is removed, and counted
          if (before === undefined) break;
          if (before % 2 === 1) {
            ordered.delete(id);
            add(counts, id, 2);
          } else ordered.set(id, before / 2);
          break;
        case "add":
          seen.add(id);
          break;
        default:
          // once for each that is remembered, whoever was first
          seen.add(id);
          add(marks, 100, 1);
      }
    }
  }
  return { counts: inOrder(counts), ordered: inOrder(ordered), seen: inOrder(seen), marks: inOrder(marks) };
}
