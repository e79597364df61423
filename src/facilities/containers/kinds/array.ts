/** Arrays: elements by index, at the PE that has them. */

import type { CallOptions } from "../../../collectives/calls/call.ts";
import { UsageError } from "../../../ground/base/errors.ts";
import { unknownName } from "../../../ground/base/names.ts";
import type { ScalarName } from "../../../ground/item/item-type.ts";
import { ARRAYS, type ReduceOp } from "../../../ground/memory/kernels/elements.ts";
import type { Task } from "../../../ground/wait/task.ts";
import { checkIterable } from "../check-iterable.ts";
import { Container, type Kind, kindOf, setPart } from "../container.ts";
import { assignedTo } from "../content/assigned.ts";
import { type ContentCodec, codecOf } from "../content/codec.ts";
import {
  type Content,
  type ContentArguments,
  type ContentOf,
  checkContent,
  describeContent,
} from "../content/content.ts";
import type { Cursor, Scratch } from "../content/cursor.ts";
import { CurrentElement, type Elements } from "../element.ts";
import { type Effect, effectOf, type OwnEffect, ownEffectOf } from "../element-code.ts";
import type { ContainerPart } from "../part.ts";
import { checkLength, type Distribution, Placement } from "../placement.ts";
import { LOOK_FOR_ENTRY, type Sent } from "../session/receiver.ts";
import { type AnyVisitors, checkVisitors, Visits, visitorsText } from "../visitors.ts";
import type {
  ArrayOperations,
  ArrayOptions,
  ElementOf,
  ElementsOf,
  ElementVisitors,
  NumberOf,
  OpOf,
} from "./array-operations.ts";

const SET = 0;
/** From here on one for each operator, and then one for each visitor. */
const COMBINE = 1;
const OPS: readonly ReduceOp[] = ["sum", "prod", "min", "max", "and", "or", "xor"];
const VISIT = COMBINE + OPS.length;

/** The shape of an array, the same at all PEs. */
interface Shape {
  readonly values: Content;
  readonly length: number;
  readonly distribution: Distribution;
  readonly visitors: AnyVisitors;
}

let makeArray: <C, A>(part: ContainerPart, shape: Shape) => DistributedArray<C, A>;

