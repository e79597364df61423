/** Makes conveyors: the choices, the route, the site, and the conveyor on it. */

import { UsageError } from "../../../ground/base/errors.ts";
import { is, optionsOf, whole } from "../../../ground/base/options.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import { describeItem, type ItemType, isItemType } from "../../../ground/item/item-type.ts";
import type { Sites } from "../../../pe/seat.ts";
import { bufferCosts } from "../../../plan/model/buffer-cost.ts";
import { choose, fairBytes } from "../../../route/geometry/conveyor-choice.ts";
import { beginsByVote, endsOf } from "../../../route/geometry/ends.ts";
import { geometryLines } from "../../../route/geometry/explain.ts";
import {
  CONVEYOR_FIELDS,
  type ConveyorOptions,
  checkElasticOptions,
  checkRigidOptions,
} from "../../../route/geometry/options.ts";
import type { ConveyorRoute } from "../../../route/geometry/route.ts";
import { ElasticBelt } from "../belts/elastic.ts";
import { type ElasticAnswer, ElasticBiBelt } from "../belts/elastic-bi.ts";
import { newBelt, type RigidBelt } from "../belts/rigid.ts";
import { newBiBelt, type RigidBiBelt } from "../belts/rigid-bi.ts";
import { serving } from "../belts/serving.ts";
import { servingAll } from "../belts/serving-all.ts";
import { checkAnswersTable, servingTable } from "../belts/serving-table.ts";
import type { Frame } from "../engine/assembly.ts";
import { ringBytes, SLOT_BYTES } from "../engine/item-ring.ts";
import { packetBytes } from "../engine/packets.ts";
import { type Answers, checkAnswer, isOfAll, isTable } from "./answer-forms.ts";
import { decide } from "./decide.ts";
import { onSite, type Ringed, sitePlan } from "./on-site.ts";
import { assumedFor, budgetOf, planFor } from "./planned.ts";
import { recall, remember } from "./prepared.ts";
import { partOf } from "./sources.ts";

/** Bytes of `maxBytes` that other memory than that of links takes. */
type Beside = (maxBytes: number) => number;

/** Makes the belt of a conveyor: its item type and its options are checked, and it gets its site. */
export function makeRigid<I extends ItemType>(context: Sites, item: I, options: ConveyorOptions): RigidBelt<I> {
  if (!isItemType(item)) {
    throw new UsageError(`conveyor: expected an item type (f64, bytes(n), struct({ … }), …), got ${shortText(item)}`);
  }
  return newBelt(rigidFrame(context, item, options, describeItem(item), "", 1, checkRigidOptions), item);
}

/**
 * The frame that a conveyor is made on, with an item type and options that are checked already.
 * @param name for diagnoses @param more terms that the PEs must agree about, as text
 * @param count of conveyors that share `maxBytes` @param check of the options, if they are not checked yet
 * @param beside bytes of `maxBytes` that other memory takes @param ring beside its link table
 */
export function rigidFrame(
  context: Sites,
  item: ItemType,
  options: ConveyorOptions,
  name: string,
  more = "",
  count = 1,
  check?: (options: ConveyorOptions) => void,
  beside?: Beside,
  ring?: Ringed,
): Frame {
  const terms = `${more}items ${describeItem(item)}`;
  return frame(context, options, item.bytes, terms, name, count, undefined, check, beside, ring);
}

/** Assumed bytes of an item of an elastic conveyor, unless `itemBytes` is given. */
const ELASTIC_ITEM = 64;
/** The share of an elastic conveyor's budget for its buffers; the rest is for oversized items. */
const ELASTIC_SHARE = 1 / 2;

/** As {@link makeRigid}, for an elastic conveyor. */
export function makeElastic(context: Sites, options: ConveyorOptions): ElasticBelt {
  checkElasticOptions(options, "elasticConveyor");
  return new ElasticBelt(elasticFrame(context, options, 1));
}

const ANY_LENGTH = "items of any length";

/**
 * As {@link rigidFrame}, for items of any length; the options are checked.
 * @param items terms that the PEs must agree about @param name for diagnoses
 */
export const elasticFrame = (
  context: Sites,
  options: ConveyorOptions,
  count: number,
  items: string = ANY_LENGTH,
  name: string = ANY_LENGTH,
): Frame => frame(context, options, 1, items, name, count, ELASTIC_SHARE);

