/** The links of a team: the ends of one PE, where the map (link-map.ts) says. */
import type { CollectivePlan } from "../../../trees/model/tree.ts";
import type { ChannelKind } from "../../ground/base/channel-kinds.ts";
import { backends } from "../../ground/channel/backends.ts";
import type { EndOptions, ReceiverEnd, SenderEnd } from "../../ground/channel/end.ts";
import { SignalReceiver, SignalSender } from "../../ground/channel/signal.ts";
import type { Heap } from "../../ground/memory/heap.ts";
import type { Waiter } from "../../ground/wait/waiter.ts";
import type { Wakers } from "../../ground/wait/wakers.ts";
import { LINK_SLOTS, LinkMap } from "./link-map.ts";
import type { TeamLinks } from "./medium.ts";

/** The parts of a PE's links. */
interface LinkOptions {
  readonly plan: CollectivePlan;
  /** The PEs' ranks on the node, by rank in the team. */
  readonly members: readonly number[];
  readonly rank: number;
  readonly heap: Heap;
  readonly waiter: Waiter;
  readonly wakers: Wakers;
  /** The kind of the channels: one for the whole world, so that no call meets two kinds of ends. */
  readonly channel: ChannelKind;
}

/** The links of one PE. */
export class Links implements TeamLinks {
  readonly #options: LinkOptions;
  readonly #map: LinkMap;
  readonly #offset: number;
  readonly #ends = new Map<string, unknown>();

  constructor(options: LinkOptions, offset: number) {
    this.#options = options;
    this.#map = new LinkMap(options.plan, options.members.length);
    this.#offset = offset;
  }

  signalTo(peer: number): SignalSender {
    const { members, rank, wakers } = this.#options;
    const offset = this.#offset + this.#map.signal(rank, peer);
    return this.#once(`signal>${peer}`, () => new SignalSender(offset, members[peer], wakers));
  }

  signalFrom(peer: number): SignalReceiver {
    const { heap, members, rank } = this.#options;
    const offset = this.#offset + this.#map.signal(peer, rank);
    return this.#once(`signal<${peer}`, () => new SignalReceiver(heap, offset, members[peer]));
  }

  sender(peer: number): SenderEnd {
    const { rank, channel } = this.#options;
    return this.#once(`channel>${peer}`, () => backends[channel].sender(this.#end(rank, peer, peer)));
  }

  receiver(peer: number): ReceiverEnd {
    const { rank, channel } = this.#options;
    return this.#once(`channel<${peer}`, () => backends[channel].receiver(this.#end(peer, rank, peer)));
  }

  #end(from: number, to: number, peer: number): EndOptions {
    const { heap, members, waiter, wakers } = this.#options;
    const offset = this.#offset + this.#map.channel(from, to);
    return { heap, offset, slots: LINK_SLOTS, peer: members[peer], waiter, wakers };
  }

  #once<T>(name: string, make: () => T): T {
    let end = this.#ends.get(name) as T | undefined;
    if (end === undefined) {
      end = make();
      this.#ends.set(name, end);
    }
    return end;
  }
}
