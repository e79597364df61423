/**
 * Answers of a biconveyor by a table: a query names an element, which is its reply. Replies are copied from the table
 * to where they are sent from, by a kernel if the table is in the heap, else by a loop. Nothing runs per query.
 */
import { IndexRangeError, UsageError } from "../../../ground/base/errors.ts";
import { checkNames } from "../../../ground/base/names.ts";
import { arrayInWords, type Columns } from "../../../ground/item/columns.ts";
import { describeItem, type ItemType, roundUp, type Scalar } from "../../../ground/item/item-type.ts";
import { ARRAYS, type TypedArray } from "../../../ground/memory/kernels/elements.ts";
import { storedBytes } from "../../../route/geometry/conveyor-choice.ts";
import { originOf } from "../../../route/geometry/route.ts";
import { copyCode } from "../codegen/table-code.ts";
import { conveyorKernels } from "../kernels/kernels.ts";
import { Indices } from "./indices.ts";
import type { RigidBelt } from "./rigid.ts";
import { isDirect } from "./serving.ts";
import { checkTable, type FieldName, indexField, type ScalarField, tableType } from "./tables.ts";

/** A table that answers: the reply to a query is the element that it names. */
export interface AnswersTable<Q extends ItemType, R extends ItemType> {
  /** The table at this PE, of the type of replies, which are numbers or bigints. From `pe.alloc` it is the fastest. */
  readonly table: R extends Scalar ? Columns<R> : never;
  /** Name of the field of a query with the index, an integer. @default a query that is no struct */
  readonly index?: FieldName<Q> | undefined;
}

const WHO = "biconveyor: the answer";
const RANK_BYTES = 4;
const ALIGN = 16;

/** Copies the replies to `count` queries, the first of which is at byte offset `at`, to `to`; gives how many. */
type LookUp = (to: number, at: number, count: number) => number;

/** @throws UsageError for a table, replies or a field that do not fit */
export function checkAnswersTable<Q extends ItemType, R extends ItemType>(
  query: Q,
  reply: R,
  given: AnswersTable<Q, R>,
): void {
  checkNames("biconveyor", given, ["table", "index"]);
  const type = tableType(given.table, "biconveyor");
  if (reply.kind !== "scalar" || reply.name !== type) {
    throw new UsageError(
      `biconveyor: table: expected an array of replies, which are ${describeItem(reply)}, got ${arrayInWords(given.table)}`,
    );
  }
  indexField(query, given.index, "biconveyor");
}

/** See BiParts.serve. */
export function servingTable<Q extends ItemType, R extends ItemType>(
  queries: RigidBelt<Q>,
  replies: RigidBelt<R>,
  query: Q,
  reply: R,
  { table: given, index }: AnswersTable<Q, R>,
): () => boolean {
  const table = given as TypedArray;
  const field = indexField(query, index, "biconveyor");
  const inbox = queries.cursor;
  const lookUp = lookUpFor(queries, query, table, reply as never, field);
  /** The error for the next query, which names no element. */
  const misfit = (): IndexRangeError => {
    const name = field.type;
    const at = (inbox.next + field.offset) / ARRAYS[name].BYTES_PER_ELEMENT;
    const from = originOf(queries.frame.choice.route, inbox.source, inbox.nextTag);
    return new IndexRangeError(
      { from, index: queries.store[name][at], length: table.length },
      WHO,
      "The query stays the next one: it is answered at the next advance.",
    );
  };
  const some = isDirect(queries, replies)
    ? toLink(queries, replies, reply, lookUp)
    : toLinks(queries, replies, reply, lookUp);
  return () => {
    if (!queries.refill()) return true;
    checkTable(table, "biconveyor");
    while (inbox.next !== inbox.limit) {
      const done = some();
      if (done === NO_ROOM) return false;
      if (done === NO_ELEMENT) throw misfit();
    }
    // the next advance gives the buffer back, and gets the next one
    inbox.wanted = true;
    return true;
  };
}

