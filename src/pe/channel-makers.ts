/** Channels: the part of a group that makes queue pairs. */

import type { Collectives } from "../collectives/collectives.ts";
import type { Team } from "../collectives/team/team.ts";
import type { AppendSeat } from "../facilities/append/seat.ts";
import type { ConveyorContext } from "../facilities/conveyor/front/make.ts";
import type { ByteChannel } from "../facilities/messages/byte-channel.ts";
import type { ItemChannel } from "../facilities/messages/item-channel.ts";
import { makeChannel } from "../facilities/messages/make.ts";
import { type Messenger, type MessengerOptions, makeMessenger } from "../facilities/messages/messenger.ts";
import type { ChannelOptions, ItemChannelOptions } from "../facilities/messages/options.ts";
import { type MemberOptions, PairMembers } from "../facilities/messages/pair-members.ts";
import type { PairSeat } from "../facilities/messages/seat.ts";
import type { ItemType } from "../ground/item/types.ts";
import { Appends } from "./append-makers.ts";
import { treeFrom } from "./member-trees.ts";

/** PEs that send each other messages. */
export abstract class Channels extends Appends {
  readonly #pairs: PairSeat;
  readonly #team: Team;

  /** @internal */
  protected constructor(
    context: ConveyorContext,
    collectives: Collectives,
    appends: AppendSeat,
    pairs: PairSeat,
  ) {
    super(context, collectives, appends);
    this.#pairs = pairs;
    this.#team = collectives.team;
  }

  /**
   * Makes a channel to another PE of the group, which makes it, too: a queue in each direction (Smelt's queue pair). Both give the same
   * options; the n-th channels that two PEs make belong together, whatever groups they are made in. It waits only if the heap is full.
   *
   *     const c = pe.channel(peer, { item: struct({ at: u32, value: f64 }) });
   *     c.send(7, 0.5);
   *     const { at, value } = c.receive();
   *
   * @param peer its rank in the group
   * @throws UsageError; RankRangeError; HeapError if the heap is full; MismatchError, which ends the world, if the two differ
   */
  channel<const I extends ItemType>(peer: number, options: ItemChannelOptions<I>): ItemChannel<I>;
  /**
   * As above, for messages of any length.
   *
   *     const c = pe.channel(peer);
   *     c.send(Float64Array.of(1, 2, 3));
   *     const bytes = c.receive();
   */
  channel(peer: number, options?: ChannelOptions): ByteChannel;
  channel(
    peer: number,
    options: ChannelOptions | ItemChannelOptions<ItemType> = {},
  ): ByteChannel | ItemChannel {
    this.checkOpen();
    return makeChannel(this.#pairs, peer, options);
  }

  /**
   * Makes a messenger: messages between all members of the group by rank and tag, as MPI has them. Collective: all members make it, with
   * the same options, and in the same order as other messengers and channels.
   *
   *     const m = pe.messenger();
   *     m.send(1, Float64Array.of(1, 2, 3), 7);
   *     const { from, bytes } = m.receive({ tag: 7 });
   *
   * @throws UsageError; HeapError if the heap is full; MismatchError, which ends the world, if members differ
   */
  messenger(options: MessengerOptions = {}): Messenger {
    this.checkOpen();
    return makeMessenger(this.#pairs, options);
  }

  /** @internal a tree of all members with this root: by member, its children in send order */
  treeFrom(root: number): number[][] {
    const { nodeOf } = this.#pairs;
    const team = this.#team;
    return treeFrom(nodeOf, team.size === nodeOf.length ? team.plan.broadcast : null, root);
  }

  /** @internal the members of the group, for protocols among them */
  members(options: MemberOptions): PairMembers {
    this.checkOpen();
    return new PairMembers(this.#pairs, options);
  }
}
