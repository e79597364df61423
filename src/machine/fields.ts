/** The checks of single fields of a machine model, by valibot: each message says what is expected. What came is put behind it. */
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

/** An object with these entries, and whatever others; a missing field is told by its object, whose own message would name the wrong thing. */
export const record = <E extends v.ObjectEntries>(
  entries: E,
  what: string,
): v.LooseObjectSchema<E, (issue: v.LooseObjectIssue) => string> =>
  v.looseObject(entries, (issue: v.LooseObjectIssue) => (issue.received === "undefined" ? "a value" : what));
