/** Which of the items in columns are pushed. */
import { UsageError } from "../../base/errors.ts";
import { shortText } from "../../base/short-text.ts";

/** @throws UsageError unless items `first` to `end` - 1 are among those of `dests` */
export function checkPushedRange({ length }: Uint32Array, first: number, end: number): void {
  if (Number.isInteger(first) && Number.isInteger(end) && first >= 0 && first <= end && end <= length) return;
  throw new UsageError(
    `pushAll: expected indices with 0 <= first <= end <= ${length}, got ${shortText(first)} and ${shortText(end)}`,
  );
}
