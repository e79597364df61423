/**
 * Channels: reliable, ordered, bounded queues between two PEs of a node. One interface, two back ends
 * for messages of one cache line (ump.ts after Smelt and Barrelfish, fastforward.ts after Giacomoni),
 * and one for blocks (blocks.ts).
 *
 * A message is claimed, written in place, published; seen in place, read, released. Nothing is
 * allocated and nothing is copied that the caller does not copy:
 *
 *     const at = sender.claim();              const at = receiver.wait();
 *     heap.f64[at >> 3] = x;                  const x = heap.f64[at >> 3];
 *     sender.publish(tag);                    receiver.release();
 *
 * Source: Kaestle et al., "Machine-Aware Atomic Broadcast Trees for Multicores", "Transport layer" (reliability, order,
 * bounded number of messages).
 */

/** The sending end; one thread uses it. */
export interface Sender {
  /** Largest payload of one message, bytes. */
  readonly capacity: number;
  /** Whether {@link tryClaim} would succeed. */
  canSend(): boolean;
  /** Byte offset in the heap of the next message's payload (8-aligned), or -1 while the queue is full. */
  tryClaim(): number;
  /** As {@link tryClaim}, waiting for room. @throws whatever ends the wait (ground/wait/waiter.ts) */
  claim(): number;
  /** Hands the claimed message over; `tag` is 32 bits of the caller's own. */
  publish(tag: number): void;
  /** Sends a copy of the bytes, tagged with their number, or returns false while the queue is full. */
  trySend(bytes: Uint8Array): boolean;
  /** As {@link trySend}, waiting for room. */
  send(bytes: Uint8Array): void;
}

/** The receiving end; one thread uses it. */
export interface Receiver {
  /** Whether {@link tryWait} would succeed. */
  canReceive(): boolean;
  /** Byte offset in the heap of the oldest message's payload, or -1 while there is none. */
  tryWait(): number;
  /** As {@link tryWait}, waiting for a message. @throws whatever ends the wait (ground/wait/waiter.ts) */
  wait(): number;
  /** The tag of the message that wait() or tryWait() has just shown. */
  readonly tag: number;
  /** Gives that message's slot back to the sender. */
  release(): void;
  /** Copies the oldest message, sent by send(), into `into`; its length in bytes, or -1 while there is none. */
  tryReceive(into: Uint8Array): number;
  /** As {@link tryReceive}, waiting for a message. */
  receive(into: Uint8Array): number;
}

/** Both directions between two PEs, seen from one of them (Smelt's queue pair). */
export interface QueuePair {
  readonly sender: Sender;
  readonly receiver: Receiver;
}
