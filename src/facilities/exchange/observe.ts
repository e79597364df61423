/**
 * Observation of exchanges: an event for each chunk, when all of it has left its PE.
 *
 * `tundish:exchange:sent`, a channel of node:diagnostics_channel: a {@link ChunkSent} when a chunk has left this PE, in
 * phases that began with a subscriber.
 *
 * Without a subscriber it costs a look at the channel in each phase.
 */
import { type Channel, channel } from "node:diagnostics_channel";

/** A chunk has left its PE. Times are those of a clock of the machine that never steps, as of `process.hrtime`, ms. */
export interface ChunkSent {
  /** The exchange: its option `name` if it has one. */
  readonly exchange: string;
  /** Ranks in the exchange. */
  readonly rank: number;
  readonly to: number;
  readonly bytes: number;
  /** When its first packet was sent, and when all of it had left this node; within a node: was seen by its receiver. */
  readonly began: number;
  readonly ended: number;
}

const channelOfChunks: Channel = channel("tundish:exchange:sent");

/** Whether the channel has a subscriber now. */
export const areChunksWanted = (): boolean => channelOfChunks.hasSubscribers;

/** Observations of one exchange at one PE. */
export interface Observed {
  readonly exchange: string;
  readonly rank: number;
  now(): number;
  hasLeft(lane: number): boolean;
}

interface Chunk {
  readonly to: number;
  readonly began: number;
  bytes: number;
}

/** Watches the chunks that one PE sends. */
export class ChunkObserver {
  readonly #of: Observed;
  /** By lane: the chunk that is being sent. */
  readonly #begun = new Map<number, Chunk>();
  /** Chunks that were sent and have not left. */
  #leaving: Chunk[] = [];

  constructor(of: Observed) {
    this.#of = of;
  }

  /** Before a packet of a lane is sent. */
  sending(lane: number): void {
    if (!this.#begun.has(lane)) this.#begun.set(lane, { to: lane, began: this.#of.now(), bytes: 0 });
  }

  /** A packet was sent. @param isLast whether it is the last one of its chunk */
  sent(lane: number, bytes: number, isLast: boolean): void {
    const chunk = this.#begun.get(lane) as Chunk;
    chunk.bytes += bytes;
    if (!isLast) return;
    this.#begun.delete(lane);
    this.#leaving.push(chunk);
    this.look();
  }

  /** Publishes the chunks that have left. Before anybody is told that they have. */
  look(): void {
    if (this.#leaving.length === 0) return;
    const { exchange, rank } = this.#of;
    this.#leaving = this.#leaving.filter(({ to, bytes, began }) => {
      if (!this.#of.hasLeft(to)) return true;
      channelOfChunks.publish({
        exchange,
        rank,
        to,
        bytes,
        began,
        ended: this.#of.now(),
      } satisfies ChunkSent);
      return false;
    });
  }
}
