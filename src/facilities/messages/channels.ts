/** Channels and messengers among the PEs of a group. */
import type { ItemType } from "../../ground/item/item-type.ts";
import type { Group } from "../../pe/group.ts";
import { seatOf } from "../../pe/seat-of.ts";
import type { ByteChannel } from "./byte-channel.ts";
import type { ItemChannel } from "./item-channel.ts";
import { makeChannel } from "./make-channel.ts";
import { type Messenger, type MessengerOptions, makeMessenger } from "./messenger.ts";
import type { ChannelOptions, ItemChannelOptions } from "./options.ts";

/**
 * Makes a channel to another PE of the group, which makes it, too: a queue in each direction (Smelt's queue pair). Both
 * give the same options; the n-th channels that two PEs make belong together, whatever groups they are made in. It
 * waits only if the heap is full.
 *
 *     const c = channel(pe, peer, { item: struct({ at: u32, value: f64 }) });
 *     c.send(7, 0.5);
 *     const { at, value } = c.receive();
 *
 * @param peer its rank in the group
 * @throws UsageError; RankRangeError; HeapError if the heap is full; MismatchError, which ends the world, if the two
 * differ
 */
export function channel<const I extends ItemType>(
  pe: Group,
  peer: number,
  options: ItemChannelOptions<I>,
): ItemChannel<I>;
/**
 * As above, for messages of any length.
 *
 *     const c = channel(pe, peer);
 *     c.send(Float64Array.of(1, 2, 3));
 *     const bytes = c.receive();
 */
export function channel(pe: Group, peer: number, options?: ChannelOptions): ByteChannel;
export function channel(
  pe: Group,
  peer: number,
  options: ChannelOptions | ItemChannelOptions<ItemType> = {},
): ByteChannel | ItemChannel {
  return makeChannel(seatOf(pe, "channel"), peer, options);
}

/**
 * Makes a messenger: messages between all members of the group by rank and tag, as MPI has them. Collective: all
 * members make it, with the same options, and in the same order as other messengers and channels.
 *
 *     const m = messenger(pe);
 *     m.send(1, Float64Array.of(1, 2, 3), 7);
 *     const { from, bytes } = m.receive({ tag: 7 });
 *
 * @throws UsageError; HeapError if the heap is full; MismatchError, which ends the world, if members differ
 */
export function messenger(pe: Group, options: MessengerOptions = {}): Messenger {
  return makeMessenger(seatOf(pe, "messenger"), options);
}
