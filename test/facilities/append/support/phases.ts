/**
 * Phases of pushes into append buffers, on any back end: all PEs push messages of random lengths to PEs drawn at random, then every owner
 * compares what has come with what was sent (CONTRACT.md 9, O1 to O5), and resets its buffer. The reference is a sum and a set.
 *
 *     message   ┌─────────────┬─────────────┬───────────────────────────┐
 *               │ writer u8   │ number u16  │ bytes that follow from both │    3 bytes at least, or none at all
 *               └─────────────┴─────────────┴───────────────────────────┘
 */

import * as assert from "uvu/assert";
import { type AppendTransport, appendBuffer, appendBufferAsync } from "../../../../src/append.ts";
import type { AppendBuffer } from "../../../../src/facilities/append/append-buffer.ts";
import { AppendOverflowError } from "../../../../src/facilities/append/errors.ts";
import type { Overflow } from "../../../../src/facilities/append/region.ts";
import type { PE } from "../../../../src/index.ts";
import { mix } from "../../conveyor/support/payloads.ts";

export interface Phases {
  readonly seed: number;
  readonly phases: number;
  /** Pushes of a PE in a phase, at most; and bytes of a message, at most. */
  readonly pushes: number;
  readonly most: number;
  readonly overflow: Overflow;
  /** Bytes of the buffers, as a share of what is pushed to each PE on average: below 1 they overflow. */
  readonly room: number;
  /** Whether the Async forms are called. */
  readonly isAsync: boolean;
  /** Whether owners wait for their messages instead of a barrier, where all messages fit. */
  readonly waits: boolean;
}

const HEAD = 3;

/** Bytes of message `number` of a writer, and who gets it. */
const lengthOf = ({ seed, most }: Phases, phase: number, writer: number, number: number): number => {
  const length = mix(seed, phase, writer, number, 1) % (most + 1);
  return length < HEAD ? 0 : length;
};
const destOf = ({ seed }: Phases, phase: number, writer: number, number: number, size: number): number =>
  mix(seed, phase, writer, number, 2) % size;
const countOf = ({ seed, pushes }: Phases, phase: number, writer: number): number =>
  mix(seed, phase, writer, 3) % (pushes + 1);
const byteOf = (writer: number, number: number, i: number): number => (writer * 31 + number * 7 + i) & 0xff;

function fill(out: Uint8Array, writer: number, number: number): Uint8Array {
  for (let i = HEAD; i < out.length; i++) out[i] = byteOf(writer, number, i);
  if (out.length > 0) out.set([writer, number & 0xff, number >> 8]);
  return out;
}

/** Bytes of each PE's buffer: some have none, and they differ. */
export function lengthFor({ seed, pushes, most, room }: Phases, rank: number): number {
  if (room < 1 && mix(seed, rank, 5) % 6 === 0) return 0;
  // a PE may get all that is pushed to any
  return room < 1 ? Math.ceil(pushes * most * room * (0.5 + (mix(seed, rank, 6) % 100) / 100)) : -1;
}

/** What a PE has seen, for the sums of all. */
interface Seen {
  taken: number;
  refused: number;
}

