/** The pushes of one PE to one owner through a window (by-window.ts): those under way together, and those that wait. */
import { Fifo } from "../../ground/base/fifo.ts";
import type { RemotePush } from "./remote.ts";
import { PIECE_BYTES } from "./window-layout.ts";

/** A batch takes no further push from so many bytes or pushes on. */
const BATCH_BYTES = 8 * PIECE_BYTES;
const BATCH_PUSHES = 1024;
/** The awaited state of a batch. */
export const NOTHING = 0;
export const RESERVING = 1;
export const WRITING = 2;
export const COUNTING = 3;

/** A push of a batch. */
export interface LaneEntry {
  readonly push: RemotePush;
  readonly data: Uint8Array;
  readonly bytes: number;
  /** How many it takes. */
  taken: number;
  /** Its result: the same, or -1 less what was left. */
  reply: number;
}

/** The pushes of this PE to one owner: a batch is under way, the others wait. */
export class Lane {
  readonly node: number;
  /** Byte offset of the owner's part in the heap of its node. */
  readonly at: number;
  readonly length: number;
  readonly queue: Fifo<RemotePush> = new Fifo();
  batch: LaneEntry[] = [];
  stage: number = NOTHING;
  /** Accesses under way. */
  open = 0;
  /** RESERVED and BASE as they were. */
  reserved = 0n;
  base = 0n;
  baseSlot = -1;
  /** Whether RESERVED is held and must be given back. */
  holds = false;
  /** Bytes of the batch that are written, begun and in all; and where they begin in the buffer. */
  begun = 0;
  total = 0;
  position = 0;
  /** The entry that the next piece begins with, and how much of it was before. */
  entry = 0;
  skipped = 0;
  /** Whether all that was reserved before is written; the slot in which DONE is read, -1 for none. */
  isNext = false;
  doneSlot = -1;
  /** The amounts added to DONE and MESSAGES. */
  counted = 0;
  messages = 0;
  hasRaced = false;

  constructor(node: number, at: number, length: number) {
    this.node = node;
    this.at = at;
    this.length = length;
  }
}

/** Makes the pushes that wait a batch. */
export function gather(lane: Lane): void {
  const { queue, batch } = lane;
  let all = 0;
  for (
    let { first } = queue;
    first !== undefined && all < BATCH_BYTES && batch.length < BATCH_PUSHES;
    { first } = queue
  ) {
    queue.leave();
    batch.push({ push: first, data: first.data, bytes: first.bytes, taken: 0, reply: 0 });
    all += first.bytes;
  }
}

/** Shares out what is reserved. Where nothing is truncated, what does not fit takes nothing. */
export function place(lane: Lane, truncates: boolean, counting: boolean): void {
  const { length } = lane;
  let position = Number(lane.reserved - lane.base);
  lane.position = position;
  lane.hasRaced = position < 0;
  lane.begun = lane.total = lane.entry = lane.skipped = lane.counted = lane.messages = 0;
  for (const entry of lane.batch) {
    const left = Math.max(0, length - position);
    const fits = entry.bytes <= left;
    entry.taken = lane.hasRaced ? 0 : fits ? entry.bytes : truncates ? left : 0;
    entry.reply = fits || truncates ? entry.taken : -1 - left;
    lane.total += entry.taken;
    const counts = counting && entry.reply >= 0 && !lane.hasRaced && (entry.taken > 0 || entry.bytes === 0);
    if (counts) lane.messages++;
    position += truncates ? entry.bytes : entry.taken;
    lane.counted += truncates ? entry.bytes : entry.taken;
  }
  // what takes nothing waits for nobody
  lane.isNext = lane.counted === 0 && lane.messages === 0;
}
