/** The messages of a group as tasks: for calls whose steps depend on what comes (packed.ts, reduce-scatter.ts). */

import { copyIn, copyOut } from "../../ground/memory/heap-copy.ts";
import type { Task } from "../../ground/wait/task.ts";
import { EAGER_BYTES } from "../../links/transport/messages/layout.ts";
import type { StreamMessage } from "../../links/transport/messages/unexpected-queue.ts";
import type { Hierarchy } from "./hierarchy.ts";

/** Sends bytes of the heap; they must not change until {@link flush}. @param block to be given back then; 0 for none */
export function* send({ messages }: Hierarchy, to: number, address: number, bytes: number, block = 0): Task<void> {
  let wait = messages.send(to, address, bytes, block);
  for (; wait !== null; wait = messages.send(to, address, bytes, block)) yield wait;
}

/** Sends a copy of bytes that lie anywhere. */
export function* sendCopy(hierarchy: Hierarchy, to: number, bytes: Uint8Array): Task<void> {
  const { heap } = hierarchy.team;
  const isEager = bytes.length <= EAGER_BYTES;
  const block = isEager ? 0 : heap.allocate(bytes.length);
  const address = isEager ? hierarchy.scratch.take(EAGER_BYTES) : block;
  copyIn(heap.u8, bytes, address);
  yield* send(hierarchy, to, address, bytes.length, block);
}

/** Waits until all that was sent has gone. */
export function* flush({ messages }: Hierarchy): Task<void> {
  for (let wait = messages.flush(); wait !== null; wait = messages.flush()) yield wait;
}

/** Puts the next message from a PE at byte `address`. @throws MismatchError when it is of another call or length */
export function* receiveAt(hierarchy: Hierarchy, from: number, address: number, bytes: number): Task<void> {
  yield* fetch(hierarchy, yield* receive(hierarchy, from), address, bytes);
}

/** The next message from a PE, as bytes of the reader's own. @throws MismatchError when it is of another call */
export function* receiveCopy(hierarchy: Hierarchy, from: number): Task<Uint8Array> {
  const { messages, scratch, team } = hierarchy;
  const message = yield* receive(hierarchy, from);
  if (message.rendezvous === 0) return messages.content(message);
  const address = scratch.take(message.bytes);
  yield* fetch(hierarchy, message, address, message.bytes);
  const content = new Uint8Array(message.bytes);
  copyOut(team.heap.u8, address, content);
  scratch.leave();
  return content;
}

function* receive({ messages }: Hierarchy, from: number): Task<StreamMessage> {
  for (;;) {
    const message = messages.take(from);
    if (message !== null) return message;
    yield messages.arrival;
  }
}

function* fetch({ messages }: Hierarchy, message: StreamMessage, address: number, bytes: number): Task<void> {
  let wait = messages.fetch(message, address, bytes);
  for (; wait !== null; wait = messages.fetch(message, address, bytes)) yield wait;
}
