/** Makes conveyors: choices, routes, the place, and the conveyor on it. */

import { UsageError } from "../../base/errors.ts";
import { checkOptions, is, optionsOf, whole } from "../../base/options.ts";
import { shortText } from "../../base/short-text.ts";
import { describeItem, type ItemType, isItemType } from "../../item/types.ts";
import type { CostModel } from "../../plan/types.ts";
import type { Hop, Porter, Site, SitePlan } from "../../transport/contract.ts";
import { ElasticBelt } from "../belts/elastic.ts";
import type { ElasticAnswer } from "../belts/elastic-bi.ts";
import { RigidBelt } from "../belts/rigid.ts";
import type { Answer } from "../belts/rigid-bi.ts";
import type { Frame } from "../engine/assembly.ts";
import { isWanted, ObservedPorter, Observer } from "../engine/observe.ts";
import { packetBytes } from "../engine/packets.ts";
import { INSTEAD, isAsync } from "../engine/returned.ts";
import { type Choice, choose, type NodeLayout, storedBytes } from "../geometry/choice.ts";
import { type Codec, constantBits } from "../geometry/codec.ts";
import type { Levels } from "../geometry/grid.ts";
import { CONVEYOR_FIELDS, type ConveyorOptions, checkConveyorOptions } from "../geometry/options.ts";
import { friendsOf } from "../geometry/route.ts";
import { explainUnplanned, planFor } from "./planned.ts";

/** Where conveyors are made: a group of PEs, seen from one of them. */
export interface ConveyorContext {
  readonly rank: number;
  readonly size: number;
  /** Which PEs are near each other. */
  levels(): Levels;
  /** What PEs, messages and items of so many bytes cost; the same object for the same bytes. */
  costs(itemBytes: number): CostModel;
  /** What else choices depend on. @default as on one node */
  readonly nodeLayout?: NodeLayout;
  /** Makes the place for one conveyor. @param maxBytes of what lies apart */
  site(plan: SitePlan, maxBytes: number): Site;
}

/** What a site is to be like for these choices. */
function sitePlan(choice: Choice, rank: number, item: string, name: string): SitePlan {
  const { type, route, bufferBytes, buffersPerLink, steady, codec } = choice;
  const { hops, groupSize } = route;
  return {
    hops: friendsOf(route, rank),
    hopsOf: (other) => friendsOf(route, other),
    buffers: { bytes: storedBytes(bufferBytes), perLink: buffersPerLink },
    scratch: choice.scratch,
    name,
    terms:
      `${item}, type ${type}, hops ${hops}, groupSize ${groupSize}, bufferBytes ${bufferBytes}, ` +
      `buffersPerLink ${buffersPerLink}, steady ${steady}, compress ${codecName(codec)}`,
  };
}

/** What PEs compare of a codec: a user's is told by its code. */
function codecName(codec: Codec | null): string {
  if (codec === null) return "false";
  if (codec === constantBits) return "true";
  return `with ${codec.compress} and ${codec.decompress}`;
}

/**
 * Checks the options of a conveyor, and makes the place for it.
 * @param name what diagnoses call it. @default its items
 */
export function frameFor(
  context: ConveyorContext,
  item: ItemType,
  options: ConveyorOptions,
  name?: string,
): Frame {
  if (!isItemType(item)) {
    throw new UsageError(
      `conveyor: expected an item type (f64, bytes(n), struct({ … }), …), got ${shortText(item)}`,
    );
  }
  const items = describeItem(item);
  if (options?.itemBytes !== undefined) {
    throw new UsageError(
      "itemBytes: the item of this conveyor says it. Leave it out; it is for elastic conveyors.",
    );
  }
  return frame(context, options, item.bytes, `items ${items}`, name ?? items);
}

/**
 * As {@link frameFor}, for a mailbox of a selector.
 * @param order what else the PEs must agree about, in words
 */
export function mailboxFrameFor(
  context: ConveyorContext,
  item: ItemType,
  options: ConveyorOptions,
  name: string,
  order: string,
): Frame {
  const items = `mailbox ${name} ${order}, items ${describeItem(item)}`;
  return frame(context, options, item.bytes, items, `mailbox ${name}`);
}

/** Bytes of an item of an elastic conveyor, as long as nobody says. */
const ELASTIC_ITEM = 64;
/** Of the budget of an elastic conveyor, what its buffers take; the rest is for large items. */
const ELASTIC_SHARE = 1 / 2;

/** As {@link frameFor}, for items of any length. */
export function elasticFrameFor(context: ConveyorContext, options: ConveyorOptions): Frame {
  if (options?.type === "trivial") {
    throw new UsageError('type: an elastic conveyor is "tensor" or "simple", got "trivial"');
  }
  return frame(context, options, 1, "items of any length", "items of any length", ELASTIC_SHARE);
}

