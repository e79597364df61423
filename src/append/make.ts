/** Makes append buffers: the lengths of all PEs are gathered, and each node reserves a block for those of its PEs. */
import { MismatchError, UsageError } from "../base/errors.ts";
import { fnv1a } from "../base/hash.ts";
import { checkOptions } from "../base/options.ts";
import { shortText } from "../base/short-text.ts";
import type { CollectivesBackend } from "../collectives/calls/backend.ts";
import type { Call } from "../collectives/calls/call.ts";
import { ElasticBiconveyor } from "../conveyor/front/biconveyor.ts";
import { type ConveyorContext, elasticBiParts } from "../conveyor/front/make.ts";
import { type ItemType, isItemType, roundUp } from "../item/types.ts";
import { LINE } from "../memory/heap-layout.ts";
import type { Condition } from "../wait/condition.ts";
import { AppendBuffer } from "./append-buffer.ts";
import { FREED } from "./layout.ts";
import { APPEND, type AppendOptions, type AppendTransport, MAX_BYTES } from "./options.ts";
import { Region, regionBytes } from "./region.ts";
import { answering, Remote } from "./remote.ts";
import type { AppendSeat } from "./seat.ts";

/** What is gathered of each PE: the bytes of its buffer, and a hash of the terms that all must agree about. */
const WORDS = 2;

/**
 * Makes an append buffer by collectives, which it yields: whoever drives it runs them in the thread or awaits them, and hands over their
 * results.
 * @param what else all must agree about, as text
 * @throws UsageError before the first of them; MismatchError at all PEs if their options differ; HeapError at all PEs if the heap of a node is
 *   full
 */
export function* makingAppend(
  seat: AppendSeat,
  context: ConveyorContext,
  backend: CollectivesBackend,
  bytes: number,
  options: AppendOptions,
  what = "",
): Generator<Call<unknown> | Condition, AppendBuffer, unknown> {
  if (!(Number.isInteger(bytes) && bytes >= 0 && bytes <= MAX_BYTES)) {
    throw new UsageError(
      `appendBuffer: expected a whole number of bytes from 0 to ${MAX_BYTES}, got ${shortText(bytes)}`,
    );
  }
  checkOptions("appendBuffer", APPEND, options);
  const { name = "", overflow = "error", counting = true, transport = "auto" } = options;
  const terms = `${name} ${what}overflow ${overflow}, counting ${counting}, transport ${transport}`;
  const own = Float64Array.of(bytes, fnv1a(terms));
  const all = (yield backend.allgather(own)) as Float64Array;
  const lengths = Array.from({ length: seat.size }, (_, rank) => all[rank * WORDS] as number);
  for (let rank = 0; rank < seat.size; rank++) {
    if (all[rank * WORDS + 1] === own[1]) continue;
    throw new MismatchError(
      `appendBuffer: PE ${seat.rank} has made it with ${terms.trim()}, and PE ${rank} otherwise. All PEs must make it with the same options; ` +
        "only the bytes may differ.",
    );
  }
  const here = seat.here.map((rank) => lengths[rank] as number);
  const offset = (yield backend.alloc(bytesOfEach(seat, lengths))) as number;
  const region = new Region(seat.heap, offset, here, seat.here.indexOf(seat.rank), overflow, counting);
  const free = () => {
    // pairs with the same addition at the other PEs of the node: the last one knows that none uses the block any more
    if (Atomics.add(seat.heap.i32, (offset + FREED) / 4, 1) + 1 === here.length) seat.heap.free(offset);
  };
  const isRemote = here.length < seat.size;
  const remote = isRemote ? yield* makingRemote(seat, context, region, lengths, transport, free) : null;
  return new AppendBuffer({ seat, region, lengths, counting, free, remote });
}

/** What carries pushes over nodes, in an open session. @param free called when no push can come any more */
function* makingRemote(
  seat: AppendSeat,
  context: ConveyorContext,
  region: Region,
  lengths: readonly number[],
  transport: AppendTransport,
  free: () => void,
): Generator<Condition, Remote, unknown> {
  const answer = answering(region, seat.here.indexOf(seat.rank), seat.posted);
  const options = transport === "receiver" ? { cutoff: 0, hops: 1 as const } : {};
  const c = new ElasticBiconveyor(...elasticBiParts(context, answer, options));
  const waiting = c.beginning(false);
  const isBegun = () => waiting.next().done === true;
  if (!isBegun()) yield { peer: -1, pollMs: 1, ready: isBegun, spin: isBegun };
  const remote: Remote = new Remote(c, seat, lengths, () => {
    seat.remotes.delete(remote);
    free();
  });
  seat.remotes.add(remote);
  return remote;
}

/** Bytes that each PE allocates, so that those of each node have room for the block of its PEs. */
function bytesOfEach({ nodeOf }: AppendSeat, lengths: readonly number[]): number {
  const nodes = new Set(nodeOf);
  const each = [...nodes].map((node) => {
    const of = lengths.filter((_, rank) => nodeOf[rank] === node);
    return Math.ceil(regionBytes(of) / of.length);
  });
  return roundUp(Math.max(...each), LINE);
}

/** Checks what an append buffer of records is made of. @returns the bytes of this PE's buffer @throws UsageError */
export function recordBytes(item: ItemType, records: number): number {
  if (!isItemType(item)) {
    throw new UsageError(
      `appendRecords: expected an item type (f64, bytes(n), struct({ … }), …), got ${shortText(item)}`,
    );
  }
  const most = Math.floor(MAX_BYTES / item.bytes);
  if (Number.isInteger(records) && records >= 0 && records <= most) return records * item.bytes;
  throw new UsageError(
    `appendRecords: expected a whole number of records from 0 to ${most}, got ${shortText(records)}`,
  );
}
