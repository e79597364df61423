/**
 * A virtual PE as an async program sees it: the members of {@link PE}, with the same collectives, conveyors and selectors, in
 * virtual time. Calls that would block throw an error that names their Async form.
 */

import { checkTrees } from "../../../trees/model/check-world-trees.ts";
import type { Trees } from "../../../trees/model/types.ts";
import type { Collectives } from "../../collectives/collectives.ts";
import { COLLECTIVES } from "../../collectives/team/call-words.ts";
import { inGroup } from "../../collectives/team/team.ts";
import type { AppendBuffer } from "../../facilities/append/append-buffer.ts";
import type { AppendRecords } from "../../facilities/append/append-records.ts";
import type { AppendOptions } from "../../facilities/append/options.ts";
import type { Calls } from "../../facilities/calls/calls.ts";
import type { CallHandlers, CallsOptions, Checked } from "../../facilities/calls/types.ts";
import type { ElasticAnswer } from "../../facilities/conveyor/belts/elastic-bi.ts";
import type { Answers } from "../../facilities/conveyor/front/answer-forms.ts";
import type { Biconveyor, ElasticBiconveyor } from "../../facilities/conveyor/front/biconveyor.ts";
import type { Conveyor, ElasticConveyor } from "../../facilities/conveyor/front/conveyor.ts";
import type { BiconveyorOptions, ConveyorContext } from "../../facilities/conveyor/front/make.ts";
import type { ValueOptions } from "../../facilities/conveyor/front/make-values.ts";
import type { ValueConveyor } from "../../facilities/conveyor/front/value-conveyor.ts";
import type { Exchange } from "../../facilities/exchange/exchange.ts";
import type { ByteChannel } from "../../facilities/messages/byte-channel.ts";
import { closeChannels } from "../../facilities/messages/close.ts";
import type { ItemChannel } from "../../facilities/messages/item-channel.ts";
import type { Messenger, MessengerOptions } from "../../facilities/messages/messenger.ts";
import type { ChannelOptions, ItemChannelOptions } from "../../facilities/messages/options.ts";
import type { OrderedBroadcast } from "../../facilities/messages/ordered-broadcast/bytes.ts";
import type { OrderedItems } from "../../facilities/messages/ordered-broadcast/items.ts";
import type {
  OrderedBroadcastOptions,
  OrderedItemsOptions,
} from "../../facilities/messages/ordered-broadcast/options.ts";
import type { Selector } from "../../facilities/selector/selector.ts";
import type { Mailboxes, SelectorOptions } from "../../facilities/selector/types.ts";
import { UsageError } from "../../ground/base/errors.ts";
import { define } from "../../ground/base/objects/define.ts";
import type { ItemType } from "../../ground/item/types.ts";
import type { Diagnosis } from "../../links/diagnose/diagnose.ts";
import { type CallsMade, callsMadeIn } from "../../pe/calls-made.ts";
import { Group } from "../../pe/group.ts";
import type { GroupOptions, PE } from "../../pe/pe.ts";
import { postCloned } from "../../pe/post.ts";
import { checkWork } from "../../pe/work.ts";
import { explainPlanning } from "../../plan/document/world-plan.ts";
import type { ExchangeOptions } from "../../route/disciplines/options.ts";
import type { ConveyorOptions } from "../../route/geometry/options.ts";
import { blocks } from "../simulate/awaiting.ts";
import type { VirtualMachine } from "../simulate/machine.ts";
import type { VirtualPE } from "../simulate/virtual-pe.ts";
import { Station } from "./station.ts";
import { checkMembers, type VirtualWorld, WORLD_STREAM } from "./world.ts";

/** The calls of conveyors and selectors that block, and what is awaited instead. */
const TURNS = { begin: "beginAsync()", advance: "advanceAsync()" };
const CONVEYOR = { ...TURNS, send: "batches()", take: "batches()", run: "batches()" };
const ELASTIC = { ...TURNS, send: "advanceAsync()", take: "advanceAsync()", run: "advanceAsync()" };
const BICONVEYOR = { ...TURNS, take: "runAsync()", run: "runAsync()" };
const SELECTOR = { run: "runAsync()" };
const CALLS = { run: "runAsync()" };
const APPEND = {
  push: "pushAsync()",
  pushStart: "pushAsync()",
  sync: "syncAsync()",
  waitUntil: "waitUntilAsync()",
};
const APPEND_RECORDS = { ...APPEND, pushAll: "pushAllAsync()", pushAllStart: "pushAllAsync()" };
const CHANNEL = { send: "sendAsync()", receive: "receiveAsync()" };
const ORDERED = { submit: "submitAsync()", deliver: "deliverAsync()" };
const EXCHANGE = { serviceQueue: "serviceQueueAsync()", finish: "finishAsync()", all: "allAsync()" };

