/** Visitors by name: functions that run where what they visit is, with arguments that are written into an operation. */
import { UsageError } from "../../ground/base/errors.ts";
import { isRecord, unknownName } from "../../ground/base/names.ts";
import { isAsync } from "../../ground/base/promise.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { refuseReturned } from "../conveyor/codegen/returned.ts";
import { argumentsReader, argumentsWriter, type Write } from "./content/codec.ts";
import { type Content, checkContent, describeContent } from "./content/content.ts";
import type { Cursor } from "./content/cursor.ts";
import { INSTEAD } from "./session/session.ts";

/** A visitor as programs give it, whatever it visits. */
export interface AnyVisitor {
  readonly args?: Content | undefined;
  readonly run: (...given: readonly unknown[]) => unknown;
}

export type AnyVisitors = Readonly<Record<string, AnyVisitor>>;

/** A visitor as it is sent and run. */
export interface Visit {
  readonly number: number;
  /** For messages. */
  readonly call: string;
  readonly write: Write;
  readonly read: ReturnType<typeof argumentsReader>;
  readonly run: AnyVisitor["run"];
}

/** The visitors of a container. */
export class Visits {
  readonly #call: string;
  readonly #visits: readonly Visit[];
  readonly #byName: ReadonlyMap<unknown, Visit>;

  /** @param container as the program calls it */
  constructor(container: string, visitors: AnyVisitors) {
    this.#call = `${container}.visit`;
    this.#visits = Object.entries(visitors).map(([name, { args, run }], number) => ({
      number,
      call: `${this.#call}: ${name}`,
      write: argumentsWriter(args),
      read: argumentsReader(args),
      run,
    }));
    this.#byName = new Map(Object.keys(visitors).map((name, number) => [name, this.#visits[number] as Visit]));
  }

  /** @throws UsageError for an unknown name */
  find(name: string): Visit {
    const visit = this.#byName.get(name);
    if (visit !== undefined) return visit;
    throw new UsageError(`${this.#call}: ${unknownName("visitor", name, [...this.#byName.keys()] as string[])}`);
  }

  /** How messages call a visitor. */
  callOf(number: number): string {
    return (this.#visits[number] as Visit).call;
  }

  /** Runs a visitor. @param visited what it gets before its arguments @param from where these begin */
  run(number: number, visited: unknown, from: Cursor): void {
    const visit = this.#visits[number] as Visit;
    const returned = visit.read(visit.run, visited, from);
    if (returned !== undefined) refuseReturned(returned, visit.call, INSTEAD);
  }
}

/** The terms that the PEs must agree about, as text: `, add(f64), reset()`. */
export const visitorsText = (visitors: AnyVisitors): string =>
  Object.entries(visitors)
    .map(([name, { args }]) => `, ${name}(${args === undefined ? "" : describeContent(args)})`)
    .join("");

/** @param kind of container, for messages @throws UsageError */
export function checkVisitors(kind: string, visitors: unknown): AnyVisitors {
  if (!isRecord(visitors)) {
    throw new UsageError(
      `${kind}: expected visitors, as in { add: { args: f64, run(entry, amount) { … } } }, got ${shortText(visitors)}`,
    );
  }
  for (const [name, visitor] of Object.entries(visitors)) {
    const { args, run } = (isRecord(visitor) ? visitor : {}) as Partial<AnyVisitor>;
    if (typeof run !== "function" || isAsync(run)) {
      throw new UsageError(
        `${kind}: ${name}: expected { args, run(entry, …) { … } } with a function that does not await, got ${shortText(visitor)}`,
      );
    }
    if (args !== undefined) checkContent(`${kind}: ${name}: args`, args);
  }
  return visitors as AnyVisitors;
}
