/** The bytes of what a program sends. */
import { bytesUnder, lengthOf, viewBytes } from "../../ground/base/byte-length.ts";
import { UsageError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";

/** @throws UsageError unless it is a view that is not detached */
export function bytesOf(call: string, data: ArrayBufferView): Uint8Array {
  if (lengthOf(data) >= 0) return data as Uint8Array;
  if (viewBytes(data) < 0) {
    throw new UsageError(`${call}: expected a typed array or a DataView that is not detached, got ${shortText(data)}`);
  }
  return bytesUnder(data);
}