function frame(
  context: Sites,
  options: ConveyorOptions,
  itemBytes: number,
  items: string,
  name: string,
  count: number,
  share?: number,
  check?: (options: ConveyorOptions) => void,
  beside?: Beside,
  ring?: Ringed,
): Frame {
  const of = `${count} ${share} ${itemBytes} ${name}: ${items}`;
  // what is beside the links is no part of the options
  const isPlain = beside === undefined && ring === undefined;
  const made = isPlain ? recall(context, of, options) : null;
  if (made !== null) return onSite(context, made);
  check?.(options);
  const ofOneSize = share === undefined ? itemBytes : 0;
  const planned = share === undefined ? itemBytes : packetBytes(options.itemBytes ?? ELASTIC_ITEM);
  const besides = (maxBytes: number) => Math.max(1, maxBytes - (beside?.(maxBytes) ?? 0));
  const budgeted = ({ maxBytes }: ConveyorOptions) => (maxBytes === undefined ? {} : { maxBytes: besides(maxBytes) });
  const requested = (asked: ConveyorOptions) => ({
    ...asked,
    ...budgeted(asked),
    ...(share !== undefined && { elastic: true }),
  });
  const ofLinks = (share ?? 1) / count;
  const { choice, explain, hasGroups } = decide(context, options, {
    itemBytes: ofOneSize,
    plan: (asked, network) => planFor(context, requested(asked), planned, ofLinks, network),
    assume: (asked) => assumedFor(context, requested(asked), planned, ofLinks),
    choose: (all) =>
      choose(all, context.size, itemBytes, {
        levels: context.levels,
        share,
        nodeLayout: context.nodeLayout,
        count,
        beside,
      }),
  });
  const plan = sitePlan(choice, context.rank, { terms: items, bytes: ofOneSize }, name, ring, options.name);
  const remoteLinks = context.remoteLinks ?? (() => 0);
  const ends = endsOf(choice.route, remoteLinks);
  const explained = () =>
    [explain(), ...geometryLines(choice, ofOneSize, context.levels, context.nodeLayout?.nodeSize, hasGroups)].join(
      "\n",
    );
  const { maxBytes = usualBytes(context) } = options;
  const parts = {
    known: {
      ...{ name: options.name ?? null, itemBytes: planned },
      ...{
        maxBytes: options.maxBytes ?? null,
        share: budgetOf(context, besides(maxBytes), ofLinks) / maxBytes,
      },
    },
    ...{ hops: plan.hops, choice, ends },
    bufferCosts: choice.adapt ? bufferCosts(context.costs(planned), shapeOf(choice.route)) : null,
    beginsByVote: beginsByVote(choice.type, ends, share !== undefined && remoteLinks(choice.route) > 0),
    explain: explained,
  };
  const now = isPlain ? remember(context, of, options, plan, parts) : { options, plan, parts };
  return onSite(context, now);
}

const shapeOf = ({ hops, groupSize, mesh }: ConveyorRoute) => ({ hops, groupSize, ...(mesh && { mesh }) });

/** The conveyors of a biconveyor. */
const BELTS = 2;

const noItem = (item: unknown): UsageError =>
  new UsageError(`biconveyor: expected an item type for queries and replies, got ${shortText(item)}`);

/**
 * One of the two belts of a biconveyor.
 * @param what it transports: queries or replies
 * @param beside bytes of its ring
 */
function biBelt<I extends ItemType>(
  context: Sites,
  item: I,
  options: ConveyorOptions,
  what: string,
  beside: Beside,
  ring?: Ringed,
): RigidBelt<I> {
  if (!isItemType(item)) throw noItem(item);
  const frame = rigidFrame(
    ...([context, item, partOf(options, what), `${what} of ${describeItem(item)}`] as const),
    ring === undefined ? "" : `window ${ring.window}, `,
    BELTS,
    undefined,
    beside,
    ring,
  );
  return newBelt(frame, item);
}

/** Options of a biconveyor. */
export interface BiconveyorOptions extends ConveyorOptions {
  /**
   * Largest number of a PE's queries without a pulled reply. @default 16384, fewer if the memory for the replies would
   * be more than a quarter of `maxBytes`; without that, more than 4 MiB of a PE or 128 MiB of all
   */
  readonly window?: number | undefined;
}

