/**
 * Checks of option objects and documents, by valibot: one schema says what there is, and the first thing wrong becomes
 * one sentence.
 *
 *     const OPTIONS = optionsOf<LaunchOptions>({ pes: whole(1, 4096), timeout: positive("milliseconds"), … });
 *     checkOptions("launch", OPTIONS, { workers: 2 });
 *     // launch: unknown option 'workers'; did you mean 'pes'? Known options: pes, timeout, …
 *     checkOptions("launch", OPTIONS, { pes: 0 });
 *     // pes: expected a whole number from 1 to 4096, got 0
 *
 * Options of collective calls are checked by hand (collectives/calls/call.ts), as each call may have some.
 */

import * as v from "valibot";
import { UsageError } from "./errors.ts";
import { isRecord, unknownName } from "./names.ts";
import { shortText } from "./short-text.ts";

/**
 * A schema whose messages say what is expected: what came is put behind it. Not valibot's own type, so that the
 * declarations that users read do not need valibot.
 */
export interface OptionField {
  readonly kind: "schema";
}

/** A field for each option. */
export type OptionFields<T> = { readonly [K in keyof T]-?: OptionField };

/** The values that pass a test. */
export const is = (what: string, holds: (value: unknown) => boolean): OptionField => v.custom(holds, what);

/** Whatever is checked elsewhere, or needs no check. */
export const unchecked: OptionField = v.unknown();

/** @param what which text: `the path of a file` */
export const text = (what = "a string"): OptionField => is(what, (x) => typeof x === "string" && x !== "");

/** A whole number of this range, both ends included. */
export const whole = (least: number, most: number = Number.MAX_SAFE_INTEGER): OptionField =>
  is(
    most === Number.MAX_SAFE_INTEGER ? `a whole number >= ${least}` : `a whole number from ${least} to ${most}`,
    (x) => Number.isSafeInteger(x) && (x as number) >= least && (x as number) <= most,
  );

/** The largest amount: sums and products of some of them are finite, and whole numbers are exact. */
export const MOST_AMOUNT: number = 2 ** 53;

/** A number from 0 to {@link MOST_AMOUNT}. */
export const amount: OptionField = v.custom<number>(
  (x) => Number.isFinite(x) && (x as number) >= 0 && (x as number) <= MOST_AMOUNT,
  ({ input }) => (Number.isFinite(input) && (input as number) > 0 ? "a number from 0 to 2^53" : "a number >= 0"),
);

/** A number of something; Infinity where it means that there is no limit. */
export const positive = (unit: string): OptionField =>
  is(`a number of ${unit} > 0`, (x) => typeof x === "number" && x > 0);

/** A number of something that is counted: at most what a number counts without gaps. */
export const countable = (unit: string): OptionField =>
  is(`a number of ${unit} > 0 and at most 2^53`, (x) => typeof x === "number" && x > 0 && x <= 2 ** 53);

/** A time that can be over at once. */
export const milliseconds: OptionField = is("milliseconds >= 0", (x) => Number.isFinite(x) && (x as number) >= 0);

/** A time that something took, ns: scales by ratios need one above 0. */
export const time: OptionField = is(
  "a time in ns, from 1e-6 to 2^53",
  (x) => typeof x === "number" && x >= 1e-6 && x <= MOST_AMOUNT,
);

export const truth: OptionField = is("true or false", (x) => typeof x === "boolean");

export const oneOf = (values: readonly unknown[]): OptionField =>
  is(`one of ${values.map((value) => JSON.stringify(value)).join(", ")}`, (x) => values.includes(x));

export const abortSignal: OptionField = is("an AbortSignal", (x) => x instanceof AbortSignal);

export const callback: OptionField = is("a function", (x) => typeof x === "function");

export const listOf = (field: OptionField, what: string): OptionField => v.array(field as v.GenericSchema, what);

/**
 * An object with these options and no other. An option may be left out, or undefined, unless it is required.
 * @param kind what messages call an option of it
 */
export function optionsOf<T extends object>(
  fields: OptionFields<T>,
  required: readonly (keyof T & string)[] = [],
  kind = "option",
): OptionField {
  const names = Object.keys(fields);
  const isRequired = (name: string) => (required as readonly string[]).includes(name);
  const entries = Object.entries<OptionField>(fields).map(([name, field]) => {
    const schema = field as v.GenericSchema;
    return [name, isRequired(name) ? schema : v.optional(schema)];
  });
  const what = required.length === 0 ? "an object" : `an object with ${required.join(", ")}`;
  return v.pipe(
    v.custom<Readonly<Record<string, unknown>>>(isRecord, what),
    // before the fields, as one that is missing may be there under another name
    v.rawTransform(({ dataset: { value }, addIssue, NEVER }) => {
      const unknown = Object.keys(value).find((name) => !names.includes(name));
      // what is missing is told by its own field
      if (unknown === undefined) return Object.fromEntries(names.map((name) => [name, value[name]]));
      addIssue({ message: unknownName(kind, unknown, names) });
      return NEVER;
    }),
    v.object(Object.fromEntries(entries) as v.ObjectEntries),
  );
}

/** The first thing wrong. */
export interface Problem {
  /** Where, as in `network.alpha`; empty for the whole. */
  readonly path: string;
  /** `expected a number >= 0, got -1` */
  readonly sentence: string;
}

/** The first thing wrong with a value; null when it is as the schema says. */
export function problemIn(field: OptionField, value: unknown): Problem | null {
  const result = v.safeParse(field as v.GenericSchema, value, { abortEarly: true });
  if (result.success) return null;
  const [issue] = result.issues;
  const { type, message, input } = issue;
  return {
    path: v.getDotPath(issue) ?? "",
    sentence: type === "raw_transform" ? message : `expected ${message}, got ${shortText(input)}`,
  };
}

/**
 * Passes for options that are as the schema says.
 * @param name whose options they are, for messages about all of them
 * @throws UsageError that says where, what was expected and what came
 */
export function checkOptions(name: string, schema: OptionField, options: unknown): void {
  const problem = problemIn(schema, options);
  if (problem !== null) throw new UsageError(`${problem.path || name}: ${problem.sentence}`);
}

/** Further requirements on options: `args`, unless the program can do without. */
export type NeedsArgs<Args> = undefined extends Args ? unknown : { readonly args: Args };
