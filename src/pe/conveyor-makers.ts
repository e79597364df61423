/** Streams: the part of a group that makes conveyors, selectors and exchanges. */

import type { Calls } from "../facilities/calls/calls.ts";
import { makeCalls } from "../facilities/calls/make.ts";
import type { CallHandlers, CallsOptions, Checked } from "../facilities/calls/types.ts";
import type { ElasticAnswer } from "../facilities/conveyor/belts/elastic-bi.ts";
import type { Answers } from "../facilities/conveyor/front/answer-forms.ts";
import { Biconveyor, ElasticBiconveyor } from "../facilities/conveyor/front/biconveyor.ts";
import { Conveyor, ElasticConveyor } from "../facilities/conveyor/front/conveyor.ts";
import {
  type BiconveyorOptions,
  type ConveyorContext,
  elasticBiParts,
  elasticFrameFor,
  makeBiconveyor,
  makeConveyor,
} from "../facilities/conveyor/front/make.ts";
import { type ValueOptions, valueParts } from "../facilities/conveyor/front/make-values.ts";
import { ValueConveyor } from "../facilities/conveyor/front/value-conveyor.ts";
import { decideExchange } from "../facilities/exchange/decide.ts";
import { Exchange } from "../facilities/exchange/exchange.ts";
import { driverFor } from "../facilities/selector/make.ts";
import { Selector } from "../facilities/selector/selector.ts";
import type { Mailboxes, SelectorOptions } from "../facilities/selector/types.ts";
import type { ItemType } from "../ground/item/types.ts";
import type { CostModel } from "../plan/model/types.ts";
import type { SimulatedNetwork } from "../plan/network/network.ts";
import type { ExchangeOptions } from "../route/disciplines/options.ts";
import type { ConveyorOptions } from "../route/geometry/options.ts";

/** PEs that make conveyors, selectors and exchanges together. */
export abstract class Streams {
  readonly #context: ConveyorContext;

  /** @internal */
  protected constructor(context: ConveyorContext) {
    this.#context = context;
  }

  /** @internal the costs that plans are made with, for items of so many bytes; the same at all PEs. @param network between nodes, if it is given */
  planCosts(itemBytes: number, network?: SimulatedNetwork): CostModel {
    return this.#context.costs(itemBytes, network);
  }

  /** @internal throws if this PE may make no more calls here */
  protected abstract checkOpen(): void;

  /** @internal what containers are made in */
  get conveyors(): ConveyorContext {
    this.checkOpen();
    return this.#context;
  }

  /** @internal throws where no call may block. @param call its name @param instead what to await there */
  abstract checkBlocking(call: string, instead: string): void;

