/** Checks of single fields of a machine model. Messages state what is expected; the caller appends what came. */

import * as v from "valibot";
import { isRecord } from "../../ground/base/names.ts";
import { amount as anyAmount, time as anyTime, is, whole } from "../../ground/base/options.ts";

export const text: v.StringSchema<string> = v.string("a string");

type Checked = v.GenericSchema<number>;

export const amount: Checked = anyAmount as Checked;

/** Computations with amounts and costs: sums of some are finite. */
export const computed: Checked = is(
  "a number from 0 to 1e300",
  (x) => typeof x === "number" && x >= 0 && x <= 1e300,
) as Checked;

/** That something took: not 0. */
export const time: Checked = anyTime as Checked;

export const index: Checked = whole(0) as Checked;

/** A date as `new Date().toISOString()` writes it. */
export const date: v.GenericSchema<string> = v.pipe(
  text,
  v.check((given) => !Number.isNaN(Date.parse(given)), "an ISO 8601 date"),
);

/** An object with these entries, and others. It reports missing fields, whose own message would name another. */
export const record = <E extends v.ObjectEntries>(
  entries: E,
  what: string,
): v.GenericSchema<Readonly<Record<string, unknown>>, v.InferOutput<v.LooseObjectSchema<E, undefined>>> =>
  v.pipe(
    // valibot takes an array for an object
    v.custom<Readonly<Record<string, unknown>>>(isRecord, ({ input }) => (input === undefined ? "a value" : what)),
    v.looseObject(entries, ({ received }) => (received === "undefined" ? "a value" : what)),
  );
