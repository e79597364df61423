/** The parts of an alltoallv over an exchange: an array from each PE for each. A block's tag is its array's type. */
import { MismatchError, UsageError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { ARRAYS, type ArrayType, type TypedArray } from "../../ground/memory/kernels/elements.ts";
import type { Chunk } from "./incoming.ts";

const TYPES: readonly ArrayType[] = [...Object.values(ARRAYS), Uint8ClampedArray as ArrayType<Uint8ClampedArray>];

/** By the name of the type: a Buffer is a Uint8Array. */
const NAMES: readonly string[] = TYPES.map(({ name }) => name);

const typeOf = (part: unknown): number =>
  ArrayBuffer.isView(part) ? NAMES.indexOf((part as Uint8Array)[Symbol.toStringTag]) : -1;

/** One call at one PE. */
export class AlltoallvParts<T extends TypedArray> {
  readonly #arrays: (T | undefined)[];
  /** Index of the arrays' type; -1 while it is not known. */
  #type = -1;

  /** @param parts by rank; undefined for nothing @throws UsageError */
  constructor(parts: readonly (T | undefined)[], size: number) {
    if (!Array.isArray(parts) || parts.length !== size) {
      const got = Array.isArray(parts) ? `${parts.length}` : shortText(parts);
      throw new UsageError(`all: expected a list of ${size} typed arrays, one for each PE, got ${got}`);
    }
    for (const [rank, part] of parts.entries()) {
      if (part === undefined) continue;
      const type = typeOf(part);
      if (type < 0 || (this.#type >= 0 && type !== this.#type)) {
        throw new UsageError(
          `all: expected typed arrays of one type, got ${shortText(part)} for PE ${rank}${this.#type < 0 ? "" : `, after a ${TYPES[this.#type].name}`}`,
        );
      }
      this.#type = type;
    }
    this.#arrays = Array.from({ length: size }, () => undefined);
  }

  /** The tag of this PE's blocks. */
  get tag(): number {
    return this.#type;
  }

  /** Takes a piece. @throws UsageError if another PE has passed arrays of another type */
  take({ from, tag, offset, total, bytes }: Chunk): void {
    const bytesEach = TYPES[tag]?.BYTES_PER_ELEMENT;
    if (bytesEach === undefined || total % bytesEach !== 0) {
      throw new MismatchError(
        `all: PE ${from} has sent a block of ${total} bytes with tag ${tag}. All PEs must call all in this phase, and none schedule.`,
      );
    }
    if (this.#type < 0) this.#type = tag;
    if (tag !== this.#type) {
      throw new UsageError(
        `all: PE ${from} has passed a ${TYPES[tag]?.name}, and others a ${TYPES[this.#type].name}. All arrays must have one type.`,
      );
    }
    const type = TYPES[tag] as ArrayType<T>;
    this.#arrays[from] ??= new type(total / type.BYTES_PER_ELEMENT);
    const { buffer, byteLength } = this.#arrays[from];
    if (byteLength !== total) {
      throw new MismatchError(
        `all: PE ${from} has sent a second block. All PEs must call all in this phase, and none schedule.`,
      );
    }
    new Uint8Array(buffer, 0, byteLength).set(bytes, offset);
  }

  /** By rank, empty where nothing came. */
  get result(): T[] {
    const type = TYPES[Math.max(0, this.#type)] as ArrayType<T>;
    return this.#arrays.map((array) => array ?? new type(0));
  }
}