function frame(
  context: ConveyorContext,
  options: ConveyorOptions,
  itemBytes: number,
  items: string,
  name: string,
  share?: number,
): Frame {
  checkConveyorOptions(options);
  const planned = share === undefined ? itemBytes : packetBytes(options.itemBytes ?? ELASTIC_ITEM);
  const chosen = planFor(context, options, planned, share);
  const choice = choose(
    { ...options, ...chosen?.options },
    context.size,
    itemBytes,
    () => context.levels(),
    share,
    context.nodeLayout,
  );
  const plan = sitePlan(choice, context.rank, items, name);
  const explain = () => chosen?.explain() ?? explainUnplanned(choice, options.load !== undefined);
  if (!choice.observe && !isWanted()) return { site: context.site(plan, choice.spareBytes), choice, explain };
  let site: Site | null = null;
  const observer = new Observer(name, context.rank, () => (site as Site).now());
  const wrap = (porter: Porter, hop: number): Porter =>
    new ObservedPorter(porter, observer, hop, plan.hops[hop] as Hop, choice.bufferBytes);
  site = context.site({ ...plan, wrap }, choice.spareBytes);
  return { site, choice, explain, observer };
}

/** One of the two belts of a biconveyor. @param what it carries: queries or replies */
function biBelt<I extends ItemType>(
  context: ConveyorContext,
  item: I,
  options: ConveyorOptions,
  what: string,
): RigidBelt<I> {
  if (!isItemType(item)) {
    throw new UsageError(`biconveyor: expected an item type for queries and replies, got ${shortText(item)}`);
  }
  return new RigidBelt(frameFor(context, item, options, `${what} of ${describeItem(item)}`), item);
}

/** Options of a biconveyor. */
export interface BiconveyorOptions extends ConveyorOptions {
  /** Queries of one PE that may be without a pulled reply at once. @default 16384 */
  readonly window?: number | undefined;
}

const DEFAULT_WINDOW = 16_384;
const MAX_WINDOW = 2 ** 24;
const ALWAYS_STEADY = is("true, as a biconveyor is always steady", (x) => x === true);
const BICONVEYOR = optionsOf<BiconveyorOptions>({
  ...CONVEYOR_FIELDS,
  steady: ALWAYS_STEADY,
  window: whole(2, MAX_WINDOW),
});

/** The options of the two conveyors within a biconveyor, and its window. */
function biOptions(options: BiconveyorOptions): { each: ConveyorOptions; window: number } {
  checkOptions("biconveyor", BICONVEYOR, options);
  const { window = DEFAULT_WINDOW, maxBytes, ...rest } = options;
  return { each: { ...rest, steady: true, maxBytes: maxBytes && maxBytes / 2 }, window };
}

/** @throws UsageError for what cannot answer at once */
function checkAnswer(what: string, answer: unknown, form: string): void {
  if (typeof answer === "function" && !isAsync(answer)) return;
  const found = typeof answer === "function" ? "an async one" : shortText(answer);
  throw new UsageError(
    `${what}: expected a function that answers queries, and does not await: ${form}, got ${found}; ${INSTEAD.answer}`,
  );
}

/** Makes a belt beside another one, which is given back when that fails: as it does at all PEs. */
function beside<Belt>(first: { free(): void }, make: () => Belt): Belt {
  try {
    return make();
  } catch (error) {
    first.free();
    throw error;
  }
}

/** What a biconveyor is made from, as its constructor takes it. */
export function biParts<Q extends ItemType, R extends ItemType>(
  context: ConveyorContext,
  query: Q,
  reply: R,
  answer: Answer<Q, R>,
  options: BiconveyorOptions,
): [RigidBelt<Q>, RigidBelt<R>, Q, R, Answer<Q, R>, number] {
  checkAnswer("biconveyor", answer, "(query, from) => reply");
  const { each, window } = biOptions(options);
  const queries = biBelt(context, query, each, "queries");
  const replies = beside(queries, () => biBelt(context, reply, each, "replies"));
  return [queries, replies, query, reply, answer, window];
}

/** As {@link biParts}, for queries and replies of any length. */
export function elasticBiParts(
  context: ConveyorContext,
  answer: ElasticAnswer,
  options: BiconveyorOptions,
): [ElasticBelt, ElasticBelt, ElasticAnswer, number] {
  checkAnswer("elasticBiconveyor", answer, "(bytes, from) => bytes");
  const { each, window } = biOptions(options);
  const queries = new ElasticBelt(elasticFrameFor(context, each));
  const replies = beside(queries, () => new ElasticBelt(elasticFrameFor(context, each)));
  return [queries, replies, answer, window];
}
