/**
 * Messages between PEs: channels, messengers, ordered broadcasts. See docs/messages.md.
 *
 * @module tundish/messages
 */

export type { ByteChannel } from "./facilities/messages/byte-channel.ts";
export { channel, messenger } from "./facilities/messages/channels.ts";
export type { ItemChannel } from "./facilities/messages/item-channel.ts";
export type { Messenger, MessengerOptions } from "./facilities/messages/messenger.ts";
export type { ChannelOptions, ItemChannelOptions } from "./facilities/messages/options.ts";
export type { OrderedBroadcast } from "./facilities/messages/ordered-broadcast/bytes.ts";
export type { OrderedItems } from "./facilities/messages/ordered-broadcast/items.ts";
export type {
  OrderedBroadcastOptions,
  OrderedItemsOptions,
} from "./facilities/messages/ordered-broadcast/options.ts";
export { orderedBroadcast } from "./facilities/messages/ordered-broadcast/ordered-broadcasts.ts";
export type { Message, MessageFilter } from "./facilities/messages/unexpected-messages.ts";
export type { ItemArguments, Takes } from "./ground/item/arguments.ts";
