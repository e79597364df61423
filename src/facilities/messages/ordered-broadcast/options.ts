/** The options of ordered broadcasts, which are those of channels: checks, and what all members must agree about. */
import type { ChannelKind } from "../../../ground/base/channel-kinds.ts";
import { UsageError } from "../../../ground/base/errors.ts";
import { fnv1a } from "../../../ground/base/hash.ts";
import { checkOptions } from "../../../ground/base/options.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import { PAYLOAD_BYTES } from "../../../ground/channel/layout.ts";
import { describeItem, type ItemType, isItemType, roundUp } from "../../../ground/item/item-type.ts";
import type { PairShape } from "../../../pe/pairs/layout.ts";
import type { Seat } from "../../../pe/seat.ts";
import { blockBytesOf, CHANNEL, type ChannelOptions, DEFAULT_PART_BYTES, slotsOf } from "../options.ts";
import { HEAD_BYTES } from "./layout.ts";

/** Options of an ordered broadcast; the same at all members. */
export interface OrderedBroadcastOptions extends ChannelOptions {
  /**
   * Messages, or parts of long ones, that may be on their way in each direction of an edge of the tree, and that may
   * wait to be delivered at a member: a power of two from 2 to 2^20. @default 64
   */
  readonly slots?: number | undefined;
}

/** Options of an ordered broadcast of items. */
export interface OrderedItemsOptions<I extends ItemType> extends Omit<OrderedBroadcastOptions, "partBytes"> {
  /** The type of its items. */
  readonly item: I;
}

/** Options that were checked. */
export interface Settled {
  readonly name: string;
  readonly item: ItemType | undefined;
  /** Bytes of the content of the longest part. */
  readonly most: number;
  readonly slots: number;
  readonly shape: PairShape;
  readonly backend: ChannelKind | undefined;
  /** The terms that all members must agree about. */
  readonly terms: string;
}

/** Members that terms name. */
const NAMED = 8;

/** @throws UsageError */
export function settle({ members }: Seat, options: OrderedBroadcastOptions | OrderedItemsOptions<ItemType>): Settled {
  checkOptions("orderedBroadcast", CHANNEL, options);
  const { backend, name = "" } = options;
  const item = "item" in options ? options.item : undefined;
  const { partBytes } = options as OrderedBroadcastOptions;
  if (item !== undefined && partBytes !== undefined) {
    throw new UsageError(
      "partBytes: not allowed for an ordered broadcast of items, each of which goes in one part. Leave it out.",
    );
  }
  if (item !== undefined && !isItemType(item)) {
    throw new UsageError(`item: expected an item type (f64, bytes(n), struct({ … }), …), got ${shortText(item)}`);
  }
  const slots = slotsOf(options);
  // a part that is not the last one of its message is of whole words
  const most = item?.bytes ?? roundUp(partBytes ?? DEFAULT_PART_BYTES, 8);
  const part = HEAD_BYTES + most;
  const shape = { slots, blockBytes: part <= PAYLOAD_BYTES ? 0 : blockBytesOf(part) };
  const what = item === undefined ? `parts of ${most} bytes` : `items ${describeItem(item)}`;
  const named = name === "" ? "" : `name ${JSON.stringify(name)}, `;
  const among = members.length <= NAMED ? members.join(", ") : `${members.length} #${fnv1a(members.join())}`;
  const terms = `an ordered broadcast among PE ${among}: ${named}${what}, slots ${slots}, backend ${backend ?? "of the world"}`;
  return { name, item, most, slots, shape, backend, terms };
}
