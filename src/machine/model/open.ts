/** The check of `items.open` of a machine model: what open buffers take, by their number and size. */
import * as v from "valibot";
import { ModelError } from "../../ground/base/errors.ts";
import type { OptionField } from "../../ground/base/options.ts";
import { amount, record } from "./fields.ts";
import type { OpenTimes } from "./machine-model.ts";

const amounts = v.pipe(v.array(amount, "an array of numbers >= 0"), v.minLength(1, "one or more numbers"));

/** The check of the fields; their order and number are checked by {@link checkOpen}. */
export const openFields: OptionField = record(
  {
    look: amount,
    buffers: amounts,
    sizes: v.pipe(
      v.array(record({ bytes: amount, push: amounts }, "an object {bytes, push}"), "an array of objects {bytes, push}"),
      v.minLength(1, "one or more objects {bytes, push}"),
    ),
  },
  "an object {look, buffers, sizes}",
);

/** Checks that numbers and sizes of buffers ascend, from 1, and that each has its time. @throws ModelError */
export function checkOpen({ buffers, sizes }: OpenTimes): void {
  const refuse = (path: string, sentence: string): never => {
    throw new ModelError(`items.open.${path}`, `items.open.${path}: ${sentence}`);
  };
  const ascend = (all: readonly number[], pathOf: (i: number) => string) => {
    for (const [i, one] of all.entries()) {
      if (one < 1) refuse(pathOf(i), `expected a number >= 1, got ${one}`);
      const before = all[i - 1] ?? 0;
      if (one <= before) refuse(pathOf(i), `expected more than ${before}, as is before it, got ${one}`);
    }
  };
  ascend(buffers, (i) => `buffers.${i}`);
  ascend(
    sizes.map(({ bytes }) => bytes),
    (i) => `sizes.${i}.bytes`,
  );
  for (const [i, { push }] of sizes.entries()) {
    if (push.length === buffers.length) continue;
    refuse(
      `sizes.${i}.push`,
      `expected ${buffers.length} numbers, one for each of items.open.buffers, got ${push.length}`,
    );
  }
}
