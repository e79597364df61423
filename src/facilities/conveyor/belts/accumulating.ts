/**
 * Items that go into a table: all those of a received buffer in one call, by a kernel if the table is in the heap, else
 * by a loop. Nothing runs per item.
 */
import { IndexRangeError, UsageError } from "../../../ground/base/errors.ts";
import { checkNames } from "../../../ground/base/names.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import type { ItemType, ScalarName } from "../../../ground/item/item-type.ts";
import { ARRAYS, type TypedArray } from "../../../ground/memory/kernels/elements.ts";
import { originOf } from "../../../route/geometry/route.ts";
import { addCode } from "../codegen/table-code.ts";
import type { Frame } from "../engine/assembly.ts";
import type { Inbox } from "../engine/inbox.ts";
import { conveyorKernels } from "../kernels/kernels.ts";
import { opNumber, TABLE_OPS, type TableOp, typeNumber } from "../kernels/tables.ts";
import { Indices } from "./indices.ts";
import { checkTable, type FieldName, indexField, type ScalarField, tableType, valueField } from "./tables.ts";

/** The effect of items on a table. */
export interface AccumulateOptions<I extends ItemType = ItemType> {
  /**
   * The effect of an item on the element that it names: `count` adds one; `sum` adds the item's value, `min` and `max`
   * keep the smaller or the larger of the two, `replace` stores it.
   */
  readonly op: TableOp;
  /**
   * Name of the field with the index, an integer (`pair.key` for one in a struct).
   * @default an item that is no struct
   */
  readonly index?: FieldName<I> | undefined;
  /**
   * Name of the field with the value. The table's type is the field's, or one that has all its values; it is bigints
   * for bigints. @default none, for `count`
   */
  readonly value?: FieldName<I> | undefined;
}

/** A sink of items: what {@link AccumulateOptions} says is done to a table. */
export interface TableSink<I extends ItemType = ItemType> extends AccumulateOptions<I> {
  /** The table at this PE. */
  readonly table: TypedArray;
}

/** Adds `count` items, the first of which is at byte offset `at`; gives how many, up to one that names no element. */
type Add = (at: number, count: number) => number;

const NAMES = ["op", "index", "value"];

/**
 * The table that a belt adds the items of its inbox to; of the table and the options that were given last it knows how.
 */
export class Accumulator {
  readonly #item: ItemType;
  readonly #frame: Frame;
  readonly #inbox: Inbox;
  #table: TypedArray | null = null;
  #op: unknown;
  #index: unknown;
  #value: unknown;
  /** Of the indices. */
  #field: ScalarField = { type: "u32", offset: 0 };
  #add: Add = () => 0;

  constructor(item: ItemType, frame: Frame, inbox: Inbox) {
    this.#item = item;
    this.#frame = frame;
    this.#inbox = inbox;
  }

  /** @throws UsageError for a table or options that do not fit the items */
  prepare(table: TypedArray, options: AccumulateOptions, call: string): void {
    const { op, index, value } = options ?? {};
    if (table === this.#table && op === this.#op && index === this.#index && value === this.#value) {
      checkTable(table, call);
      return;
    }
    this.#table = null;
    const type = tableType(table, call);
    checkNames(call, options, call === "run" ? ["table", ...NAMES] : NAMES, "option");
    if (!TABLE_OPS.includes(op)) {
      throw new UsageError(`${call}: op: expected one of ${TABLE_OPS.join(", ")}, got ${shortText(op)}`);
    }
    const indices = indexField(this.#item, index, call);
    if (op === "count" && value !== undefined) {
      throw new UsageError(`${call}: value: op "count" takes none, got ${shortText(value)}. Leave it out.`);
    }
    const values = op === "count" ? null : valueField(this.#item, value, type, call);
    const isHere = table.buffer === this.#frame.site.views.u8.buffer;
    this.#field = indices;
    this.#add = (isHere ? kernelAdd : loopAdd)(this.#frame, this.#item, table, type, op, indices, values);
    this.#table = table;
    this.#op = op;
    this.#index = index;
    this.#value = value;
  }

  /**
   * Adds what is left of the inbox's buffer; gives the number of items.
   * @throws IndexRangeError for an item that names no element: it is the next one then
   */
  take(call: string): number {
    const inbox = this.#inbox;
    const { next, waiting } = inbox;
    const added = this.#add(next, waiting);
    inbox.pass(added);
    if (added < waiting) throw this.#misfit(call);
    return added;
  }

  #misfit(call: string): IndexRangeError {
    const { next, source } = this.#inbox;
    const { views } = this.#frame.site;
    const { type, offset } = this.#field;
    const index = views[type][(next + offset) / ARRAYS[type].BYTES_PER_ELEMENT];
    const { length } = this.#table as TypedArray;
    const from = originOf(this.#frame.choice.route, source, this.#inbox.nextTag);
    return new IndexRangeError(
      { from, index, length },
      call,
      `The items before it are in the table; ${call === "run" ? "the session has ended at every PE" : "it is the next item, and pull() takes it"}.`,
    );
  }
}

/** For a table that kernels see. */
function kernelAdd(
  frame: Frame,
  item: ItemType,
  table: TypedArray,
  type: ScalarName,
  op: TableOp,
  index: ScalarField,
  value: ScalarField | null,
): Add {
  const kernels = conveyorKernels(frame.site.memory);
  const indices = new Indices(frame, item, index);
  const what = [opNumber(op), typeNumber(type), table.byteOffset] as const;
  const offset = value?.offset ?? 0;
  if (value === null || value.type === type) {
    const act = (at: number, from: number, count: number): number =>
      kernels.accumulate(
        ...([...what, indices.lengthOf(table)] as const),
        ...([from, indices.step, at + offset, item.bytes, count] as const),
      );
    return (at, count) => indices.each(at, count, act);
  }
  // values of another type become a column first
  const { values } = indices;
  const act = (at: number, from: number, count: number): number => {
    kernels.widen(values, typeNumber(type), at + offset, typeNumber(value.type), item.bytes, count);
    return kernels.accumulate(
      ...([...what, indices.lengthOf(table)] as const),
      ...([from, indices.step, values, table.BYTES_PER_ELEMENT, count] as const),
    );
  };
  return (at, count) => indices.each(at, count, act);
}

/** For a table anywhere. */
function loopAdd(
  { site: { views } }: Frame,
  { bytes }: ItemType,
  table: TypedArray,
  type: ScalarName,
  op: TableOp,
  index: ScalarField,
  value: ScalarField | null,
): Add {
  // of a count no value is read
  const values = value ?? index;
  const addAll = addCode(op, type, index.type, values.type);
  const width = ARRAYS[index.type].BYTES_PER_ELEMENT;
  const valueWidth = ARRAYS[values.type].BYTES_PER_ELEMENT;
  return (from, count) =>
    addAll(
      ...([table, views[index.type], (from + index.offset) / width, bytes / width] as const),
      ...([views[values.type], (from + values.offset) / valueWidth, bytes / valueWidth] as const),
      count,
    );
}
