/** Makes append buffers: the lengths of all PEs are gathered, and each node reserves a block for those of its PEs. */

import { MismatchError, UsageError } from "../../ground/base/errors.ts";
import { fnv1a } from "../../ground/base/hash.ts";
import { checkOptions } from "../../ground/base/options.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { describeItem, type ItemType, isItemType } from "../../ground/item/item-type.ts";
import type { Task } from "../../ground/wait/task.ts";
import type { Seat } from "../../pe/seat.ts";
import { sitesOf } from "../../pe/sites.ts";
import { makeElasticBi } from "../conveyor/front/make-conveyor.ts";
import { type AppendBuffer, makeBuffer } from "./append-buffer.ts";
import { answering, ByConveyor } from "./by-conveyor.ts";
import { BYTE, type GroupBuffers, titled } from "./errors.ts";
import { makingByWindow } from "./make-by-window.ts";
import { makingParts, polling } from "./make-parts.ts";
import { APPEND, type AppendOptions, type AppendTransport, MAX_BYTES } from "./options.ts";
import { BufferRegion } from "./region.ts";
import type { Remote } from "./remote.ts";

/** The words gathered of each PE: the bytes of its buffer, and a hash of the terms that all must agree about. */
const WORDS = 2;

/**
 * Makes an append buffer.
 * @param records their type; null for bytes @param hasTurn whether it may make a conveyor
 * @throws UsageError before the first of them; MismatchError at all PEs if their options differ; HeapError at all PEs
 * if the heap of a node is full
 */
export function* makingAppend(
  seat: Seat,
  bytes: number,
  options: AppendOptions,
  records: ItemType | null = null,
  hasTurn: () => boolean = () => true,
): Task<AppendBuffer> {
  const { collectives } = seat;
  const { backend } = collectives;
  if (!(Number.isInteger(bytes) && bytes >= 0 && bytes <= MAX_BYTES)) {
    throw new UsageError(
      `appendBuffer: expected a whole number of bytes from 0 to ${MAX_BYTES}, got ${shortText(bytes)}`,
    );
  }
  checkOptions("appendBuffer", APPEND, options);
  const { name = "", overflow = "error", counting = true, transport = "auto" } = options;
  const what = records === null ? "" : `records ${describeItem(records)}, `;
  const terms = `${name} ${what}overflow ${overflow}, counting ${counting}, transport ${transport}`;
  const own = Float64Array.of(bytes, fnv1a(terms));
  const all = (yield* collectives.task(backend.allgather(own))) as Float64Array;
  const lengths = Array.from({ length: seat.size }, (_, rank) => all[rank * WORDS] as number);
  for (let rank = 0; rank < seat.size; rank++) {
    if (all[rank * WORDS + 1] === own[1]) continue;
    throw new MismatchError(
      `appendBuffer: PE ${seat.members[seat.rank]} has made it with ${terms.trim()}, and PE ${seat.members[rank]} otherwise. All PEs must make it with the same options; ` +
        "only the bytes may differ.",
    );
  }
  const isStored = transport === "auto" || transport === "sender";
  const near = isStored ? seat.mapped : seat.here;
  const hasAll = (yield* collectives.task(backend.allreduce(near.length === seat.size ? 1 : 0, "min"))) === 1;
  const unit = records === null ? BYTE : { name: "record", bytes: records.bytes };
  const buffers = { name, lengths, members: seat.members, unit };
  if (transport === "sender" && !hasAll) {
    if (seat.window === null) throw noSender(seat, near);
    const { remote, own } = yield* makingByWindow(seat, seat.window, buffers, overflow, counting);
    return makeBuffer({ seat, own, region: null, near: [], free: () => {}, remote, buffers, counting });
  }
  const { parts, free } = yield* makingParts(seat, near, lengths);
  const region = new BufferRegion(seat.heap, parts, near.indexOf(seat.rank), overflow, counting);
  const remote = hasAll ? null : yield* makingRemote(seat, region, near, { buffers, transport, free, hasTurn });
  return makeBuffer({ seat, own: region, region, near, buffers, counting, free, remote });
}

/** Whether these options need a conveyor: the same at all PEs, as a machine's nodes map all heaps, or none. */
export function needsConveyor({ mapped, here, size }: Seat, options: AppendOptions): boolean {
  const transport = options?.transport ?? "auto";
  return transport !== "sender" && (transport === "auto" ? mapped : here).length < size;
}

const noSender = ({ rank, size }: Seat, near: readonly number[]): UsageError =>
  new UsageError(
    `appendBuffer: transport: "sender" needs memory that all PEs share, or MPI windows, and PE ${rank} shares that of ${near.length} of ${size} ` +
      'virtual PEs. Leave it out, or take "receiver" or "conveyor".',
  );

interface RemoteWishes {
  readonly buffers: GroupBuffers;
  readonly transport: AppendTransport;
  /** Called when no push can come any more. */
  readonly free: () => void;
  readonly hasTurn: () => boolean;
}

/** The carrier of pushes over nodes, in an open session. */
function* makingRemote(
  seat: Seat,
  region: BufferRegion,
  near: readonly number[],
  { buffers, transport, free, hasTurn }: RemoteWishes,
): Task<Remote> {
  let remote: ByConveyor | null = null;
  const answer = answering(region, near.indexOf(seat.rank), () => {
    const self = near.indexOf(seat.rank);
    remote?.answered();
    seat.posted(seat.rank, region.awaited(self));
  });
  const options = transport === "receiver" ? { cutoff: 0, hops: 1 as const } : {};
  // a conveyor blocks until PEs of other nodes make theirs, so it must be the turn of this one at all of them
  const until = (ready: () => boolean) => polling(`the making of the ${titled(buffers.name)}`, ready);
  if (!hasTurn()) yield until(hasTurn);
  const c = makeElasticBi(sitesOf(seat), answer, options);
  const waiting = c.beginning(false);
  const isBegun = () => waiting.next().done === true;
  if (!isBegun()) yield until(isBegun);
  const made: ByConveyor = new ByConveyor(c, seat, buffers, () => {
    seat.kept.served.delete(made);
    free();
  });
  remote = made;
  seat.kept.served.add(made);
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
