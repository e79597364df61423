/** Puts the machinery of a conveyor together: what is the same for items of one size and of any. */
import type { Site } from "../../transport/contract.ts";
import { type Choice, storedBytes } from "../geometry/choice.ts";
import { Squeezer } from "../geometry/codec.ts";
import type { Pivot } from "../geometry/route.ts";
import { Inbox } from "./inbox.ts";
import type { Observer } from "./observe.ts";
import { Outbox } from "./outbox.ts";
import { Simple } from "./simple.ts";
import { type Engine, type Mover, Tensor } from "./tensor.ts";

/** What a conveyor is made from. */
export interface Frame {
  readonly site: Site;
  readonly choice: Choice;
  /** What was chosen, and why. */
  readonly explain: () => string;
  /** Who sees its buffers; nobody when it is not there. */
  readonly observer?: Observer;
}

/** The machinery of one conveyor at one PE. */
export interface Machinery {
  readonly site: Site;
  readonly choice: Choice;
  readonly explain: () => string;
  readonly outboxes: readonly Outbox[];
  readonly inbox: Inbox;
  readonly engine: Engine;
  /** Compresses the hop between groups; null where there is none, or nobody wants that. */
  readonly squeezer: Squeezer | null;
  readonly observer: Observer | null;
}

/** Where buffers are turned over from one hop to the next. */
export interface Joint {
  /** The hop that leads here. */
  readonly hop: number;
  readonly turn: Pivot;
  /** The next hop's. */
  readonly outbox: Outbox;
  /** Of the hop that leads here; null when it is not compressed. */
  readonly squeezer: Squeezer | null;
}

/** @param moverAt makes what turns buffers over at a joint */
export function assemble(
  { site, choice, explain, observer }: Frame,
  moverAt: (joint: Joint) => Mover,
): Machinery {
  const { route, codec, bufferBytes, steady, type } = choice;
  const { views, porters, scratch } = site;
  const outboxes = porters.map((porter) => new Outbox(porter));
  const remote = route.each.findIndex((hop) => hop.remote);
  const stored = storedBytes(bufferBytes);
  // the first buffer of the scratch is the inbox's
  const squeezer =
    codec === null || remote < 0
      ? null
      : new Squeezer(views, codec, scratch + stored, stored, (error) => site.fail(error));
  if (squeezer !== null) outboxes[remote].squeezer = squeezer;
  const squeezerOf = (hop: number) => (hop === remote ? squeezer : null);
  const last = route.hops - 1;
  const inbox = new Inbox(porters[last], views, scratch, squeezerOf(last));
  const movers = route.each.flatMap(({ turn }, hop) => {
    return turn === null
      ? []
      : [moverAt({ hop, turn, outbox: outboxes[hop + 1], squeezer: squeezerOf(hop) })];
  });
  const engine =
    type === "simple"
      ? new Simple({ site, outbox: outboxes[0], inbox, steady })
      : new Tensor({ site, outboxes, movers, inbox, steady });
  return { site, choice, explain, outboxes, inbox, engine, squeezer, observer: observer ?? null };
}
