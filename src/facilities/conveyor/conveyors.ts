/** Conveyors among the PEs of a group. */

import type { ItemType } from "../../ground/item/item-type.ts";
import type { Group } from "../../pe/group.ts";
import { seatOf } from "../../pe/seat-of.ts";
import { sitesOf } from "../../pe/sites.ts";
import type { ConveyorOptions } from "../../route/geometry/options.ts";
import type { ElasticAnswer } from "./belts/elastic-bi.ts";
import type { Answers } from "./front/answer-forms.ts";
import { type Biconveyor, type ElasticBiconveyor, newBiconveyor, newElasticBiconveyor } from "./front/biconveyor.ts";
import { type Conveyor, newConveyor } from "./front/conveyor.ts";
import { type ElasticConveyor, newElasticConveyor } from "./front/elastic-conveyor.ts";
import { type BiconveyorOptions, makeBi, makeElastic, makeElasticBi, makeRigid } from "./front/make-conveyor.ts";
import { makeValues, type ValueOptions } from "./front/make-values.ts";
import { newValueConveyor, type ValueConveyor } from "./front/value-conveyor.ts";

/**
 * Makes a conveyor: streams of small items from every PE of the group to every PE, gathered in buffers
 * (docs/contract.md). Collective: all PEs of the group make it in the same order, with the same item type and
 * options. On one node it waits only if the heap is full, until other PEs free memory. Over several nodes it waits
 * until all nodes have reserved their memory.
 *
 *     const c = conveyor(pe, struct({ slot: u32, value: f64 })).begin();
 *     for (let i = 0; c.advance(i === n); ) {
 *       for (; i < n && c.push(dest[i], slot[i], value[i]); i++);
 *       while (c.pull()) table[c.item.slot] += c.item.value;
 *     }
 *     c.reset();
 *
 * @throws UsageError for invalid item types and options; HeapError at every PE if the heap of a node is full (the
 *   world continues); MismatchError if another PE made a different conveyor; any error that ends a wait
 */
export function conveyor<const I extends ItemType>(pe: Group, item: I, options: ConveyorOptions = {}): Conveyor<I> {
  return newConveyor(makeRigid(sitesOf(seatOf(pe, "conveyor")), item, options));
}

/**
 * As {@link conveyor}, for items of any length: `c.push(dest, bytes)`, and after a pull `c.bytes`.
 * @throws as conveyor
 */
export function elasticConveyor(pe: Group, options: ConveyorOptions = {}): ElasticConveyor {
  return newElasticConveyor(makeElastic(sitesOf(seatOf(pe, "elasticConveyor")), options));
}

/**
 * As {@link elasticConveyor}, for values: `c.push(dest, value)`, and after a pull `c.value`. They are serialized as
 * structured clone does it (node:v8), or by a pair of functions, or they are typed arrays of one type and any length,
 * which are read as views of the received buffer.
 *
 *     const c = valueConveyor(pe);
 *     c.run((push) => push(owner, { id: 7, tags: ["new"] }), ({ id, tags }, from) => { … });
 *
 *     const rows = valueConveyor(pe, { of: Float64Array });
 *     const docs = valueConveyor(pe, { serialize: encode, deserialize: decode });
 *
 * @typeParam V the type of the values, as `of` or the functions say. @default unknown
 * @throws UsageError also for `serialize` without `deserialize`, and for both with `of`; else as conveyor:
 *   MismatchError if another PE's values are of another type, or serialized by other functions (by their code)
 */
export function valueConveyor<V = unknown>(pe: Group, options: ValueOptions<V> = {}): ValueConveyor<V> {
  return newValueConveyor(makeValues(sitesOf(seatOf(pe, "valueConveyor")), options));
}

/**
 * Makes a conveyor of queries and replies. `answer` is called once for each query, at its destination, inside
 * advance. Replies are pulled in the order in which their queries were pushed.
 *
 *     const c = biconveyor(pe, u32, f64, (index) => table[index]).begin();
 *     for (let i = 0, j = 0; c.advance(i === n); ) {
 *       for (; i < n && c.push(owner[i], index[i]); i++);
 *       while (c.pull()) gathered[j++] = c.item;
 *     }
 *     c.reset();
 *
 * With `{ answerAll }` instead of a function, all queries of a received buffer are answered in one call, by columns:
 *
 *     const out = new Float64Array(0x1000);
 *     const c = biconveyor(pe, u32, f64, {
 *       answerAll({ columns, count }) {
 *         const got = out.length < count ? new Float64Array(count) : out;
 *         for (let i = 0; i < count; i++) got[i] = table[columns[i]];
 *         return got;
 *       },
 *     });
 *
 * With `{ table }` a query names the element of a typed array that is its reply, and nothing is called: from
 * `pe.alloc`, at the speed of compiled code. `index` names the field of queries that are structs.
 *
 *     const c = biconveyor(pe, u32, f64, { table });
 *
 * @param answer must not call this biconveyor and must not wait; what it throws, advance throws. `answerAll` gets a
 *   {@link Batch} and returns columns of at least `count` elements; others are a UsageError, and no query is lost.
 *   A query that names no element of the table is an IndexRangeError from advance
 * @throws as conveyor
 */
export function biconveyor<const Q extends ItemType, const R extends ItemType>(
  pe: Group,
  query: Q,
  reply: R,
  answer: Answers<Q, R>,
  options: BiconveyorOptions = {},
): Biconveyor<Q, R> {
  return newBiconveyor(makeBi(sitesOf(seatOf(pe, "biconveyor")), query, reply, answer, options));
}

/** As {@link biconveyor}, for queries and replies of any length. */
export function elasticBiconveyor(
  pe: Group,
  answer: ElasticAnswer,
  options: BiconveyorOptions = {},
): ElasticBiconveyor {
  return newElasticBiconveyor(makeElasticBi(sitesOf(seatOf(pe, "elasticBiconveyor")), answer, options));
}
