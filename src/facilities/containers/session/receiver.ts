/** Receivers of operations. */
import type { Cursor } from "../content/cursor.ts";

/** The result of a send of an asynchronous source when there is no room. */
export type Sent = Promise<void> | undefined;

/** Bytes before the key of an operation: its head, u32. */
export const OPERATION_HEAD = 4;
/** Of a head: the number of the container; above it is that of the operation. */
const CONTAINER_MASK = 255;
const CONTAINER_BITS = 8;

/**
 * A read ahead: in one round where an entry is, in the next one its value. A processor waits for memory that is not in
 * its cache, but for the memory of several operations at once, if nothing is between them that has to wait for it.
 */
export const LOOKS = 2;
export const LOOK_FOR_ENTRY = 0;

/** The handler of the operations of one container. */
export interface OperationReceiver {
  /**
   * Carries out an operation.
   * @param operation its number
   * @param from where its key begins
   * @param rank of the PE that has sent it
   */
  handle(operation: number, from: Cursor, rank: number): void;
  /** Bytes of memory that operations find their way in. */
  bytes(): number;
  /**
   * Reads what {@link handle} will read, so that it is in a cache then. @param round of {@link LOOKS} @returns anything
   * @default nothing is read: that is only slower
   */
  look?(operation: number, from: Cursor, round: number): number;
  /**
   * Sends what was kept back.
   * @returns as a send of the session, for one operation after another
   * @default nothing is
   */
  flushing?(): Iterable<Sent>;
  /** Removes what this PE has. */
  clear(): void;
}

/** The head of an operation of a container. */
export const headOf = (container: number, operation: number): number => container + (operation << CONTAINER_BITS);

/** Has an operation carried out. @param at its place @param rank of its sender */
export function hand(receivers: readonly OperationReceiver[], from: Cursor, at: number, rank: number): void {
  const head = from.views.u32[at >>> 2] as number;
  from.at = at + OPERATION_HEAD;
  (receivers[head & CONTAINER_MASK] as OperationReceiver).handle(head >>> CONTAINER_BITS, from, rank);
}

/** Reads the memory that an operation will need. */
export function lookAt(receivers: readonly OperationReceiver[], from: Cursor, at: number, round: number): number {
  const head = from.views.u32[at >>> 2] as number;
  from.at = at + OPERATION_HEAD;
  return (receivers[head & CONTAINER_MASK] as OperationReceiver).look?.(head >>> CONTAINER_BITS, from, round) ?? 0;
}