  /**
   * Makes a conveyor: streams of small items from every PE of the group to every PE, gathered in buffers
   * (docs/contract.md). Collective: all PEs of the group make it in the same order, with the same item type and
   * options. On one node it waits only if the heap is full, until other PEs free memory. Over several nodes it waits
   * until all nodes have reserved their memory.
   *
   *     const c = pe.conveyor(struct({ slot: u32, value: f64 })).begin();
   *     for (let i = 0; c.advance(i === n); ) {
   *       for (; i < n && c.push(dest[i], slot[i], value[i]); i++);
   *       while (c.pull()) table[c.item.slot] += c.item.value;
   *     }
   *     c.reset();
   *
   * @throws UsageError for invalid item types and options; HeapError at every PE if the heap of a node is full (the
   *   world continues); MismatchError if another PE made a different conveyor; any error that ends a wait
   */
  conveyor<const I extends ItemType>(item: I, options: ConveyorOptions = {}): Conveyor<I> {
    this.checkOpen();
    return makeConveyor(Conveyor<I>, this.#context, item, options);
  }

  /**
   * As {@link conveyor}, for items of any length: `c.push(dest, bytes)`, and after a pull `c.bytes`.
   * @throws as conveyor
   */
  elasticConveyor(options: ConveyorOptions = {}): ElasticConveyor {
    this.checkOpen();
    return new ElasticConveyor(elasticFrameFor(this.#context, options));
  }

  /**
   * As {@link elasticConveyor}, for values: `c.push(dest, value)`, and after a pull `c.value`. They are serialized as
   * structured clone does it (node:v8), or by a pair of functions, or they are typed arrays of one type and any length, which
   * are read as views of the received buffer.
   *
   *     const c = pe.valueConveyor();
   *     c.run((push) => push(owner, { id: 7, tags: ["new"] }), ({ id, tags }, from) => { … });
   *
   *     const rows = pe.valueConveyor({ of: Float64Array });
   *     const docs = pe.valueConveyor({ serialize: encode, deserialize: decode });
   *
   * @typeParam V the type of the values, as `of` or the functions say. @default unknown
   * @throws UsageError also for `serialize` without `deserialize`, and for both with `of`; else as conveyor: MismatchError if
   *   another PE's values are of another type, or serialized by other functions (by their code)
   */
  valueConveyor<V = unknown>(options: ValueOptions<V> = {}): ValueConveyor<V> {
    this.checkOpen();
    return new ValueConveyor<V>(...valueParts(this.#context, options));
  }

  /**
   * Makes a conveyor of queries and replies. `answer` is called once for each query, at its destination, inside
   * advance. Replies are pulled in the order in which their queries were pushed.
   *
   *     const c = pe.biconveyor(u32, f64, (index) => table[index]).begin();
   *     for (let i = 0, j = 0; c.advance(i === n); ) {
   *       for (; i < n && c.push(owner[i], index[i]); i++);
   *       while (c.pull()) gathered[j++] = c.item;
   *     }
   *     c.reset();
   *
   * With `{ answerAll }` instead of a function, all queries of a received buffer are answered in one call, by columns:
   *
   *     const out = new Float64Array(0x1000);
   *     const c = pe.biconveyor(u32, f64, {
   *       answerAll({ columns, count }) {
   *         const got = out.length < count ? new Float64Array(count) : out;
   *         for (let i = 0; i < count; i++) got[i] = table[columns[i]];
   *         return got;
   *       },
   *     });
   *
   * With `{ table }` a query names the element of a typed array that is its reply, and nothing is called: from `pe.alloc`, at
   * the speed of compiled code. `index` names the field of queries that are structs.
   *
   *     const c = pe.biconveyor(u32, f64, { table });
   *
   * @param answer must not call this biconveyor and must not wait; what it throws, advance throws. `answerAll` gets a
   *   {@link Batch} and returns columns of at least `count` elements; others are a UsageError, and no query is lost.
   *   A query that names no element of the table is an IndexRangeError from advance
   * @throws as conveyor
   */
  biconveyor<const Q extends ItemType, const R extends ItemType>(
    query: Q,
    reply: R,
    answer: Answers<Q, R>,
    options: BiconveyorOptions = {},
  ): Biconveyor<Q, R> {
    this.checkOpen();
    return makeBiconveyor(Biconveyor<Q, R>, this.#context, query, reply, answer, options);
  }

  /** As {@link biconveyor}, for queries and replies of any length. */
  elasticBiconveyor(answer: ElasticAnswer, options: BiconveyorOptions = {}): ElasticBiconveyor {
    this.checkOpen();
    return new ElasticBiconveyor(...elasticBiParts(this.#context, answer, options));
  }

  /**
   * Makes a selector: an actor at each PE, with several mailboxes whose handlers send to each other
   * (docs/selectors.md). Collective, as making a conveyor.
   *
   *     const s = pe.selector({ ask: u32, reply: f64 });
   *     s.run(
   *       (send) => { for (const index of wanted) send.ask(index % pe.size, Math.floor(index / pe.size)); },
   *       { ask: (index, from) => s.send.reply(from, table[index]), reply: (value) => { sum += value; } },
   *     );
   *
   * @param mailboxes the item type of each mailbox, by name
   * @throws UsageError also for a cycle in the order of the mailboxes; else as conveyor
   */
  selector<const M extends Mailboxes>(
    mailboxes: M,
    options: SelectorOptions<keyof M & string> = {},
  ): Selector<M> {
    this.checkOpen();
    return new Selector<M>(driverFor(this.#context, mailboxes, options));
  }

  /**
   * Makes calls: a table of handlers, the same at all PEs, that every PE calls at every PE, and a session of them that ends by itself
   * when no call is under way (docs/selectors.md, Calls). Collective, as making a conveyor.
   *
   *     const calls = pe.calls({
   *       visit: {
   *         args: struct({ vertex: u32, distance: f64 }),
   *         run(vertex: number, distance: number) { … calls.async(ownerOf(next), "visit", next, distance + 1); },
   *       },
   *       log(text: string) { … },
   *     });
   *     calls.run((call) => { if (pe.rank === 0) call(ownerOf(root), "visit", root, 0); });
   *
   * @param handlers by name: a function, whose arguments are serialized by `node:v8`; or its arguments as an item type, and the
   *   function
   * @throws UsageError also for what is no handler, and for type `simple`; MismatchError if the PEs give different names or types; else
   *   as conveyor
   */
  calls<const H extends CallHandlers>(handlers: H & Checked<H>, options: CallsOptions = {}): Calls<H> {
    this.checkOpen();
    return makeCalls<H>(this.#context, handlers, options);
  }

  /**
   * Makes an exchange: bulk data of any sizes from every PE of the group to every PE, sent under a discipline that says who may
   * send to whom now (docs/traffic.md). Collective, as making a conveyor.
   *
   *     const x = pe.exchange({ discipline: "token" });
   *     for (const [dest, rows] of outgoing) x.schedule(dest, rows);
   *     x.finish(({ from, offset, total, bytes }) => { … });
   *
   * @throws as conveyor
   */
  exchange(options: ExchangeOptions = {}): Exchange {
    this.checkOpen();
    return new Exchange(this.#context, decideExchange(this.#context, options));
  }
}
