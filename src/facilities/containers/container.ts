/**
 * A container, as seen by one PE: what all kinds have in common.
 *
 * To add a kind, write a file in src/facilities/containers/kinds with
 * 1. a class that extends {@link Container}: its operations put together an item with {@link Container.begin}, the key and the arguments,
 *    and send it to its owner with {@link Container.send}; `handle` carries them out there; its collective calls are steps
 *    (collective.ts), with a blocking form by {@link Container.block} and an Async form by {@link Container.await};
 * 2. a function that makes its {@link Kind}: the text that the PEs must agree about, and what makes the container of a PE;
 * 3. an interface of its operations with the type of their results as a parameter: void in synchronous sources and visitors,
 *    `Promise<void> | undefined` in asynchronous sources.
 * Its names go into src/containers.ts and docs/containers.md, its tests into test/facilities/containers. kinds/set.ts is a short example.
 */

import type { CallOptions } from "../../collectives/calls/call.ts";
import { RankRangeError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { checkBlocking } from "../../ground/wait/blocking.ts";
import type { Group } from "../../pe/group.ts";
import { agreed, awaitOn, blockOn, type Steps, sum } from "./collective.ts";
import type { Cursor, Scratch } from "./content/cursor.ts";
import { headOf, type Sent } from "./session/receiver.ts";
import type { OperationSession } from "./session/session.ts";

/** Where a container is: its PE, its session with others, its name. */
export interface ContainerSeat {
  readonly group: Group;
  readonly session: OperationSession;
  /** Of the containers of the group the how many-th object it is in, the same at all PEs. */
  readonly object: number;
  /** As the program calls it. */
  readonly name: string;
  readonly settings: ContainerSettings;
}

/** What is set for all containers of an object. */
export interface ContainerSettings {
  /** Entries of the table in which counts are combined before they are sent; 0 for none. */
  readonly combine: number;
}

/**
 * A kind of container, with its types: what `containers()` makes one of at every PE.
 * @typeParam C the container @typeParam A its operations for asynchronous sources
 */
export interface Kind<C = unknown, A = unknown> {
  /** What the PEs must agree about, as text: `map(text, f64)`. */
  readonly terms: string;
  /** @internal */
  readonly make: (seat: ContainerSeat) => Container;
  /** Never present; carries the type. */
  readonly container?: C;
  /** Never present; carries the type. */
  readonly operations?: A;
}

/** A container, as seen by one PE: to its session, a receiver. */
export abstract class Container {
  /** @internal */
  protected readonly group: Group;
  /** @internal */
  protected readonly session: OperationSession;
  /** @internal as the program calls it, for messages */
  protected readonly name: string;
  readonly #number: number;
  readonly #object: number;

  /** @internal */
  constructor(seat: ContainerSeat) {
    this.group = seat.group;
    this.session = seat.session;
    this.name = seat.name;
    this.#object = seat.object;
    this.#number = seat.session.add(this);
  }

  /** Number of entries, or elements, at this PE. */
  abstract get localSize(): number;

  /** Bytes of memory that this PE's entries, or elements, take. */
  abstract get localBytes(): number;

  /** @internal */
  abstract handle(operation: number, from: Cursor, rank: number): void;

  /** @internal removes what this PE has */
  abstract clearLocal(): void;

  /** @internal see Receiver: a container that does not look is only slower */
  look(_operation: number, _from: Cursor, _round: number): number {
    return 0;
  }

  /** @internal */
  flushing(): Iterable<Sent> {
    return [];
  }

  /** Number of entries, or elements, at all PEs. Collective. */
  size(options?: CallOptions): number {
    return this.block("size", this.sizeSteps(), options);
  }

  /** As {@link size}, without blocking. */
  sizeAsync(options?: CallOptions): Promise<number> {
    return this.await("sizeAsync", this.sizeSteps(), options);
  }

  /** @internal */
  protected *sizeSteps(): Steps<number> {
    return yield* sum(this.localSize);
  }

  /** @internal begins an operation */
  protected begin(operation: number): Scratch {
    return this.session.begin(headOf(this.#number, operation));
  }

  /** @internal makes another operation of the one that was begun */
  protected retitle(scratch: Scratch, operation: number): void {
    scratch.views.u32[0] = headOf(this.#number, operation);
  }

  /** @internal sends it to its owner */
  protected send(owner: number, call: string): Sent {
    return this.session.send(owner, call);
  }

  /** @internal @throws RankRangeError for what is no rank */
  protected checkRank(call: string, rank: unknown): void {
    if (Number.isInteger(rank) && (rank as number) >= 0 && (rank as number) < this.group.size) return;
    throw new RankRangeError(
      `${call}: expected a rank from 0 to ${this.group.size - 1}, got ${shortText(rank)}`,
    );
  }

  /** @internal a collective call that blocks @param argument the one that is the same at all PEs, if there is one */
  protected block<T>(call: string, steps: Steps<T>, options?: CallOptions, argument?: number): T {
    const { life } = this.session;
    life.begin(`${this.name}.${call}`);
    try {
      checkBlocking(this.session, call);
      return blockOn(this.group, this.#agreed(call, steps, argument), options);
    } finally {
      life.end();
    }
  }

  /** @internal one that does not */
  protected async await<T>(
    call: string,
    steps: Steps<T>,
    options?: CallOptions,
    argument?: number,
  ): Promise<T> {
    const { life } = this.session;
    life.begin(`${this.name}.${call}`);
    try {
      return await awaitOn(this.group, this.#agreed(call, steps, argument), options);
    } finally {
      life.end();
    }
  }

  /** The blocking form and the Async form of a call are the same. */
  #agreed<T>(call: string, steps: Steps<T>, argument?: number): Steps<T> {
    const title = `${this.name}.${call.replace(/Async$/, "")}(${argument ?? ""})`;
    return agreed(`${title} of containers ${this.#object}`, steps);
  }
}
