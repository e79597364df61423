/** The element that a visitor of an array gets. */
import { UsageError } from "../../ground/base/errors.ts";
import type { Assigned } from "./content/assigned.ts";

/** An element of an array, at its PE: valid until the visitor returns. */
export interface Element<V> {
  /** Its index in the whole array. */
  readonly index: number;
  /** Its value. What is assigned is stored; values that are objects may also be changed where they are. */
  value: V;
}

/** The elements of a PE. */
export interface Elements<V> {
  readonly length: number;
  [place: number]: V;
}

/** The element on which visitors work, one after another. */
export class CurrentElement<V> implements Element<V> {
  readonly #elements: Elements<V>;
  readonly #indexOf: (place: number) => number;
  readonly #assigned: Assigned;
  /** Of the visitor, for messages. */
  #call = "";
  #place = -1;

  /** @param assigned what is stored of a value */
  constructor(elements: Elements<V>, indexOf: (place: number) => number, assigned: Assigned) {
    this.#elements = elements;
    this.#indexOf = indexOf;
    this.#assigned = assigned;
  }

  /** Before a visitor. @param call its own, for messages */
  open(place: number, call: string): void {
    this.#call = call;
    this.#place = place;
  }

  /** After it. */
  close(): void {
    this.#place = -1;
  }

  get index(): number {
    return this.#indexOf(this.#checked());
  }

  get value(): V {
    return this.#elements[this.#checked()] as V;
  }

  set value(value: V) {
    const place = this.#checked();
    const stored = this.#assigned(`${this.#call}: element.value`, value) as V;
    this.#elements[place] = stored;
  }

  #checked(): number {
    if (this.#place >= 0) return this.#place;
    throw new UsageError(
      "element: expected to be used inside its visitor, got a use after that. Keep its index and its value instead.",
    );
  }
}
