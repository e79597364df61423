/** Makes conveyors: choices, routes, the place, and the conveyor on it. */
import { UsageError } from "../errors.ts";
import { type ItemType, isItemType } from "../item/types.ts";
import type { Hop, Site, SitePlan } from "../porter/types.ts";
import { inWords } from "../wait/account.ts";
import { Conveyor } from "./conveyor.ts";
import { type Choice, type ConveyorOptions, choose, storedBytes } from "./options.ts";
import type { Frame } from "./rigid.ts";
import { friendsOf, makeRoute, type Route } from "./route.ts";

/** Where conveyors are made: a group of PEs, seen from one of them. */
export interface Ground {
  readonly rank: number;
  readonly size: number;
  /** Makes the place for one conveyor. */
  site(plan: SitePlan, hopsOf: (rank: number) => readonly Hop[], maxBytes: number): Site;
}

/** Buffers' worth of memory that a conveyor has beside its links: for an item; for compression, two more. */
const scratchOf = ({ codec }: Choice): number => (codec === null ? 1 : 3);

/** The links of any PE. */
export function hopsOf(route: Route, rank: number): readonly Hop[] {
  return friendsOf(route, rank).map((friends, hop) => ({ ...friends, remote: route.each[hop].remote }));
}

/** What a site is to be like for these choices. */
export function sitePlan(route: Route, choice: Choice, rank: number, item: string): SitePlan {
  const { type, hops, groupSize, bufferBytes, buffersPerLink, steady, codec } = choice;
  return {
    hops: hopsOf(route, rank),
    buffers: { bytes: storedBytes(bufferBytes), perLink: buffersPerLink },
    scratch: scratchOf(choice),
    terms:
      `${item}, type ${type}, hops ${hops}, groupSize ${groupSize}, bufferBytes ${bufferBytes}, ` +
      `buffersPerLink ${buffersPerLink}, steady ${steady}, compress ${codec !== null}`,
  };
}

/** Checks the options of a conveyor, and makes the place for it. */
export function frameFor(ground: Ground, item: ItemType, options: ConveyorOptions): Frame {
  if (!isItemType(item)) {
    throw new UsageError(
      `conveyor: expected an item type (f64, bytes(n), struct({ … }), …), got ${inWords(item)}`,
    );
  }
  const choice = choose(options, ground.size, item.bytes);
  const route = makeRoute(ground.size, choice.groupSize, choice.hops);
  const plan = sitePlan(route, choice, ground.rank, `items of ${item.bytes} bytes`);
  const site = ground.site(plan, (rank) => hopsOf(route, rank), options.maxBytes ?? Number.POSITIVE_INFINITY);
  return { site, route, choice };
}

/** A conveyor on a ground whose PEs are threads. */
export function makeConveyor<I extends ItemType>(
  ground: Ground,
  item: I,
  options: ConveyorOptions = {},
): Conveyor<I> {
  return new Conveyor<I>(frameFor(ground, item, options), item);
}
