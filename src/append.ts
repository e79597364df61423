/**
 * Append buffers: memory into which all PEs push. See docs/append.md.
 *
 * @module tundish/append
 */

export type { AppendBuffer, ArrayOver } from "./facilities/append/append-buffer.ts";
export {
  appendBuffer,
  appendBufferAsync,
  appendRecords,
  appendRecordsAsync,
} from "./facilities/append/append-buffers.ts";
export type { AppendRecords, RecordTarget } from "./facilities/append/append-records.ts";
export { AppendOverflowError } from "./facilities/append/errors.ts";
export type { AppendOptions, AppendTarget, AppendTransport } from "./facilities/append/options.ts";
export type { AppendPush } from "./facilities/append/push.ts";
export type { Overflow } from "./facilities/append/region.ts";
export type { ItemArguments } from "./ground/item/arguments.ts";
export type { Columns } from "./ground/item/columns.ts";
