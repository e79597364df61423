/** The back ends of message channels by name, so that tests and benchmarks run over all of them. */
import type { EndOptions } from "./end.ts";
import { FastForwardReceiver, FastForwardSender } from "./fastforward.ts";
import type { QueuePair, Receiver, Sender } from "./types.ts";
import { UmpReceiver, UmpSender } from "./ump.ts";

/** The back ends there are. */
export type Backend = "ump" | "fastforward";

/** How to make both ends of a channel. */
export interface ChannelBackend {
  sender(options: EndOptions): Sender;
  receiver(options: EndOptions): Receiver;
}

/** All back ends. */
export const backends: Readonly<Record<Backend, ChannelBackend>> = {
  ump: {
    sender: (options) => new UmpSender(options),
    receiver: (options) => new UmpReceiver(options),
  },
  fastforward: {
    sender: (options) => new FastForwardSender(options),
    receiver: (options) => new FastForwardReceiver(options),
  },
};

/** A queue pair: the sending end of one channel and the receiving end of another, opposite one. */
export function queuePair(backend: Backend, outgoing: EndOptions, incoming: EndOptions): QueuePair {
  return { sender: backends[backend].sender(outgoing), receiver: backends[backend].receiver(incoming) };
}
