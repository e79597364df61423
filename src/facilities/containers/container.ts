/**
 * A container, as seen by one PE: what all kinds have in common.
 *
 * To add a kind, write a file in src/facilities/containers/kinds with
 * 1. a class that extends {@link Container} and has its {@link ContainerPart}: its operations put together an item with
 *    `begin`, the key and the arguments, and send it to its owner with `send`; the receiver that it gives to
 *    `receiveBy` carries them out there; its collective calls are tasks that begin with `agree`, with a blocking form
 *    by `block` and an Async form by `await`;
 * 2. a function that makes its {@link Kind}: the text that the PEs must agree about, and what makes the container of a
 *    PE;
 * 3. an interface of its operations with the type of their results as a parameter: void in synchronous sources and
 *    visitors, `Promise<void> | undefined` in asynchronous sources. Its names go into src/containers.ts and
 *    docs/containers.md, its tests into test/facilities/containers. kinds/set.ts is a short example.
 */

import type { CallOptions } from "../../collectives/calls/call.ts";
import type { Task } from "../../ground/wait/task.ts";
import type { ContainerPart } from "./part.ts";

/**
 * A kind of container, with its types: what `containers()` makes one of at every PE.
 * @typeParam C the container @typeParam A its operations for asynchronous sources
 */
export interface Kind<C = unknown, A = unknown> {
  /** The terms that the PEs must agree about, as text: `map(text, f64)`. */
  readonly terms: string;
  /** Never present; carries the type. */
  readonly container?: C;
  /** Never present; carries the type. */
  readonly operations?: A;
}

type Make = (part: ContainerPart) => Container;

const makers = new WeakMap<object, Make>();

/** Makes a kind. */
export function kindOf<C extends Container, A>(terms: string, make: (part: ContainerPart) => C): Kind<C, A> {
  const kind = { terms };
  makers.set(kind, make);
  return kind;
}

/** The maker of the containers of a kind; undefined for what is none. */
export const makerOf = (kind: object): Make | undefined => makers.get(kind);

/** Gives a container its part, and shows it. */
export let setPart: (container: Container, part: ContainerPart) => void;
export let partOf: (container: Container) => ContainerPart;

/** A container, as seen by one PE. */
export abstract class Container {
  #part!: ContainerPart;

  static {
    setPart = (container, part) => {
      container.#part = part;
    };
    partOf = (container) => container.#part;
  }

  /** Number of entries, or elements, at this PE. */
  abstract get localSize(): number;

  /** Bytes of memory that this PE's entries, or elements, take. */
  abstract get localBytes(): number;

  /** Number of entries, or elements, at all PEs. Collective. */
  size(options?: CallOptions): number {
    return this.#part.block("size", this.#size(), options);
  }

  /** As {@link size}, without blocking. */
  sizeAsync(options?: CallOptions): Promise<number> {
    return this.#part.await("sizeAsync", this.#size(), options);
  }

  *#size(): Task<number> {
    const { localSize } = this;
    yield* this.#part.agree("size");
    return yield* this.#part.sum(localSize);
  }
}
