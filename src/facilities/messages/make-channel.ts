/** Makes channels: checks what they are made of, and gets their pairs. */

import { RankRangeError, UsageError } from "../../ground/base/errors.ts";
import { checkOptions } from "../../ground/base/options.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { PAYLOAD_BYTES } from "../../ground/channel/layout.ts";
import { describeItem, type ItemType, isItemType } from "../../ground/item/item-type.ts";
import { pairOf } from "../../pe/pair-of.ts";
import type { Seat } from "../../pe/seat.ts";
import { type ByteChannel, newByteChannel } from "./byte-channel.ts";
import { type ItemChannel, newItemChannel } from "./item-channel.ts";
import {
  blockBytesOf,
  CHANNEL,
  type ChannelOptions,
  DEFAULT_PART_BYTES,
  type ItemChannelOptions,
  slotsOf,
} from "./options.ts";

/** @throws UsageError; RankRangeError; HeapError; MismatchError, which ends the world */
export function makeChannel(
  seat: Seat,
  peer: number,
  options: ChannelOptions | ItemChannelOptions<ItemType>,
): ByteChannel | ItemChannel {
  checkOptions("channel", CHANNEL, options);
  if (!(typeof peer === "number" && peer >>> 0 === peer && peer < seat.size && peer !== seat.rank)) {
    throw new RankRangeError(
      `channel: expected the rank of another PE, from 0 to ${seat.size - 1} and not ${seat.rank}, got ${shortText(peer)}`,
    );
  }
  const { backend, name = "" } = options;
  const item = "item" in options ? options.item : undefined;
  const { partBytes } = options as ChannelOptions;
  if (item !== undefined && partBytes !== undefined) {
    throw new UsageError(
      "partBytes: not allowed for a channel of items, each of which goes in one part. Leave it out.",
    );
  }
  if (item !== undefined && !isItemType(item)) {
    throw new UsageError(`item: expected an item type (f64, bytes(n), struct({ … }), …), got ${shortText(item)}`);
  }
  const slots = slotsOf(options);
  const most = item?.bytes ?? partBytes ?? DEFAULT_PART_BYTES;
  const shape = { slots, blockBytes: most <= PAYLOAD_BYTES ? 0 : blockBytesOf(most) };
  const what = item === undefined ? `parts of ${most} bytes` : `items ${describeItem(item)}`;
  const named = name === "" ? "" : `name ${JSON.stringify(name)}, `;
  const terms = `a channel: ${named}${what}, slots ${slots}, backend ${backend ?? "of the world"}`;
  const pair = pairOf(seat, peer, shape, backend, terms);
  return item === undefined ? newByteChannel(seat, peer, pair, name) : newItemChannel(seat, peer, pair, name, item);
}