/** Makes calls of an object throw. @param instead by call: what to await instead */
function refuse<T extends object>(object: T, instead: Readonly<Record<string, string>>): T {
  for (const [call, other] of Object.entries(instead)) {
    const value = () => {
      throw blocks(call, other);
    };
    define(object, call, { value, configurable: true });
  }
  return object;
}

/**
 * Makes the Async forms of a group fail in an event of their own once the world has ended. A program that calls again and again would
 * never let the events go on.
 */
function failInTurn(group: object, call: string): void {
  const name = `${call}Async`;
  const form = Reflect.get(group, name) as (...args: unknown[]) => Promise<unknown>;
  async function value(this: VirtualGroup, ...args: unknown[]): Promise<unknown> {
    try {
      return await form.apply(this, args);
    } catch (error) {
      await this.nextTurn();
      throw error;
    }
  }
  define(group, name, { value, configurable: true });
}

/** A group of virtual PEs. */
abstract class VirtualGroup extends Group {
  static {
    refuse(VirtualGroup.prototype, Object.fromEntries(COLLECTIVES.map((call) => [call, `${call}Async()`])));
    for (const call of COLLECTIVES) failInTurn(VirtualGroup.prototype, call);
  }

  /** @internal resolves at once while the world runs, and when it has ended, in a later event */
  abstract nextTurn(): Promise<void>;

  override checkBlocking(call: string, instead: string): never {
    throw blocks(call, instead);
  }

  override conveyor<const I extends ItemType>(item: I, options?: ConveyorOptions): Conveyor<I> {
    return refuse(super.conveyor(item, options), CONVEYOR);
  }

  override elasticConveyor(options?: ConveyorOptions): ElasticConveyor {
    return refuse(super.elasticConveyor(options), ELASTIC);
  }

  override valueConveyor<V = unknown>(options?: ValueOptions<V>): ValueConveyor<V> {
    return refuse(super.valueConveyor(options), ELASTIC);
  }

  override biconveyor<const Q extends ItemType, const R extends ItemType>(
    query: Q,
    reply: R,
    answer: Answers<Q, R>,
    options?: BiconveyorOptions,
  ): Biconveyor<Q, R> {
    return refuse(super.biconveyor(query, reply, answer, options), BICONVEYOR);
  }

  override elasticBiconveyor(answer: ElasticAnswer, options?: BiconveyorOptions): ElasticBiconveyor {
    return refuse(super.elasticBiconveyor(answer, options), ELASTIC);
  }

  override selector<const M extends Mailboxes>(
    mailboxes: M,
    options?: SelectorOptions<keyof M & string>,
  ): Selector<M> {
    return refuse(super.selector(mailboxes, options), SELECTOR);
  }

  override calls<const H extends CallHandlers>(handlers: H & Checked<H>, options?: CallsOptions): Calls<H> {
    return refuse(super.calls<H>(handlers, options), CALLS);
  }

  override exchange(options?: ExchangeOptions): Exchange {
    return refuse(super.exchange(options), EXCHANGE);
  }

  override channel<const I extends ItemType>(peer: number, options: ItemChannelOptions<I>): ItemChannel<I>;
  override channel(peer: number, options?: ChannelOptions): ByteChannel;
  override channel(peer: number, options?: object): ByteChannel | ItemChannel {
    return refuse<ByteChannel | ItemChannel>(super.channel(peer, options as ChannelOptions), CHANNEL);
  }

  override messenger(options?: MessengerOptions): Messenger {
    return refuse(super.messenger(options), CHANNEL);
  }

  override orderedBroadcast<const I extends ItemType>(options: OrderedItemsOptions<I>): OrderedItems<I>;
  override orderedBroadcast(options?: OrderedBroadcastOptions): OrderedBroadcast;
  override orderedBroadcast(options?: object): OrderedBroadcast | OrderedItems {
    return refuse<OrderedBroadcast | OrderedItems>(
      super.orderedBroadcast(options as OrderedBroadcastOptions),
      ORDERED,
    );
  }

  override appendBuffer(): AppendBuffer {
    throw blocks("appendBuffer", "appendBufferAsync()");
  }

  override async appendBufferAsync(bytes: number, options?: AppendOptions): Promise<AppendBuffer> {
    return refuse(await super.appendBufferAsync(bytes, options), APPEND);
  }

  override appendRecords(): never {
    throw blocks("appendRecords", "appendRecordsAsync()");
  }

  override async appendRecordsAsync<const I extends ItemType>(
    item: I,
    records: number,
    options?: AppendOptions,
  ): Promise<AppendRecords<I>> {
    return refuse(await super.appendRecordsAsync(item, records, options), APPEND_RECORDS);
  }
}

/** A group that is not the world. */
class VirtualSubgroup extends VirtualGroup {
  readonly #station: Station;

