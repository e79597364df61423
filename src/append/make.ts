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
import { FREED, partPlaces } from "./layout.ts";
import { APPEND, type AppendOptions, type AppendTransport, MAX_BYTES } from "./options.ts";
import { type Part, Region } from "./region.ts";
import { answering, type Buffers, Remote } from "./remote.ts";
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
  const isStored = transport === "auto" || transport === "sender";
  const near = isStored ? seat.mapped : seat.here;
  const hasAll = (yield backend.allreduce(near.length === seat.size ? 1 : 0, "min")) === 1;
  if (transport === "sender" && !hasAll) throw noSender(seat, near);
  const { parts, free } = yield* makingParts(seat, backend, near, lengths);
  const region = new Region(seat.heap, parts, near.indexOf(seat.rank), overflow, counting);
  const remote = hasAll
    ? null
    : yield* makingRemote(seat, context, region, near, { name, lengths }, transport, free);
  return new AppendBuffer({ seat, region, near, lengths, counting, name, free, remote });
}

/** The memory of each node for the buffers of its PEs. @param near see AppendSeat.mapped @param lengths by rank */
function* makingParts(
  seat: AppendSeat,
  backend: CollectivesBackend,
  near: readonly number[],
  lengths: readonly number[],
): Generator<Call<unknown>, { readonly parts: readonly Part[]; free(): void }, unknown> {
  const { here, nodeOf, rank, heap } = seat;
  const onNode = (node: number) => near.filter((one) => nodeOf[one] === node);
  const placesOn = (node: number) =>
    partPlaces(
      onNode(node).map((one) => lengths[one] as number),
      near.length,
    );
  const own = nodeOf[rank] as number;
  const needed = roundUp(Math.ceil((placesOn(own).at(-1) as number) / here.length), LINE);
  // all PEs allocate the same, so that those of each node have room for the block of its PEs
  const each = (yield backend.allreduce(needed, "max")) as number;
  const offset = (yield backend.alloc(each)) as number;
  const offsets =
    near.length === here.length ? null : ((yield backend.allgather(Float64Array.of(offset))) as Float64Array);
  const nodes = [...new Set(near.map((one) => nodeOf[one] as number))];
  const blocks = nodes.map((node) => {
    const [first] = onNode(node);
    return { node, offset: offsets === null ? offset : (offsets[first as number] as number) };
  });
  const starts = new Map(
    blocks.flatMap(({ node, offset: block }) => {
      const places = placesOn(node);
      return onNode(node).map((one, i) => [one, seat.heapOf(node) + block + (places[i] as number)] as const);
    }),
  );
  // in the order of the PEs, which may alternate between nodes
  const parts = near.map((one) => ({ at: starts.get(one) as number, length: lengths[one] as number }));
  const free = () => {
    for (const block of blocks) {
      const word = (seat.heapOf(block.node) + block.offset + FREED) / 4;
      // pairs with the same addition at the other PEs: the last one knows that none uses the block any more
      if (Atomics.add(heap.i32, word, 1) + 1 === near.length) seat.release(block.node, block.offset);
    }
  };
  return { parts, free };
}

const noSender = ({ rank, size }: AppendSeat, near: readonly number[]): UsageError =>
  new UsageError(
    `appendBuffer: transport: "sender" needs memory that all PEs share, and PE ${rank} shares that of ${near.length} of ${size} PEs. ` +
      'Leave it out, or take "receiver" or "conveyor".',
  );

/** What carries pushes over nodes, in an open session. @param free called when no push can come any more */
function* makingRemote(
  seat: AppendSeat,
  context: ConveyorContext,
  region: Region,
  near: readonly number[],
  buffers: Buffers,
  transport: AppendTransport,
  free: () => void,
): Generator<Condition, Remote, unknown> {
  let remote: Remote | null = null;
  const answer = answering(region, near.indexOf(seat.rank), () => {
    const self = near.indexOf(seat.rank);
    remote?.answered();
    seat.posted(seat.rank, region.awaited(self));
  });
  const options = transport === "receiver" ? { cutoff: 0, hops: 1 as const } : {};
  const c = new ElasticBiconveyor(...elasticBiParts(context, answer, options));
  const waiting = c.beginning(false);
  const isBegun = () => waiting.next().done === true;
  if (!isBegun()) yield { peer: -1, pollMs: 1, ready: isBegun, spin: isBegun };
  const made: Remote = new Remote(c, seat, buffers, () => {
    seat.remotes.delete(made);
    free();
  });
  remote = made;
  seat.remotes.add(made);
  return made;
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
