/** The back ends of message channels by name: worlds, the machine profile and benchmarks run over any of them. */

import { type ChannelKind, channelKinds } from "../base/channel-kinds.ts";
import { UsageError } from "../base/errors.ts";
import { setting } from "../base/settings.ts";
import { shortText } from "../base/short-text.ts";
import { Late } from "../base/thread/late.ts";
import type { EndOptions, ReceiverEnd, SenderEnd } from "./end.ts";
import { UmpReceiver, UmpSender } from "./ump.ts";

/** Few programs ask for it. */
const fastForward = new Late("./fastforward.js", import.meta.url, () => import("./fastforward.ts"));

/** How to make both ends of a channel. */
export interface ChannelBackend {
  sender(options: EndOptions): SenderEnd;
  receiver(options: EndOptions): ReceiverEnd;
}

/** All back ends. */
export const backends: Readonly<Record<ChannelKind, ChannelBackend>> = {
  ump: {
    sender: (options) => new UmpSender(options),
    receiver: (options) => new UmpReceiver(options),
  },
  fastforward: {
    sender: (options) => new fastForward.now.FastForwardSender(options),
    receiver: (options) => new fastForward.now.FastForwardReceiver(options),
  },
};

/** The kind that the option `channel` wants, else that of the environment. @throws UsageError for an unknown kind */
export function channelOf(wanted: ChannelKind | undefined): ChannelKind {
  if (wanted === undefined) return setting("channel") as ChannelKind;
  if (channelKinds.includes(wanted)) return wanted;
  throw new UsageError(`channel: expected ${channelKinds.join(" or ")}, got ${shortText(wanted)}`);
}

/** A queue pair: the sending end of one channel and the receiving end of another, opposite one. */
export function queuePair(
  kind: ChannelKind,
  outgoing: EndOptions,
  incoming: EndOptions,
): { readonly sender: SenderEnd; readonly receiver: ReceiverEnd } {
  return { sender: backends[kind].sender(outgoing), receiver: backends[kind].receiver(incoming) };
}