/** An array over all PEs, as seen by one of them. Its operations are for sources and visitors. */
export class DistributedArray<C, A = object> extends Container implements ArrayOperations<C, A, void> {
  /** Number of elements at all PEs. */
  readonly length: number;
  /** This PE's elements, by place: see {@link indexOf}. To be read and written; handlers and sources do so, too. */
  readonly local: ElementsOf<C>;
  readonly #part: ContainerPart;
  readonly #values: Content;
  readonly #codec: ContentCodec;
  readonly #placement: Placement;
  readonly #elements: Elements<unknown>;
  /** By number of the operation, set and combine; null for elements that are no numbers, or lack the operator. */
  readonly #effects: readonly (Effect | null)[];
  /** By number of the operator; null: the same. */
  readonly #ownEffects: readonly (OwnEffect | null)[];
  readonly #visits: Visits;
  readonly #element: CurrentElement<unknown>;
  readonly #calls: {
    readonly set: string;
    readonly add: string;
    readonly combine: string;
    readonly visit: string;
  };

  /** Operations under way from this PE to itself. */
  #toItself = 0;

  static {
    makeArray = (part, shape) => new DistributedArray(part, shape);
  }

  private constructor(part: ContainerPart, { values, length, distribution, visitors }: Shape) {
    super();
    setPart(this, part);
    this.#part = part;
    const { name, rank, size } = part;
    this.length = length;
    this.#values = values;
    this.#codec = codecOf(values);
    this.#placement = new Placement(length, size, distribution);
    this.local = elementsFor(values, this.#placement.countOf(rank)) as ElementsOf<C>;
    this.#elements = this.local as unknown as Elements<unknown>;
    this.#effects = [null, ...OPS].map((op) => (values.kind === "scalar" ? effectOf(op, values) : null));
    this.#ownEffects = OPS.map((op) => (values.kind === "scalar" ? ownEffectOf(op, values) : null));
    this.#visits = new Visits(name, visitors);
    const indexOf = (place: number): number => this.indexOf(place);
    this.#element = new CurrentElement<unknown>(this.#elements, indexOf, assignedTo(values));
    this.#calls = {
      set: `${name}.set`,
      add: `${name}.add`,
      combine: `${name}.combine`,
      visit: `${name}.visit`,
    };
    part.receiveBy({
      handle: (operation, from, sender) => this.#handle(operation, from, sender),
      look: (_operation, from, round) => this.#lookAhead(from, round),
      bytes: () => this.localBytes,
      clear: () => this.#clear(),
    });
  }

  get localSize(): number {
    return this.#elements.length;
  }

  /** Bytes of memory that this PE's elements take; of those that are JavaScript objects a pointer each. */
  get localBytes(): number {
    return this.#values.kind === "scalar" ? this.#values.bytes * this.localSize : 8 * this.localSize;
  }

  /** The rank of the PE that has an element. @throws UsageError for what is no index */
  owner(index: number): number {
    this.#placement.check(`${this.#part.name}.owner`, index);
    return this.#placement.ownerOf(index);
  }

  /** The index in the whole array of an element of {@link local}. */
  indexOf(place: number): number {
    return this.#placement.indexOf(place, this.#part.rank);
  }

  #clear(): void {
    const none = this.#values.kind !== "scalar" ? undefined : isBig(this.#values.name) ? 0n : 0;
    (this.#elements as unknown as { fill(value: unknown): void }).fill(none);
    this.#toItself = 0;
  }

  set(index: number, value: ContentOf<C>): undefined {
    return this.#put(SET, this.#calls.set, index, value) as undefined;
  }

  add(index: number, value: NumberOf<C>): undefined {
    return this.#combine(0, this.#calls.add, index, value) as undefined;
  }

  combine(index: number, value: NumberOf<C>, op: OpOf<C>): undefined {
    return this.#combine(OPS.indexOf(op), this.#calls.combine, index, value, op) as undefined;
  }

  visit<Name extends keyof A & string>(index: number, visitor: Name, ...args: ContentArguments<A[Name]>): undefined {
    const visit = this.#visits.find(visitor);
    this.#placement.check(this.#calls.visit, index);
    const owner = this.#placement.ownerOf(index);
    const scratch = this.#begin(VISIT + visit.number, index, owner);
    visit.write(scratch, visit.call, ...args);
    return this.#sendTo(owner, visit.call) as undefined;
  }

  #combine(number: number, call: string, index: number, value: ContentOf<C>, op?: ReduceOp): Sent {
    const effect = this.#ownEffects[number];
    if (effect == null) {
      const known = OPS.filter((_, i) => this.#ownEffects[i] !== null);
      throw new UsageError(
        known.length === 0
          ? `${call}: expected an array of numbers or bigints, got one of ${describeContent(this.#values)}. Use a visitor.`
          : `${call}: ${unknownName("operator", op, known)}`,
      );
    }
    this.#placement.check(call, index);
    // an own element at once, if nothing that this PE has sent to itself before is under way. Visitors send, as they
    // may be at work on it
    if (this.#toItself === 0) {
      const place = this.#placement.placeIn(index, this.#part.rank);
      if (place >= 0 && this.#part.session.isCombining && effect(this.#elements, place, value))
        return this.#part.session.keep();
    }
    return this.#put(COMBINE + number, call, index, value);
  }

  #put(operation: number, call: string, index: number, value: ContentOf<C>): Sent {
    this.#placement.check(call, index);
    const owner = this.#placement.ownerOf(index);
    const scratch = this.#begin(operation, index, owner);
    this.#codec.write(scratch, call, value);
    return this.#sendTo(owner, call);
  }

  #sendTo(owner: number, call: string): Sent {
    const sent = this.#part.send(owner, call);
    if (owner === this.#part.rank) this.#toItself++;
    return sent;
  }

  /** Begins an operation with the place of an element at its PE. */
  #begin(operation: number, index: number, owner: number): Scratch {
    const scratch = this.#part.begin(operation);
    const at = scratch.align(4);
    scratch.views.u32[at >>> 2] = this.#placement.placeOf(index, owner);
    scratch.at = at + 4;
    return scratch;
  }

  #lookAhead(from: Cursor, round: number): number {
    if (round !== LOOK_FOR_ENTRY || this.#values.kind !== "scalar") return 0;
    // what the compiler knows without the value, it does not read
    return Number((this.#elements[from.views.u32[from.align(4) >>> 2] as number] as number) > 0);
  }

  #handle(operation: number, from: Cursor, rank: number): void {
    const at = from.align(4);
    const place = from.views.u32[at >>> 2] as number;
    from.at = at + 4;
    if (operation >= VISIT) {
      this.#element.open(place, this.#visits.callOf(operation - VISIT));
      this.#visits.run(operation - VISIT, this.#element, from);
      this.#element.close();
    } else {
      const effect = this.#effects[operation] as Effect | null;
      if (effect === null) this.#elements[place] = this.#codec.read(from);
      else effect(this.#elements, place, from);
    }
    if (rank === this.#part.rank) this.#toItself--;
  }

  /** Calls a function for each element of this PE: no communication. In a source it may send. */
  forAll(visit: (index: number, value: ElementOf<C>) => unknown): void {
    const elements = this.#elements;
    for (let place = 0; place < elements.length; place++) {
      visit(this.indexOf(place), elements[place] as ElementOf<C>);
    }
  }

  /**
   * The elements at indices, wherever they are, in the order of the indices. Collective: each PE gives indices of its
   * own, perhaps none.
   * @throws UsageError for what is no index
   */
  getAll(indices: Iterable<number>, options?: CallOptions): ElementsOf<C> {
    return this.#part.block("getAll", this.#get("getAll", indices), options);
  }

  /** As {@link getAll}, without blocking. */
  getAllAsync(indices: Iterable<number>, options?: CallOptions): Promise<ElementsOf<C>> {
    return this.#part.await("getAllAsync", this.#get("getAllAsync", indices), options);
  }

  /** The whole array at the root; undefined elsewhere. Collective. */
  gather(root = 0, options?: CallOptions): ElementsOf<C> | undefined {
    return this.#part.block("gather", this.#gather(root), options);
  }

  /** As {@link gather}, without blocking. */
  gatherAsync(root = 0, options?: CallOptions): Promise<ElementsOf<C> | undefined> {
    return this.#part.await("gatherAsync", this.#gather(root), options);
  }

  *#get(call: string, indices: Iterable<number>): Task<ElementsOf<C>> {
    const part = this.#part;
    const { size } = part;
    const title = `${part.name}.${call}`;
    checkIterable(title, "indices", indices);
    const owners: number[] = [];
    const wanted: number[][] = Array.from({ length: size }, () => []);
    for (const index of indices) {
      this.#placement.check(title, index);
      const owner = this.#placement.ownerOf(index);
      owners.push(owner);
      (wanted[owner] as number[]).push(this.#placement.placeOf(index, owner));
    }
    yield* part.agree(call);
    const asked = yield* part.exchange(wanted.map((places) => Uint32Array.from(places)));
    const replies = yield* part.exchange(
      asked.map((places) => {
        const found = elementsFor(this.#values, places.length);
        for (const [i, place] of places.entries()) found[i] = this.#elements[place] as never;
        return found;
      }),
    );
    const all = elementsFor(this.#values, owners.length);
    const taken = new Uint32Array(size);
    for (const [i, owner] of owners.entries()) {
      all[i] = (replies[owner] as Elements<unknown>)[taken[owner]++] as never;
    }
    return all as unknown as ElementsOf<C>;
  }

  *#gather(root: number): Task<ElementsOf<C> | undefined> {
    this.#part.checkRank(`${this.#part.name}.gather`, root);
    yield* this.#part.agree("gather", root);
    const parts = yield* this.#part.gather([this.#elements] as const, root);
    if (parts === undefined) return undefined;
    const all = elementsFor(this.#values, this.length);
    for (const [rank, [part]] of parts.entries()) {
      for (let place = 0; place < part.length; place++) {
        all[this.#placement.indexOf(place, rank)] = part[place] as never;
      }
    }
    return all as unknown as ElementsOf<C>;
  }
}

const isBig = (name: ScalarName): boolean => name === "i64" || name === "u64";

/** A place for elements: zeros, or undefined. */
const elementsFor = (values: Content, count: number): Elements<unknown> =>
  (values.kind === "scalar"
    ? new ARRAYS[values.name](count)
    : new Array(count).fill(undefined)) as unknown as Elements<unknown>;

/**
 * An array of a fixed number of elements: numbers are 0 at first, all else undefined.
 *
 *     using data = containers(pe, { ranks: array(f64, vertices) });
 *     data.run(({ ranks }) => { for (const [to, share] of shares) ranks.add(to, share); });
 *
 * @param values any content; numbers and bigints are in a typed array
 * @param length number of elements, at most 2^32 - 1
 * @param visitors by name; those of all PEs have the same names and arguments
 * @throws UsageError
 */
export function array<const C extends Content, const A extends object = object>(
  values: C,
  length: number,
  visitors?: ElementVisitors<ElementOf<C>, A>,
  options: ArrayOptions = {},
): Kind<DistributedArray<C, A>, ArrayOperations<C, A, Promise<void> | undefined>> {
  checkContent("array: value", values);
  checkLength("array", length);
  const { distribution = "block" } = options;
  if (distribution !== "block" && distribution !== "cyclic") {
    throw new UsageError(`array: ${unknownName("distribution", distribution, ["block", "cyclic"])}`);
  }
  const shape: Shape = { values, length, distribution, visitors: checkVisitors("array", visitors ?? {}) };
  const terms = `array(${describeContent(values)}, ${length}, ${distribution}${visitorsText(shape.visitors)})`;
  return kindOf(terms, (part) => makeArray<C, A>(part, shape));
}
