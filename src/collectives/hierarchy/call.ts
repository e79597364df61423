/** A call of a group over nodes. A class, as every call of a program makes one: a literal with a spread takes 2 us. */
import type { Task } from "../../ground/wait/task.ts";
import type { CheckedCall } from "../calls/call.ts";
import type { HierarchyEngine } from "./engine.ts";

/** The messages between its steps are of this call. It may be kept, and begun again and again. */
export class HierarchyCall<T> implements CheckedCall<T> {
  readonly word: number;
  readonly count: number;
  readonly root: number;
  readonly #engine: HierarchyEngine;
  readonly #begin: (tag: number) => Task<unknown>;
  readonly #finish: (result: unknown) => T;

  constructor(
    engine: HierarchyEngine,
    word: number,
    count: number,
    root: number,
    begin: (tag: number) => Task<unknown>,
    finish: (result: unknown) => T,
  ) {
    this.word = word;
    this.count = count;
    this.root = root;
    this.#engine = engine;
    this.#begin = begin;
    this.#finish = finish;
  }

  begin(tag: number): Task<unknown> {
    this.#engine.hierarchy.messages.begin(tag, this.word, this.count, this.root);
    return this.#begin(tag);
  }

  finish(result: unknown): T {
    return this.#finish(result);
  }
}

/** A call whose steps depend on what comes. */
export function taskCall<T>(
  engine: HierarchyEngine,
  word: number,
  count: number,
  root: number,
  task: (tag: number) => Task<T>,
): CheckedCall<T> {
  return new HierarchyCall(engine, word, count, root, task, (result) => result as T);
}
