/**
 * Arrays of allocShared that are larger than the heap: memory of their own, one for each node.
 *
 * The first PE of a node makes it, and posts it to the others over a BroadcastChannel that all of them have opened
 * before. Its name is in a line of the heap, which the array keeps:
 *
 *     ┌────────────────┬──────────────────────────────────────────┐
 *     │ NAME, 16 bytes │ unused: for who has allocated the array  │
 *     └────────────────┴──────────────────────────────────────────┘
 *
 * Each step is a collective call, so that all PEs of all nodes get the array or none does, a lost PE ends the waits,
 * and virtual PEs do the same.
 */
import { randomBytes } from "node:crypto";
import { BroadcastChannel, type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import { HeapError, sentenceOf } from "../ground/base/errors.ts";
import { addBeside } from "../ground/memory/beside-heap.ts";
import { LINE } from "../ground/memory/heap-layout.ts";
import { reserveOwn } from "../ground/memory/own-memory.ts";
import type { CollectivesBackend } from "./calls/backend.ts";
import type { CheckedCall } from "./calls/call.ts";
import type { AllocUse } from "./team/refusals.ts";
import type { Team } from "./team/team.ts";

const NAME_BYTES = 16;

/** The collectives of a group, as far as its arrays need them. */
export interface Allocating {
  readonly team: Team;
  readonly backend: CollectivesBackend;
  run<T>(call: CheckedCall<T>, options: undefined): T;
  later<T>(make: () => CheckedCall<T>): Promise<T>;
}

/** What a PE has of it. */
export interface OwnMemory {
  /** Its line in the heap. */
  readonly line: number;
  readonly buffer: SharedArrayBuffer;
}

/** What the first PE of a node tells the others. */
interface Told {
  readonly buffer: SharedArrayBuffer | null;
  /** Why there is none. */
  readonly refusal: string;
}

/** Calls, one after the other; each is given the result of the one before. */
export type CallSequence<T> = Generator<CheckedCall<unknown>, T, unknown>;

const NOT_HANDED: Told = {
  buffer: null,
  refusal:
    "This runtime does not hand over shared memory by a BroadcastChannel, as Node.js does. Enlarge the heap instead (heapBytes).",
};
const ELSEWHERE = "A node of this group has no memory for it. Lower the length.";

/** The memory of an array of so many bytes. @throws HeapError at all PEs */
export function* ownMemory({ team, backend }: Allocating, bytes: number, use: AllocUse): CallSequence<OwnMemory> {
  const line = (yield backend.alloc(LINE, "allocShared", use)) as number;
  const isFirst = team.rank === 0;
  const name = team.heap.u8.subarray(line, line + NAME_BYTES);
  if (isFirst) name.set(randomBytes(NAME_BYTES));
  yield backend.barrier();
  const channel = new BroadcastChannel(`tundish ${Buffer.from(name).toString("hex")}`);
  try {
    let told: Told | undefined;
    // where the event loop has a turn before this PE looks
    channel.onmessage = (message) => {
      told = (message as { readonly data: Told }).data;
    };
    // all listen
    yield backend.barrier();
    if (isFirst) {
      told = madeOr(bytes, use);
      channel.postMessage(told);
    }
    // it has been posted
    yield backend.barrier();
    // which takes a BroadcastChannel, too
    told ??= (receiveMessageOnPort(channel as unknown as MessagePort)?.message as Told | undefined) ?? NOT_HANDED;
    const failures = yield backend.allreduce(told.buffer === null ? 1 : 0, "sum");
    if (told.buffer !== null && failures === 0) {
      addBeside(told.buffer);
      return { line, buffer: told.buffer };
    }
    yield backend.free(line);
    throw new HeapError(told.buffer === null ? told.refusal : ELSEWHERE);
  } finally {
    channel.close();
  }
}

function madeOr(bytes: number, { call, lower }: AllocUse): Told {
  try {
    return { buffer: reserveOwn(call, bytes, lower), refusal: "" };
  } catch (error) {
    return { buffer: null, refusal: sentenceOf(error as Error) };
  }
}

/** Makes the calls in the thread itself. @throws what they throw */
export function runCalls<T>(group: Allocating, calls: CallSequence<T>): T {
  let step = calls.next();
  while (!step.done) {
    let result: unknown;
    try {
      result = group.run(step.value, undefined);
    } catch (error) {
      step = calls.throw(error);
      continue;
    }
    step = calls.next(result);
  }
  return step.value;
}

/** As {@link runCalls}, without blocking. */
export async function awaitCalls<T>(group: Allocating, calls: CallSequence<T>): Promise<T> {
  let step = calls.next();
  while (!step.done) {
    let result: unknown;
    try {
      const call = step.value;
      result = await group.later(() => call);
    } catch (error) {
      step = calls.throw(error);
      continue;
    }
    step = calls.next(result);
  }
  return step.value;
}
