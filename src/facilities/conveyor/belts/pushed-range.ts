/** Which of the items in columns are pushed. */
import { isDetached } from "../../../ground/base/byte-length.ts";
import { UsageError } from "../../../ground/base/errors.ts";
import { shortText } from "../../../ground/base/short-text.ts";

/** @throws UsageError unless items `first` to `end` - 1 are among those of `dests` */
export function checkPushedRange(dests: Uint32Array, first: number, end: number): void {
  const { length } = dests;
  // a loop over no items would never end
  if (length === 0 && isDetached(dests)) {
    throw new UsageError(
      "pushAll: dests: expected an array with its memory, got one whose buffer was transferred, or shrunk. Keep it in this thread.",
    );
  }
  if (Number.isInteger(first) && Number.isInteger(end) && first >= 0 && first <= end && end <= length) return;
  throw new UsageError(
    `pushAll: expected indices with 0 <= first <= end <= ${length}, got ${shortText(first)} and ${shortText(end)}`,
  );
}
