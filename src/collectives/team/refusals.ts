/** Errors after which the world continues, although a call has begun: all PEs know of them, or the others need not. */
import { HeapError, UsageError } from "../../ground/base/errors.ts";
import type { Heap } from "../../ground/memory/heap.ts";

/** The calls that allocate: an array for each PE, or one for all PEs of a node. */
export type AllocName = "alloc" | "allocShared";

/** The use of an allocation, for the error. */
export interface AllocUse {
  /** The user's call. */
  readonly call: string;
  /** Bytes that this PE asks for, before they are rounded up: the same at all PEs. */
  readonly asked: number;
  /** As that of a HeapNeed. */
  lower(room: number): string;
}

/** The heap is full, as all PEs know. */
export class HeapRefusal extends HeapError {
  constructor({ call, lower }: AllocUse, bytes: number, heap: Heap) {
    const { free, advice } = heap.describeFree(bytes, { what: call, lower });
    super(`${call}: the heap has no contiguous ${bytes} bytes for all PEs: ${free} here. ${advice}`);
    this.name = "HeapError";
  }
}

/**
 * The result does not fit into the user's array, which only this PE can know, and only in the middle of the call. The
 * others have had what they need, so the world continues.
 */
export class IntoRefusal extends UsageError {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

/** The call's result. @throws IntoRefusal in place of it */
export function unlessRefused<T>(result: T | IntoRefusal): T {
  if (result instanceof IntoRefusal) throw result;
  return result;
}
