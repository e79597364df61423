/** Conveyors of items that all have the same type. */
import { OverflowError, RigidError, StateError, UsageError } from "../errors.ts";
import {
  describeItem,
  type ItemArguments,
  type ItemType,
  type ItemValue,
  isItemType,
} from "../item/types.ts";
import type { Views } from "../item/views.ts";
import { inWords } from "../wait/account.ts";
import { assemble, type Frame } from "./assembly.ts";
import { type Gate, type ItemReader, itemCode, readerCode, turnOverCode } from "./code.ts";
import { lengthOf } from "./length.ts";
import { storedBytes } from "./options.ts";
import { type Packing, packingOf } from "./outbox.ts";
import { RigidMover } from "./rigid-mover.ts";
import { originOf } from "./route.ts";
import { type ConveyorFeatures, Session, type Waiting } from "./session.ts";
import { COMPLETE, DORMANT, ENDGAME, type Status, WORKING } from "./state.ts";

/** A conveyor of items of one type, seen from one PE. */
export class RigidBelt<I extends ItemType> extends Session {
  /**
   * Copies an item into the conveyor, for PE `dest`: the fields of a struct in order, or the one value of
   * another item. What is not of the item's type is refused; numbers are cut to its width.
   * @returns false when there is no room for now: advance, and try again
   * @throws StateError, UsageError; nothing is moved then
   */
  push!: (dest: number, ...values: ItemArguments<I>) => boolean;
  /**
   * Takes the next item that has come: {@link item} shows it, {@link from} says who sent it.
   * @returns false when there is none for now; it does not mean that none will come
   * @throws StateError before begin
   */
  pull!: () => boolean;
  readonly #frame: Frame;
  readonly #movers: readonly RigidMover[];
  #gate: Gate;
  #item: ItemType;
  #reader: ItemReader = { view: null, read: () => undefined };
  #coded: ItemType | null = null;

