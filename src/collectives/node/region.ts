/**
 * A region: the elements of one PE in a collective, either bytes of the heap or a user's array that must be copied to
 * the staging memory to be visible.
 */

import type { ElementType, TypedArray } from "../../ground/memory/kernels/elements.ts";
import { ReusableTask } from "../../ground/wait/task.ts";
import type { Team } from "../team/team.ts";
import { SEGMENT_BYTES } from "../team/team-block.ts";

/** Elements of one PE in a collective. */
export interface Region {
  readonly type: ElementType;
  /** Bytes of one element. */
  readonly size: number;
  readonly bytes: number;
  /** Byte offset in the heap, or -1 if the elements are not in the heap. */
  readonly address: number;
  /** The array, if it is not in the heap. */
  readonly array: TypedArray | null;
}

/** The region of a typed array. */
export function regionOf({ payload }: Team, x: TypedArray, type: ElementType): Region {
  const shared = payload.isShared(x);
  return {
    type,
    size: x.BYTES_PER_ELEMENT,
    bytes: x.byteLength,
    address: shared ? x.byteOffset : -1,
    array: shared ? null : x,
  };
}

/**
 * Makes bytes `start` to `start + bytes` of a region readable by other PEs, in place or in the staging memory at
 * `stage`; returns their byte offset.
 */
export function expose({ payload }: Team, region: Region, start: number, bytes: number, stage: number): number {
  if (region.array === null) return region.address + start;
  payload.put(region.array, region.type, start, bytes, stage);
  return stage;
}

/** Copies bytes of a region to `to` in the heap. */
export function load({ payload }: Team, region: Region, start: number, bytes: number, to: number): void {
  if (region.array === null) payload.copy(to, region.address + start, bytes);
  else payload.put(region.array, region.type, start, bytes, to);
}

/** Copies bytes of the heap into a region. */
export function fill({ payload }: Team, region: Region, start: number, bytes: number, from: number): void {
  if (region.array === null) payload.copy(region.address + start, from, bytes);
  else payload.get(region.array, region.type, start, bytes, from);
}

/** Bytes that a region can show at once from `start` on: all of them in place, one segment if staged. */
export const showable = (region: Region, start: number): number =>
  region.array === null ? region.bytes - start : Math.min(SEGMENT_BYTES, region.bytes - start);

/** Alignment of chunks, so that no two PEs write the same cache line. */
const CHUNK_BYTES = 128;

/** Offset of the chunk of PE `rank` in a region; that of PE `size` is the end. */
export function chunkStart(bytes: number, rank: number, size: number): number {
  if (rank === size) return bytes;
  return Math.floor((bytes * rank) / size / CHUNK_BYTES) * CHUNK_BYTES;
}

/** A task on the elements of one PE. */
export abstract class RegionTask<T> extends ReusableTask<T> {
  protected region: Region | null = null;

  protected override forget(): void {
    this.region = null;
  }
}
