/** The element that a visitor of an array gets. */
import { UsageError } from "../base/errors.ts";
import { shortText } from "../base/short-text.ts";

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
  readonly #isValue: (value: unknown) => boolean;
  readonly #expected: string;
  #place = -1;

  /** @param isValue whether it is a value of the array @param expected for messages */
  constructor(
    elements: Elements<V>,
    indexOf: (place: number) => number,
    isValue: (value: unknown) => boolean,
    expected: string,
  ) {
    this.#elements = elements;
    this.#indexOf = indexOf;
    this.#isValue = isValue;
    this.#expected = expected;
  }

  /** Before a visitor. */
  open(place: number): void {
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
    if (!this.#isValue(value)) {
      throw new UsageError(`element.value: expected ${this.#expected}, got ${shortText(value)}`);
    }
    this.#elements[place] = value;
  }

  #checked(): number {
    if (this.#place >= 0) return this.#place;
    throw new UsageError(
      "element: expected to be used inside its visitor, got a use after that. Keep its index and its value instead.",
    );
  }
}
