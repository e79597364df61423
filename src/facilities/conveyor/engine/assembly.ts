/** Assembles the machinery of a conveyor: the part that rigid and elastic conveyors share. */

import type { Hop, Site } from "../../../links/transport/contract.ts";
import type { HopLanes } from "../../../route/disciplines/hop-lanes.ts";
import { Squeezer } from "../../../route/geometry/codec.ts";
import { type CompleteChoice, storedBytes } from "../../../route/geometry/conveyor-choice.ts";
import type { EndKind } from "../../../route/geometry/ends.ts";
import { disciplinedHop } from "../../../route/geometry/lane-numbers.ts";
import { linkOrders } from "../../../route/geometry/link-order.ts";
import { linkTables } from "../../../route/geometry/link-table.ts";
import type { Ways } from "../../../route/geometry/mesh-ways.ts";
import type { ConveyorRoute, Pivot } from "../../../route/geometry/route.ts";
import { fractionsOf } from "../../../route/geometry/sending.ts";
import { Adapting } from "./adapting.ts";
import { Aging } from "./aging.ts";
import { Disciplined } from "./disciplined.ts";
import { type HopEnd, HopVote, LastMessages } from "./hop-end.ts";
import { Inbox } from "./inbox.ts";
import { JointOutbox, meshTables } from "./joint-outbox.ts";
import type { Observer } from "./observe.ts";
import { Outbox, type PushEntry } from "./outbox.ts";
import { HopReceiver } from "./receiver.ts";
import { Simple } from "./simple.ts";
import { type Engine, type Mover, Tensor } from "./tensor.ts";

/** The identity of a conveyor. */
interface Known {
  /** The option `name`; null if there is none. */
  readonly name: string | null;
  /** Bytes of an item; of any length: those that the buffers were planned for. */
  readonly itemBytes: number;
  /** The option `maxBytes`; null without it. */
  readonly maxBytes: number | null;
  /** The part of `maxBytes` that its buffers within a node keep to, or would. */
  readonly share: number;
}

/** The parts that a conveyor is made from. */
export interface Frame {
  readonly known: Known;
  readonly site: Site;
  /** By hop: the PEs that this one has links with. */
  readonly hops: readonly Hop[];
  readonly choice: CompleteChoice;
  /** By hop. */
  readonly ends: readonly EndKind[];
  /** Whether each session begins with a vote. */
  readonly beginsByVote: boolean;
  /** The choices and the reasons for them. */
  readonly explain: () => string;
  /** By hop: what a buffer costs, ns; null without the option `adapt`. */
  readonly bufferCosts: readonly number[] | null;
  /** The observer of its buffers, if it is observed. */
  readonly observer?: Observer;
  /** The lanes of the hop that sends under a discipline, if there is one. */
  readonly lanes?: HopLanes;
}

/** The machinery of one conveyor at one PE. */
export interface Machinery {
  readonly known: Known;
  readonly site: Site;
  readonly choice: CompleteChoice;
  readonly beginsByVote: boolean;
  readonly explain: () => string;
  readonly outboxes: readonly Outbox[];
  readonly receivers: readonly HopReceiver[];
  /** The entry that items are pushed into, and over which link of it, with which tag. */
  readonly entry: PushEntry;
  readonly ways: Ways;
  /** Between the hops, one fewer than hops. */
  readonly movers: readonly Mover[];
  readonly inbox: Inbox;
  readonly engine: Engine;
  /** Compresses the hop between groups; null if there is no such hop or compression is off. */
  readonly squeezer: Squeezer | null;
  readonly observer: Observer | null;
  /** Null without the option `adapt`. */
  readonly adapting: Adapting | null;
}

/** The point where buffers are forwarded from one hop to the next. */
export interface Joint {
  /** The incoming hop. */
  readonly hop: number;
  readonly receiver: HopReceiver;
  readonly turn: Pivot;
  /** The outbox of the next hop. */
  readonly outbox: Outbox;
  /** In a mesh, where more than one hop is to come: how items leave out some; else null. */
  readonly pass: Pass | null;
  /** Of the incoming hop; null if it is not compressed. */
  readonly squeezer: Squeezer | null;
}

/** How items of a mesh leave out hops: to a later one, or to the PE itself (geometry/mesh-ways.ts). */
export interface Pass {
  /** The outboxes of all hops. */
  readonly entry: PushEntry;
  /** This PE's coordinates. */
  readonly own: number;
  /** The field of the incoming hop, the number of fields, and the byte offset of their table. */
  readonly field: number;
  readonly fields: number;
  readonly at: number;
}