const DEFAULT_WINDOW = 16_384;
const LEAST_WINDOW = 2;
const MAX_WINDOW = 2 ** 24;
const ALWAYS_STEADY = is("true, as a biconveyor is always steady, or nothing", (x) => x === true);
const BICONVEYOR = optionsOf<BiconveyorOptions>({
  ...CONVEYOR_FIELDS,
  steady: ALWAYS_STEADY,
  window: whole(LEAST_WINDOW, MAX_WINDOW),
});

/** Bytes of a PE that a conveyor keeps to when nothing is said: by the PEs that share a heap with it. */
const usualBytes = ({ nodeLayout, size }: Sites): number => fairBytes(nodeLayout?.heapPEs ?? size);

/** The part of `maxBytes` that a ring keeps to when nothing is said about its size. */
const RING_SHARE = 1 / 4;

/** The usual window, or as many as the memory allows that conveyors keep to when nothing is said. */
function usualWindow({ maxBytes }: BiconveyorOptions, context: Sites, stride: number): number {
  const { size } = context;
  const bytes = maxBytes === undefined ? usualBytes(context) : maxBytes * RING_SHARE;
  const most = Math.floor((bytes - ringBytes(0, size, stride)) / (stride + SLOT_BYTES));
  return Math.max(LEAST_WINDOW, Math.min(DEFAULT_WINDOW, most));
}

/** Of checked options: those of the two conveyors of a biconveyor, and its window. */
function biOptions(options: BiconveyorOptions, usual = DEFAULT_WINDOW): { each: ConveyorOptions; window: number } {
  const { window = usual, ...rest } = options;
  return { each: { ...rest, steady: true }, window };
}

/** Makes a belt after another one. If that fails, as it then does at all PEs, the first is freed. */
function beside<Belt>(first: { free(): void }, make: () => Belt): Belt {
  try {
    return make();
  } catch (error) {
    first.free();
    throw error;
  }
}

/** As {@link makeRigid}, for a biconveyor. */
export function makeBi<Q extends ItemType, R extends ItemType>(
  context: Sites,
  query: Q,
  reply: R,
  answer: Answers<Q, R>,
  options: BiconveyorOptions,
): RigidBiBelt<Q, R> {
  if (isOfAll(answer)) checkAnswer("biconveyor: answerAll", answer.answerAll, "(queries) => columns");
  else if (!isTable(answer)) checkAnswer("biconveyor", answer, ANSWERS);
  checkRigidOptions(options, "biconveyor", BICONVEYOR);
  if (!isItemType(reply)) throw noItem(reply);
  if (!isItemType(query)) throw noItem(query);
  if (isTable(answer)) checkAnswersTable(query, reply, answer);
  const { size } = context;
  const { each, window } = biOptions(options, usualWindow(options, context, reply.bytes));
  const ring = { window, stride: reply.bytes };
  const bytes = (maxBytes: number): number =>
    ringBytes(options.window ?? usualWindow({ maxBytes }, context, reply.bytes), size, reply.bytes);
  const queries = biBelt(context, query, each, "queries", bytes);
  const replies = beside(queries, () => biBelt(context, reply, each, "replies", bytes, ring));
  const serve = servingBy(answer, queries, replies, query, reply);
  return newBiBelt(queries, replies, query, reply, serve, window);
}

const ANSWERS = "(query, from) => reply, or { answerAll: (queries) => columns }, or { table }";

/** The server of queries, see serve of the parts of a biconveyor. */
function servingBy<Q extends ItemType, R extends ItemType>(
  answer: Answers<Q, R>,
  ...of: readonly [queries: RigidBelt<Q>, replies: RigidBelt<R>, query: Q, reply: R]
): () => boolean {
  const [queries, replies, , reply] = of;
  if (isTable(answer)) return servingTable(...of, answer);
  return isOfAll(answer) ? servingAll(queries, replies, reply, answer.answerAll) : serving(...of, answer);
}

/** As {@link makeBi}, for queries and replies of any length. */
export function makeElasticBi(context: Sites, answer: ElasticAnswer, options: BiconveyorOptions): ElasticBiBelt {
  checkAnswer("elasticBiconveyor", answer, "(bytes, from) => bytes");
  checkElasticOptions(options, "elasticBiconveyor", BICONVEYOR);
  const { each, window } = biOptions(options);
  const belt = (what: string) => new ElasticBelt(elasticFrame(context, partOf(each, what), BELTS));
  const queries = belt("queries");
  const replies = beside(queries, () => belt("replies"));
  return new ElasticBiBelt(queries, replies, answer, window);
}
