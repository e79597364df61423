/**
 * Checks of single fields of a machine model, by valibot. Each message states what is expected; the caller appends what
 * was given.
 */
import * as v from "valibot";
import { amount as anyAmount } from "../base/options.ts";

export const text: v.StringSchema<string> = v.string("a string");

type Checked = v.GenericSchema<number>;

export const amount: Checked = anyAmount as Checked;

export const index: Checked = v.pipe(
  v.number("an integer >= 0"),
  v.safeInteger("an integer >= 0"),
  v.minValue(0, "an integer >= 0"),
);

/**
 * An object with these entries, and any others. A missing field is reported by its object, as its own message would
 * name the wrong thing.
 */
export const record = <E extends v.ObjectEntries>(
  entries: E,
  what: string,
): v.LooseObjectSchema<E, (issue: v.LooseObjectIssue) => string> =>
  v.looseObject(entries, (issue: v.LooseObjectIssue) => (issue.received === "undefined" ? "a value" : what));
