/**
 * How a task is put into a deque, and run from where it lies: code that is generated for the types of its arguments.
 *
 * A spawn is a check of the arguments and some stores; nothing is called. A handler is called where it alone is called,
 * with the arguments that it takes. So V8 compiles both soon and inlines them, and numbers need no memory of their own.
 *
 * Source: code made once per schema, as fastify does for serialisation; deque.ts.
 */
import { keepsOrder } from "../../ground/memory/order.ts";
import { leavesOf } from "../conveyor/codegen/code.ts";
import { generate, itemName } from "../conveyor/codegen/generate.ts";
import { valueCode } from "../conveyor/codegen/item-view.ts";
import { argumentsOf } from "../conveyor/codegen/parts.ts";
import type { TaskArea } from "./area.ts";
import { ARGUMENTS, CAPACITY, TASK_BYTES } from "./layout.ts";
import { misfit, refusePromise, type TaskEntry } from "./table.ts";

/** What a spawn calls, rarely. */
export interface Spawning {
  /** Whether a run is under way. */
  isOpen: boolean;
  /** Runs a task for which there is no room. @param at byte offset of the task */
  atOnce(at: number): void;
  /** @throws StateError for a spawn outside of a run */
  outside(name: string): never;
}

/** Makes a task. */
type Spawner = (...args: readonly unknown[]) => void;

/** @param number of the handler @param spawning of its table */
export function spawnerOf(entry: TaskEntry, number: number, area: TaskArea, spawning: Spawning): Spawner {
  const { item } = entry;
  const leaves = item === null ? [] : leavesOf(item);
  const { count, parameters } = item === null ? { count: 0, parameters: "" } : argumentsOf(item);
  const ordered = keepsOrder();
  const load = (word: string) => (ordered ? `i32[${word}]` : `Atomics.load(i32, ${word})`);
  const store = (word: string, value: string) =>
    ordered ? `i32[${word}] = ${value};` : `Atomics.store(i32, ${word}, ${value});`;
  const source = `"use strict";
    return function spawn(${parameters}) {
      ${leaves.map(({ take }) => take).join(" ")}
      if (arguments.length !== ${count}${leaves.map(({ bad }) => ` || ${bad}`).join("")}) misfit(entry, arguments);
      if (!spawning.isOpen) spawning.outside(entry.name);
      const newest = i32[bottom];
      // pairs with the exchanges of TOP by thieves: they have read what is written over now
      const isFull = ((newest - ${load("top")}) | 0) >= ${CAPACITY};
      const at = isFull ? left : tasks + (newest & ${CAPACITY - 1}) * ${TASK_BYTES};
      i32[at >>> 2] = number;
      ${leaves.map(({ write, offset }) => write(`(at + ${ARGUMENTS + offset})`)).join("\n      ")}
      if (isFull) {
        spawning.atOnce(at);
        return;
      }
      // before it can be taken: pairs with the loads in isOver() of area.ts
      ${store("spawned", "(i32[spawned] + 1) | 0")}
      // pairs with the load in steal() of deque.ts: the task is there, and counted
      ${store("bottom", "(newest + 1) | 0")}
      if (i32[waiting] !== 0) area.wakeOne();
    };`;
  const { own, views, spawned, waiting } = area;
  const { top, bottom, tasks, left } = own;
  const scope = { ...views, top, bottom, tasks, left, spawned, waiting, number, entry, area, spawning, misfit };
  return generate(`tasks/spawn/${nameOf(entry)}${ordered ? "" : "?ordered=off"}`, source, scope) as Spawner;
}

/** Runs the task at a byte offset. All arguments are read before the handler makes tasks, which may take the slot. */
export type Runner = (at: number) => void;

export function runnerOf(entries: readonly TaskEntry[], area: TaskArea): Runner {
  const cases = entries.map(({ item }, number) => {
    const fields = item === null ? [] : item.kind === "struct" ? item.fields : [{ type: item, offset: 0 }];
    const values = fields.map(({ type, offset }) => valueCode(type, ARGUMENTS + offset));
    return `case ${number}: returned = run${number}(${values.join(", ")}); break;`;
  });
  const source = `"use strict";
    return function run(at) {
      let returned;
      const number = i32[at >>> 2];
      switch (number) {
        ${cases.join("\n        ")}
      }
      if (returned !== undefined) refusePromise(entries[number], returned);
    };`;
  const runs = Object.fromEntries(entries.map(({ run }, number) => [`run${number}`, run]));
  return generate(`tasks/run/${entries.map(nameOf).join("+")}`, source, {
    ...{ ...area.views, ...runs, entries, refusePromise },
  }) as Runner;
}

const nameOf = ({ item }: TaskEntry): string => (item === null ? "{}" : itemName(item));
