/** Append buffers among the PEs of a group. */
import type { ItemType } from "../../ground/item/item-type.ts";
import { awaitOn, blockOn } from "../../ground/wait/task.ts";
import type { Group } from "../../pe/group.ts";
import type { Seat } from "../../pe/seat.ts";
import { seatOf } from "../../pe/seat-of.ts";
import type { AppendBuffer } from "./append-buffer.ts";
import { type AppendRecords, makeRecords } from "./append-records.ts";
import { makingAppend, needsConveyor, recordBytes } from "./make-append.ts";
import type { AppendOptions } from "./options.ts";

/**
 * Makes an append buffer: each PE has some bytes of memory into which every PE pushes, without knowing where they will
 * be (docs/append.md). Collective: all PEs make it with the same options.
 *
 *     const a = appendBuffer(pe, 4096);
 *     a.push((pe.rank + 1) % pe.size, Float64Array.of(1, 2, 3));
 *     pe.barrier();
 *     const got = a.data(Float64Array);
 *
 * @param bytes of this PE's buffer; others may have more or fewer, or 0
 * @throws UsageError; MismatchError at every PE if their options differ, HeapError if the heap of a node is full: the
 * world then continues
 */
export function appendBuffer(pe: Group, bytes: number, options: AppendOptions = {}): AppendBuffer {
  const seat = seatOf(pe, "appendBuffer");
  seat.collectives.checkBlocking("appendBuffer");
  return blockOn(seat, makingAppend(seat, bytes, options));
}

/**
 * As {@link appendBuffer}, without blocking, but for the conveyor that carries pushes between nodes: it is made as
 * `conveyor` of tundish/conveyor does. Groups that make buffers at the same time call this in the same order at all
 * PEs, unless these share memory or the transport is "sender".
 */
export async function appendBufferAsync(pe: Group, bytes: number, options: AppendOptions = {}): Promise<AppendBuffer> {
  return madeLater(seatOf(pe, "appendBufferAsync"), bytes, options);
}

/**
 * As {@link appendBuffer}, for records: items of one type, pushed by their values or in columns.
 *
 *     const edges = appendRecords(pe, struct({ from: u32, to: u32 }), 1000);
 *     for (const [from, to] of mine) edges.push(ownerOf(to), from, to);
 *     pe.barrier();
 *     const { from, to } = edges.columns();
 *
 * @param item the type, the same at all PEs @param records of this PE's buffer; others may have more or fewer, or 0
 * @throws as appendBuffer
 */
export function appendRecords<const I extends ItemType>(
  pe: Group,
  item: I,
  records: number,
  options: AppendOptions = {},
): AppendRecords<I> {
  const seat = seatOf(pe, "appendRecords");
  seat.collectives.checkBlocking("appendRecords");
  return makeRecords(blockOn(seat, makingAppend(seat, recordBytes(item, records), options, item)), item);
}

/** As {@link appendRecords}, without blocking. */
export async function appendRecordsAsync<const I extends ItemType>(
  pe: Group,
  item: I,
  records: number,
  options: AppendOptions = {},
): Promise<AppendRecords<I>> {
  const seat = seatOf(pe, "appendRecordsAsync");
  return makeRecords(await madeLater(seat, recordBytes(item, records), options, item), item);
}

async function madeLater(seat: Seat, bytes: number, options: AppendOptions, records?: ItemType): Promise<AppendBuffer> {
  // those of other groups take as long as they take, in any order
  const { makings } = seat.kept;
  const turn = {};
  const hasTurn = () => makings.values().next().value === turn;
  if (needsConveyor(seat, options)) makings.add(turn);
  try {
    return await awaitOn(seat, makingAppend(seat, bytes, options, records, hasTurn));
  } finally {
    makings.delete(turn);
  }
}
