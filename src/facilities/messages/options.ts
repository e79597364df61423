/** The options of channels: valid values, defaults, and checks. */
import { type ChannelKind, channelKinds } from "../../ground/base/channel-kinds.ts";
import { is, type OptionField, oneOf, optionsOf, text, unchecked } from "../../ground/base/options.ts";
import { DEFAULT_SLOTS } from "../../ground/channel/layout.ts";
import type { ItemType } from "../../ground/item/item-type.ts";
import { roundUp } from "../../ground/item/item-type.ts";
import { LINE } from "../../ground/memory/heap-layout.ts";

/** Options of a channel; the same at both PEs. */
export interface ChannelOptions {
  /** The kind of queue within a node (of Smelt: "Message-passing backends"). @default that of the world */
  readonly backend?: ChannelKind | undefined;
  /** Messages, or parts of long ones, on their way in each direction: a power of two from 2 to 2^20. @default 64 */
  readonly slots?: number | undefined;
  /**
   * Of messages of any length: bytes of the longest part in which they go, from 64 to 2^24, rounded up to a multiple of
   * 128.
   * @default 8192
   */
  readonly partBytes?: number | undefined;
  /** Its name in errors; the same at both PEs. @default none */
  readonly name?: string | undefined;
}

/** Options of a channel of items. */
export interface ItemChannelOptions<I extends ItemType> extends Omit<ChannelOptions, "partBytes"> {
  /** The type of its items. */
  readonly item: I;
}

export const DEFAULT_PART_BYTES = 8192;

const isPowerOfTwo = (x: unknown): boolean => Number.isInteger(x) && Math.log2(x as number) % 1 === 0;

export const CHANNEL: OptionField = optionsOf<ChannelOptions & { readonly item?: unknown }>({
  backend: oneOf(channelKinds),
  slots: is("a power of two from 2 to 2^20", (x) => isPowerOfTwo(x) && (x as number) >= 2 && (x as number) <= 2 ** 20),
  partBytes: is(
    "a whole number from 64 to 2^24",
    (x) => Number.isInteger(x) && (x as number) >= 64 && (x as number) <= 2 ** 24,
  ),
  name: text("a name"),
  item: unchecked,
});

export const slotsOf = ({ slots = DEFAULT_SLOTS }: Pick<ChannelOptions, "slots">): number => slots;
export const blockBytesOf = (partBytes: number): number => roundUp(partBytes, LINE);