function passOf(entry: PushEntry, { places, rank }: Site, { ranks, fields, tag }: ConveyorRoute, turn: Pivot): Pass {
  const at = places.routes + ranks.byteLength;
  return { entry, own: tag[rank], field: fields[turn.sourceShift], fields: fields.length, at };
}

/** @param moverAt makes the mover of a joint */
export function assemble(
  { known, site, hops, choice, ends, beginsByVote, explain, bufferCosts, observer, lanes }: Frame,
  moverAt: (joint: Joint) => Mover,
): Machinery {
  const { route, codec, bufferBytes, steady, type, sending } = choice;
  const { views, porters } = site;
  const { scratch, table, routes } = site.places;
  const joint = route.mesh === null ? null : meshTables(site, route);
  const tables =
    joint?.each ??
    linkTables(
      views,
      table,
      porters.map(({ links }) => links),
      route.hops === 1,
    );
  const friends = hops.map((hop) => Uint8Array.from(hop.friends, (friend) => (friend < 0 ? 0 : 1)));
  const orders = linkOrders(choice, site.rank);
  // in a mesh all hops have one margin
  const startsSlowly = site.startsSlowly && joint === null;
  const outboxes = porters.map(
    (porter, hop) => new Outbox(porter, tables[hop], friends[hop], orders[hop], startsSlowly),
  );
  const { cutoff } = fractionsOf(sending);
  for (const outbox of outboxes) {
    if (cutoff !== null) outbox.direct = Math.floor(cutoff * bufferBytes);
    if (sending.maxBufferedBytes !== Number.POSITIVE_INFINITY) {
      outbox.limitTo(Math.floor(sending.maxBufferedBytes / outboxes.length));
    }
  }
  const share = sending.maxDelay / outboxes.length;
  const adapting = bufferCosts === null ? null : new Adapting(outboxes, bufferCosts, share, joint !== null);
  const aging =
    adapting === null && sending.maxDelay === Number.POSITIVE_INFINITY
      ? null
      : new Aging(site, outboxes, sending.maxDelay, adapting);
  const entry = joint === null ? outboxes[0] : new JointOutbox(joint.all, outboxes, route);
  const ways = joint?.ways ?? { link: route.link, tag: route.tag, at: routes };
  const receivers = porters.map((porter, hop) => new HopReceiver(porter, outboxes[hop].friends));
  const remote = route.each.findIndex((hop) => hop.remote);
  const stored = storedBytes(bufferBytes);
  // buffers of the scratch: the inbox's, one for columns (belts/batch.ts), two for compression
  const squeezer =
    codec === null || remote < 0
      ? null
      : new Squeezer(views, codec, scratch + 2 * stored, stored, (error) => site.fail(error));
  if (squeezer !== null) outboxes[remote].squeezer = squeezer;
  const squeezerOf = (hop: number) => (hop === remote ? squeezer : null);
  const last = route.hops - 1;
  const inbox = new Inbox(receivers[last], views, scratch, squeezerOf(last));
  const movers = route.each.flatMap(({ turn }, hop) => {
    return turn === null
      ? []
      : [
          moverAt({
            hop,
            receiver: receivers[hop],
            turn,
            outbox: outboxes[hop + 1],
            pass: joint === null || hop + 2 > last ? null : passOf(entry, site, route, turn),
            squeezer: squeezerOf(hop),
          }),
        ];
  });
  const endOf = (outbox: Outbox, hop: number): HopEnd =>
    ends[hop] === "vote"
      ? new HopVote(outbox, receivers[hop], site.vote)
      : new LastMessages(outbox, receivers[hop], site.oversized);
  const tensor = (): Engine => {
    const hopEnds = outboxes.map(endOf);
    const plain = new Tensor({ entry, outboxes, receivers, ends: hopEnds, movers, inbox, steady, aging });
    return lanes === undefined ? plain : new Disciplined(plain, lanes, hopEnds[disciplinedHop(route)]);
  };
  const engine = type === "simple" ? new Simple({ site, outboxes, movers, inbox, steady, aging }) : tensor();
  // Without a spread: of a literal with one V8 makes a dictionary from the tenth time on, and whoever reads it is
  // compiled anew, and then again and again.
  return {
    site,
    choice,
    known,
    beginsByVote,
    explain,
    outboxes,
    receivers,
    entry,
    ways,
    movers,
    inbox,
    engine,
    squeezer,
    observer: observer ?? null,
    adapting,
  };
}