  constructor(
    station: Station,
    collectives: Collectives,
    members: readonly number[],
    context: ConveyorContext,
    makeGroup: (ranks: readonly number[]) => Group,
    onLeave: () => void,
  ) {
    const [appends, pairs] = [station.appendSeat(members), station.pairSeat(members)];
    super(collectives, members, context, appends, pairs, makeGroup, onLeave);
    this.#station = station;
  }

  nextTurn(): Promise<void> {
    return this.#station.nextTurn();
  }
}

/** The members of a PE that programs use. */
type ProgramPE = Pick<
  PE,
  Exclude<
    keyof PE,
    "leavingError" | "callsMade" | "closeLinks" | "isServing" | "untilSent" | "serveUntil" | "model"
  >
>;

/** One virtual PE. */
export class AsyncPE extends VirtualGroup implements ProgramPE {
  readonly node: number;
  readonly nodes: number;
  readonly nodeRank: number;
  readonly nodeSize: number;
  readonly cpu: null = null;
  readonly trees: Trees;
  readonly #station: Station;
  readonly #machine: VirtualMachine;
  readonly #pe: VirtualPE;
  readonly #world: Collectives;
  /** The groups that it is in, with their streams, which are the same at all their PEs. */
  readonly #groups = new Map<Collectives, number>();
  /** Groups that it has made, by their members. */
  readonly #instances = new Map<string, number>();

  constructor(world: VirtualWorld, pe: VirtualPE) {
    const { machine } = world;
    const station = new Station(world, pe);
    const shared = world.teamOf(pe.node);
    const collectives = station.collectives(shared, "");
    const ranks = shared.group;
    super(
      collectives,
      ranks,
      shared.room.context(pe.rank),
      station.appendSeat(ranks),
      station.pairSeat(ranks),
      (members) => this.group(members),
    );
    this.#station = station;
    this.#machine = machine;
    this.#pe = pe;
    this.#world = collectives;
    this.node = pe.node;
    this.nodes = machine.settings.nodes;
    this.nodeRank = pe.nodeRank;
    this.nodeSize = machine.settings.nodeSize;
    this.trees = shared.trees;
  }

  get now(): number {
    return this.#pe.clock;
  }

  post(value: unknown): void {
    const { onMessage } = this.#machine.settings;
    postCloned((given) => onMessage(structuredClone(given), this.rank), value);
  }

  work(ns: number): void {
    checkWork(ns);
    this.#pe.clock = Math.max(this.#pe.clock, this.#machine.now) + ns;
    this.#pe.moved = true;
  }

  random(): number {
    return this.#machine.random();
  }

  nextTurn(): Promise<void> {
    return this.#station.nextTurn();
  }

  group(ranks: readonly number[], options: GroupOptions = {}): Group {
    const members = Array.from(ranks ?? []);
    checkMembers(members, this.rank, this.size);
    if (options.trees !== undefined) checkTrees(options.trees, members.length);
    this.#world.check();
    const { world } = this.#station;
    const termination = world.terminationOf(members);
    if (termination.decided) throw termination.error();
    const key = members.toSorted((a, b) => a - b).join();
    const instance = (this.#instances.get(key) ?? 0) + 1;
    this.#instances.set(key, instance);
    const isOverNodes = members.some((rank) => this.#machine.pes[rank].node !== this.node);
    if (isOverNodes && options.trees !== undefined) {
      throw new UsageError(
        "trees: not allowed for a group over several nodes, as each node has its own trees. Leave it out.",
      );
    }
    const shared = world.team(members, this.node, instance, options.trees);
    const collectives = this.#station.collectives(shared, inGroup(members));
    this.#groups.set(collectives, shared.stream);
    const context = shared.room.context(members.indexOf(this.rank));
    const left = () => {
      if (this.#groups.delete(collectives)) shared.leave();
    };
    const makeGroup = (others: readonly number[]) => this.group(others);
    return new VirtualSubgroup(this.#station, collectives, members, context, makeGroup, left);
  }

  /** @internal as that of a real PE */
  get callsMade(): CallsMade {
    const groups = [...this.#groups].map(([group, stream]) => [stream, group] as const);
    return callsMadeIn([[WORLD_STREAM, this.#world], ...groups], this.#instances);
  }

  async closeOwn(): Promise<void> {
    const { appends, channels, waits } = this.#station;
    await appends.close();
    await closeChannels(channels, waits);
  }

  override explain(): string {
    return [super.explain(), ...explainPlanning(this.#machine.settings.planning)].join("\n");
  }

  diagnose(): Diagnosis {
    throw new UsageError("diagnose: expected a real PE: a virtual one that waits for ever ends its world.");
  }

  get lost(): readonly number[] {
    return [...this.#machine.lost.keys()].map(({ rank }) => rank).toSorted((a, b) => a - b);
  }

  override leave(): void {
    throw new UsageError(
      "leave: a virtual PE leaves when its program ends, as one that launch() started does.",
    );
  }
}