  /** @internal see makeConveyor */
  constructor(frame: Frame, item: I) {
    const movers: RigidMover[] = [];
    super(
      assemble(frame, ({ hop, turn, outbox, squeezer }) => {
        const { porters, views } = frame.site;
        const widths = [
          frame.choice.route.each[hop].tagBytes,
          frame.choice.route.each[hop + 1].tagBytes,
        ] as const;
        movers[hop] = new RigidMover(porters[hop], squeezer, (stride) =>
          turnOverCode(stride, turn, widths, views, outbox),
        );
        return movers[hop];
      }),
    );
    const { route } = frame.choice;
    this.#frame = frame;
    this.#item = item;
    this.agreed = describeItem(item);
    this.#movers = movers;
    const { size } = this;
    this.#gate = {
      state: DORMANT,
      link: route.link,
      tag: route.tag,
      size,
      refuse: (call) => {
        if (this.phase !== WORKING) throw this.refusal(call);
        throw new StateError(
          `${call}: this function was taken before begin changed the items; take it again.`,
        );
      },
      range: (dest) => this.checkRank(dest) as never,
      misfit: (given) => {
        const [, value] = given as unknown as readonly unknown[];
        const item = this.#item;
        const length = lengthOf(value);
        if (item.kind === "bytes" && length >= 0 && given.length === 2) {
          throw new RigidError(
            `push: the items of this conveyor have ${item.bytes} bytes, got ${length}. An elastic one takes any length.`,
          );
        }
        throw new UsageError(
          `push: expected a rank and ${describeItem(this.#item)}, got (${Array.from(given, inWords).join(", ")})`,
        );
      },
      fetch: () => this.#fetch(),
    };
    this.#compile(item);
  }

  get features(): ConveyorFeatures {
    const { choice, squeezer } = this.machinery;
    return { elastic: false, steady: choice.steady, compressed: squeezer !== null };
  }

  /**
   * The item that was pulled last: for a struct one object whose fields always show it, for other items its
   * value. It shows it until another item is pulled or unpulled; bytes are views of memory that the next
   * call of pull may reuse, so copy what you keep.
   */
  get item(): ItemValue<I> {
    const reader = this.#reader;
    return (reader.view ?? reader.read()) as ItemValue<I>;
  }

  /** @internal of the memory that items lie in */
  get views(): Views {
    return this.#frame.site.views;
  }

  /** @internal where that item is in the memory, bytes */
  get place(): number {
    return this.machinery.inbox.at;
  }

  /** The PE that pushed the item that was pulled last. */
  get from(): number {
    const { inbox } = this.machinery;
    return originOf(this.#frame.choice.route, inbox.source, inbox.tag);
  }

  /**
   * Puts the item that was pulled last back, to be pulled once more. It can be done right after a pull, and
   * may be refused otherwise.
   * @returns whether it was
   * @throws StateError when dormant
   */
  unpull(): boolean {
    if (this.phase === DORMANT) throw this.refusal("unpull");
    if (!this.machinery.inbox.restore(this.#item.bytes)) return false;
    this.unpulls++;
    return true;
  }

  protected prepare(): string {
    const { inbox, outboxes } = this.machinery;
    const { choice } = this.#frame;
    const packings = this.#packings();
    outboxes.forEach((outbox, hop) => {
      outbox.begin(packings[hop]);
    });
    inbox.begin(packings[choice.route.hops - 1]);
    this.#compile(this.#item);
    this.#movers.forEach((mover, hop) => {
      mover.begin(packings[hop]);
    });
    return describeItem(this.#item);
  }

  #packings(): Packing[] {
    const { choice } = this.#frame;
    const { bytes } = this.#item;
    return choice.route.each.map(({ tagBytes }) => {
      const packing = packingOf(bytes, tagBytes, storedBytes(choice.bufferBytes));
      const most = Math.floor(choice.bufferBytes / bytes);
      if (most < 1) {
        throw new OverflowError(
          `begin: expected an item of at most ${choice.bufferBytes} bytes (bufferBytes), got ${describeItem(this.#item)} of ${bytes}. ` +
            "Make the conveyor with larger buffers, or an elastic one.",
        );
      }
      return { ...packing, capacity: choice.type === "trivial" ? 1 : Math.min(packing.capacity, most) };
    });
  }

  #compile(item: ItemType): void {
    if (this.#coded === item) return;
    // functions that were made for other items, and kept, are refused from now on
    const { refuse } = this.#gate;
    Object.assign(this.#gate, { state: DORMANT, fetch: () => refuse("pull") });
    this.#gate = { ...this.#gate, fetch: () => this.#fetch() };
    const { site, choice, flat = false } = this.#frame;
    const { route } = choice;
    const { outboxes, inbox } = this.machinery;
    const first = route.each[0].tagBytes;
    const last = route.each[route.hops - 1].tagBytes;
    const code = itemCode(item, flat, first, last, site.views, this.#gate, outboxes[0], inbox);
    this.#reader = readerCode(item, site.views, inbox);
    this.#coded = item;
    this.push = code.push as typeof this.push;
    this.pull = code.pull;
  }

  /** @internal the turns of begin, with an item type of this session's own */
  override *beginning(item?: ItemType): Waiting {
    const before = this.#item;
    if (item !== undefined && !isItemType(item)) {
      throw new UsageError(`begin: expected an item type, got ${inWords(item)}`);
    }
    if (this.phase === DORMANT && item !== undefined) this.#item = item;
    try {
      yield* super.beginning();
    } catch (error) {
      this.#item = before;
      throw error;
    }
    this.#gate.state = this.phase;
  }

  /** @internal */
  override proceed(done: boolean): Status {
    if (done) this.#gate.state = ENDGAME;
    return super.proceed(done);
  }

  #fetch(): boolean {
    if (this.phase === DORMANT) throw this.refusal("pull");
    return this.phase !== COMPLETE && this.machinery.inbox.fetch();
  }

  protected tally(): { pushes: number; pulls: number } {
    const { outboxes, inbox } = this.machinery;
    return {
      pushes: outboxes[0].items + outboxes[0].pending,
      pulls: inbox.pulled + this.unpulls,
    };
  }
}
