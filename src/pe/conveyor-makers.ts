/** Streams: what of a group makes conveyors and selectors. */

import type { ElasticAnswer } from "../conveyor/belts/elastic-bi.ts";
import type { Answer } from "../conveyor/belts/rigid-bi.ts";
import { Biconveyor, Conveyor, ElasticBiconveyor, ElasticConveyor } from "../conveyor/front/conveyor.ts";
import {
  type BiconveyorOptions,
  biParts,
  type ConveyorContext,
  elasticBiParts,
  elasticFrameFor,
  frameFor,
} from "../conveyor/front/make.ts";
import type { ConveyorOptions } from "../conveyor/geometry/options.ts";
import type { ItemType } from "../item/types.ts";
import { driverFor } from "../selector/make.ts";
import { Selector } from "../selector/selector.ts";
import type { Mailboxes, SelectorOptions } from "../selector/types.ts";

/** PEs that make conveyors and selectors together. */
export abstract class Streams {
  readonly #context: ConveyorContext;

  /** @internal */
  protected constructor(context: ConveyorContext) {
    this.#context = context;
  }

  /** @internal throws when this PE may call nothing more here */
  protected abstract checkOpen(): void;

  /**
   * A conveyor: streams of small items from every PE of the group to every PE, gathered in buffers on the way
   * (docs/contract.md). All PEs of the group make it, in the same order and with the same item and options.
   * On one node it does not wait for them where the heap has room; where it has none, it waits for what the others give back. Over several
   * nodes it waits until all nodes have said that they have room.
   *
   *     const c = pe.conveyor(struct({ slot: u32, value: f64 })).begin();
   *     for (let i = 0; c.advance(i === n); ) {
   *       for (; i < n && c.push(dest[i], slot[i], value[i]); i++);
   *       while (c.pull()) table[c.item.slot] += c.item.value;
   *     }
   *     c.reset();
   *
   * @throws UsageError for items and options that cannot be; HeapError at every PE when the heap of a node is full, and the world
   *   goes on; MismatchError when another PE has made it otherwise; what ends a wait
   */
  conveyor<const I extends ItemType>(item: I, options: ConveyorOptions = {}): Conveyor<I> {
    this.checkOpen();
    return new Conveyor<I>(frameFor(this.#context, item, options), item);
  }

  /**
   * As {@link conveyor}, for items of any length: `c.push(dest, bytes)`, and after pull `c.bytes`.
   * @throws as conveyor
   */
  elasticConveyor(options: ConveyorOptions = {}): ElasticConveyor {
    this.checkOpen();
    return new ElasticConveyor(elasticFrameFor(this.#context, options));
  }

  /**
   * A conveyor of queries and replies: `answer` is called once for each query, at the PE that it was pushed
   * to, inside advance; replies are pulled in the order in which their queries were pushed.
   *
   *     const c = pe.biconveyor(u32, f64, (index) => table[index]).begin();
   *     for (let i = 0, j = 0; c.advance(i === n); ) {
   *       for (; i < n && c.push(owner[i], index[i]); i++);
   *       while (c.pull()) gathered[j++] = c.item;
   *     }
   *     c.reset();
   *
   * @param answer must not call this biconveyor, nor anything that waits; throws what advance is to throw
   * @throws as conveyor
   */
  biconveyor<const Q extends ItemType, const R extends ItemType>(
    query: Q,
    reply: R,
    answer: Answer<Q, R>,
    options: BiconveyorOptions = {},
  ): Biconveyor<Q, R> {
    this.checkOpen();
    return new Biconveyor<Q, R>(...biParts(this.#context, query, reply, answer, options));
  }

  /** As {@link biconveyor}, for queries and replies of any length. */
  elasticBiconveyor(answer: ElasticAnswer, options: BiconveyorOptions = {}): ElasticBiconveyor {
    this.checkOpen();
    return new ElasticBiconveyor(...elasticBiParts(this.#context, answer, options));
  }

  /**
   * A selector: an actor at each PE, with several mailboxes whose handlers send to each other (docs/selectors.md).
   * All PEs of the group make it, as they make a conveyor.
   *
   *     const s = pe.selector({ ask: u32, reply: f64 });
   *     s.run(
   *       (send) => { for (const index of wanted) send.ask(index % pe.size, Math.floor(index / pe.size)); },
   *       { ask: (index, from) => s.send.reply(from, table[index]), reply: (value) => { sum += value; } },
   *     );
   *
   * @param mailboxes what their items are, by name
   * @throws UsageError also for mailboxes that come after each other, in a cycle; else as conveyor
   */
  selector<const M extends Mailboxes>(
    mailboxes: M,
    options: SelectorOptions<keyof M & string> = {},
  ): Selector<M> {
    this.checkOpen();
    return new Selector<M>(driverFor(this.#context, mailboxes, options));
  }
}
