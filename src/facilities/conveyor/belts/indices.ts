/** The indices of items as kernels of tables take them: u32. Those of other types are copied to the staging as such. */
import { type ItemType, roundUp } from "../../../ground/item/item-type.ts";
import type { TypedArray } from "../../../ground/memory/kernels/elements.ts";
import type { Frame } from "../engine/assembly.ts";
import { type ConveyorKernels, conveyorKernels } from "../kernels/kernels.ts";
import { typeNumber } from "../kernels/tables.ts";
import type { ScalarField } from "./tables.ts";

const INDEX_BYTES = 4;
/** Of the widest type. */
const VALUE_BYTES = 8;
const ALIGN = 16;
/** An i32 is read as a u32: from here on it is negative. */
const FIRST_NEGATIVE = 2 ** 31;

/** The field of items with the indices. */
export class Indices {
  /** Bytes from one index to the next. */
  readonly step: number;
  /** Byte offset in the staging of memory for a value of each item. */
  readonly values: number;
  readonly #kernels: ConveyorKernels;
  readonly #field: ScalarField;
  readonly #stride: number;
  readonly #staging: number;
  readonly #isPlain: boolean;
  /** Largest number of items that there is staging for. */
  readonly #most: number;

  constructor({ site }: Frame, item: ItemType, field: ScalarField) {
    this.#kernels = conveyorKernels(site.memory);
    this.#field = field;
    this.#stride = item.bytes;
    this.#staging = site.places.staging;
    this.#isPlain = field.type === "u32" || field.type === "i32";
    const room = site.places.stagingBytes - ALIGN;
    this.#most = Math.floor(room / (INDEX_BYTES + VALUE_BYTES));
    this.step = this.#isPlain ? item.bytes : INDEX_BYTES;
    this.values = roundUp(this.#staging + this.#most * INDEX_BYTES, ALIGN);
  }

  /** Where the index is of the first of `count` items is, which lie from byte offset `at` on. */
  #place(at: number, count: number): number {
    const { type, offset } = this.#field;
    if (this.#isPlain) return at + offset;
    this.#kernels.indices(this.#staging, at + offset, typeNumber(type), this.#stride, count);
    return this.#staging;
  }

  /** The length of a table for these indices. */
  lengthOf(table: TypedArray): number {
    return this.#field.type === "i32" ? Math.min(table.length, FIRST_NEGATIVE) : table.length;
  }

  /**
   * Does something with `count` items, as many at a time as there is staging for, until it was done with fewer than
   * that.
   * @param act gives the number of items that it has done
   */
  each(at: number, count: number, act: (at: number, indices: number, some: number) => number): number {
    for (let done = 0; done < count; ) {
      const some = Math.min(this.#most, count - done);
      const from = at + done * this.#stride;
      const acted = act(from, this.#place(from, some), some);
      done += acted;
      if (acted < some) return done;
    }
    return count;
  }
}