/** Plays all phases. @returns bytes taken and messages refused, of all PEs */
export async function playPhases(pe: PE, args: Phases, transport: AppendTransport = "auto"): Promise<Seen> {
  const { rank, size } = pe;
  const { overflow, isAsync, waits, pushes, most } = args;
  const whole = size * pushes * most;
  const options = { overflow, transport };
  const own = lengthFor(args, rank) < 0 ? whole : lengthFor(args, rank);
  const a = isAsync ? await appendBufferAsync(pe, own, options) : appendBuffer(pe, own, options);
  const barrier = async () => (isAsync ? await pe.barrierAsync() : pe.barrier());
  const seen: Seen = { taken: 0, refused: 0 };
  for (let phase = 0; phase < args.phases; phase++) {
    /** Of each owner: the bytes that this PE has got in, and the messages. */
    const taken = new Float64Array(size);
    const messages = new Float64Array(size);
    for (let number = 0; number < countOf(args, phase, rank); number++) {
      const dest = destOf(args, phase, rank, number, size);
      const data = fill(new Uint8Array(lengthOf(args, phase, rank, number)), rank, number);
      try {
        const got = isAsync ? await a.pushAsync(dest, data) : a.push(dest, data);
        assert.ok(got <= data.length && (overflow === "truncate" || got === data.length), `${got} taken`);
        taken[dest] += got;
        if (got > 0 || data.length === 0) messages[dest]++;
      } catch (error) {
        if (!(error instanceof AppendOverflowError)) throw error;
        assert.is(overflow, "error");
        assert.equal([error.dest, error.wanted], [dest, data.length]);
        assert.ok(error.left < error.wanted && error.left >= 0, `${error.left} left`);
        seen.refused++;
      }
    }
    const all = isAsync ? await pe.allreduceAsync(taken, "sum") : pe.allreduce(taken, "sum");
    const come = isAsync ? await pe.allreduceAsync(messages, "sum") : pe.allreduce(messages, "sum");
    if (waits) {
      const target = { bytes: all[rank], messages: come[rank] };
      if (isAsync) await a.waitUntilAsync(target);
      else a.waitUntil(target);
    }
    await check(a, args, phase, size, all[rank] as number, come[rank] as number);
    seen.taken += a.completed;
    await barrier();
    a.reset();
    assert.equal([a.offset, a.completed, a.messages, a.data().length], [0, 0, 0, 0]);
    await barrier();
  }
  a.free();
  return seen;
}

/** Compares the buffer of an owner with what all PEs have sent. */
async function check(
  a: AppendBuffer,
  args: Phases,
  phase: number,
  size: number,
  bytes: number,
  messages: number,
): Promise<void> {
  const { rank, length } = a;
  const where = `phase ${phase} at PE ${rank}, seed ${args.seed}`;
  const { completed, offset } = a;
  assert.is(completed, offset, `all complete, ${where}`);
  assert.is(completed, bytes, `bytes, ${where}`);
  assert.is(a.messages, messages, `messages, ${where}`);
  const sent = new Map<number, number>();
  let sum = 0;
  for (let writer = 0; writer < size; writer++) {
    for (let number = 0; number < countOf(args, phase, writer); number++) {
      if (destOf(args, phase, writer, number, size) !== rank) continue;
      const bytes = lengthOf(args, phase, writer, number);
      if (bytes > 0) sent.set(writer * 2 ** 16 + number, bytes);
      sum += bytes;
    }
  }
  // truncation total = min(sum, length)
  if (args.overflow === "truncate") assert.is(completed, Math.min(sum, length), `truncated, ${where}`);
  if (sum <= length) assert.is(completed, sum, `nothing refused, ${where}`);
  const data = a.data();
  let at = 0;
  // a cut message is the last one, and may be cut within its head
  while (at + HEAD <= data.length) {
    const key = (data[at] as number) * 2 ** 16 + (data[at + 1] as number) + (data[at + 2] as number) * 256;
    const bytes = sent.get(key);
    assert.ok(bytes !== undefined, `at ${at} a message that nobody has sent, or that came twice, ${where}`);
    sent.delete(key);
    const whole = fill(new Uint8Array(bytes as number), key >>> 16, key & 0xffff);
    const end = Math.min(data.length, at + (bytes as number));
    assert.is(Buffer.compare(data.subarray(at, end), whole.subarray(0, end - at)), 0, `bytes at ${at}, ${where}`);
    if (end < at + (bytes as number)) assert.ok(args.overflow === "truncate", `cut, ${where}`);
    at += bytes as number;
  }
  if (completed < length && args.overflow === "truncate") assert.is(sent.size, 0, `all came, ${where}`);
}

/** Phases of a seed. */
export function phasesOf(seed: number, more: Partial<Phases> = {}): Phases {
  const draw = <T>(list: readonly T[], what: number): T => list[mix(seed, what, 9) % list.length] as T;
  const room = draw([1, 1, 0.3, 0.7, 0.05], 2);
  return {
    seed,
    phases: draw([1, 2, 3], 3),
    pushes: draw([1, 3, 10, 40], 4),
    most: draw([0, 4, 40, 300], 5),
    overflow: draw(["error", "truncate"] as const, 6),
    room,
    isAsync: false,
    waits: draw([true, false], 7),
    ...more,
  };
}