/**
 * The outcome of some queries: all were answered, up to one for whose reply there is no room, or that names no element.
 */
const ANSWERED = 0;
const NO_ROOM = 1;
const NO_ELEMENT = 2;
type Outcome = typeof ANSWERED | typeof NO_ROOM | typeof NO_ELEMENT;

/** All queries of a buffer are from one PE: their replies are copied into the open buffer of its link. */
function toLink(
  queries: RigidBelt<ItemType>,
  replies: RigidBelt<ItemType>,
  { bytes }: ItemType,
  lookUp: LookUp,
): () => Outcome {
  const inbox = queries.cursor;
  const { outbox } = replies;
  const { at, end } = outbox;
  const { route } = queries.frame.choice;
  const { link: links } = replies.frame.choice.route;
  return () => {
    const link = links[originOf(route, inbox.source, 0)];
    if (at[link] === end[link] && !outbox.open(link)) return NO_ROOM;
    const to = at[link];
    const count = Math.min((end[link] - to) / bytes, inbox.waiting);
    const done = lookUp(to, inbox.next, count);
    inbox.pass(done);
    at[link] = to + done * bytes;
    if (at[link] === end[link]) outbox.filled(link);
    return done < count ? NO_ELEMENT : ANSWERED;
  };
}

/** Replies become a column, beside that of the PEs that asked, and are pushed. */
function toLinks(
  queries: RigidBelt<ItemType>,
  replies: RigidBelt<ItemType>,
  reply: ItemType,
  lookUp: LookUp,
): () => Outcome {
  const inbox = queries.cursor;
  const { site, choice } = queries.frame;
  const { route, bufferBytes } = choice;
  const { tagBytes } = route.each[route.hops - 1];
  const kernels = conveyorKernels(site.memory);
  // where pullAll puts columns
  const stored = storedBytes(bufferBytes);
  const place = site.places.scratch + stored;
  const most = Math.floor((stored - ALIGN) / (RANK_BYTES + reply.bytes));
  const column = roundUp(place + most * RANK_BYTES, ALIGN);
  const dests = site.views.u32.subarray(place / RANK_BYTES, place / RANK_BYTES + most);
  const { name } = reply as Scalar;
  const columns = [site.views[name].subarray(column / reply.bytes, column / reply.bytes + most)];
  const ranks = site.places.routes + route.ranksAt * RANK_BYTES;
  return () => {
    const count = Math.min(most, inbox.waiting);
    const found = lookUp(column, inbox.next, count);
    if (tagBytes === 0) dests.fill(originOf(route, inbox.source, 0), 0, found);
    else {
      kernels.senders(
        ...([place, inbox.tagAt, found, tagBytes, ranks] as const),
        ...([inbox.source * route.row, route.plane, route.low] as const),
      );
    }
    // what has no room is looked up again
    const sent = replies.pusher.push(dests, columns, 0, found);
    inbox.pass(sent);
    if (sent < found) return NO_ROOM;
    return found < count ? NO_ELEMENT : ANSWERED;
  };
}

function lookUpFor(
  { frame }: RigidBelt<ItemType>,
  query: ItemType,
  table: TypedArray,
  { name, bytes }: Scalar,
  index: ScalarField,
): LookUp {
  const { site } = frame;
  const { views } = site;
  if (table.buffer !== views.u8.buffer) {
    const copyAll = copyCode(name, index.type);
    const width = ARRAYS[index.type].BYTES_PER_ELEMENT;
    return (to, at, count) =>
      copyAll(
        ...([table, views[index.type], (at + index.offset) / width, query.bytes / width] as const),
        ...([views[name], to / bytes, count] as const),
      );
  }
  const kernels = conveyorKernels(site.memory);
  const indices = new Indices(frame, query, index);
  return (to, at, count) =>
    indices.each(at, count, (first, from, some) =>
      kernels.lookUp(
        to + ((first - at) / query.bytes) * bytes,
        ...([bytes, table.byteOffset, indices.lengthOf(table), from, indices.step, some] as const),
      ),
    );
}
