/**
 * Code that is generated for a type of records: the bytes of one record of its values, and of many of their columns.
 *
 * Source: code made once per schema, as fastify does for serialisation.
 */
import { UsageError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { type ColumnArray, columnKind, type ItemLane, lanesOf } from "../../ground/item/columns.ts";
import { describeItem, type ItemType, roundUp } from "../../ground/item/item-type.ts";
import { type Views, viewsOf } from "../../ground/item/views.ts";
import { leavesOf, stringsFor } from "../conveyor/codegen/code.ts";
import { generate, itemName } from "../conveyor/codegen/generate.ts";
import { argumentsOf, SHIFT } from "../conveyor/codegen/parts.ts";

/** Gives the bytes of a record; the same memory each time. @throws UsageError for values that are none */
export type Encode = (call: string, values: readonly unknown[]) => Uint8Array;

export function encoderOf(item: ItemType): Encode {
  const views = viewsOf(new ArrayBuffer(roundUp(item.bytes, 8)));
  const bytes = views.u8.subarray(0, item.bytes);
  const { count, parameters } = argumentsOf(item);
  const leaves = leavesOf(item);
  const misfit = (call: string, given: readonly unknown[]): never => {
    const got = given.map((one) => shortText(one)).join(", ");
    throw new UsageError(`${call}: expected a rank and ${describeItem(item)}, got (${got})`);
  };
  const source = `"use strict";
    return function encode(call, values) {
      const [${parameters}] = values;
      ${leaves.map(({ take }) => take).join(" ")}
      if (values.length !== ${count}${leaves.map(({ bad }) => ` || ${bad}`).join("")}) misfit(call, values);
      ${leaves.map(({ write, offset }) => write(String(offset))).join("\n      ")}
      return bytes;
    };`;
  const scope = { ...views, ...stringsFor(leaves, views), bytes, misfit };
  return generate(`append/encode/${itemName(item)}`, source, scope) as Encode;
}

/** Copies rows `first` to `end` - 1 of columns to the beginning of a memory, or back to the columns. */
export type Weave = (views: Views, at: number, columns: readonly ColumnArray[], first: number, end: number) => void;

/** @param back from the rows to the columns */
export function weaverOf(item: ItemType, back: boolean): Weave {
  const lanes = lanesOf(item);
  const code = lanes.map((lane, k) => laneCode(lane, k, item.bytes, back)).join("\n");
  const source = `"use strict";
    return function weave(views, at, columns, first, end) {
      const { i8, u8, i16, u16, i32, u32, i64, u64, f32, f64 } = views;
      ${code}
    };`;
  return generate(`append/weave/${itemName(item)}?back=${back}`, source, {}) as Weave;
}

/** A loop over one column. */
function laneCode(lane: ItemLane, k: number, stride: number, back: boolean): string {
  const { name, each } = columnKind(lane);
  const width = lane.type.kind === "bytes" ? 1 : lane.type.bytes;
  const shift = SHIFT[width];
  const place = `((at + ${lane.offset} + (i - first) * ${stride}) >>> ${shift})`;
  const column = `columns[${k}]`;
  const body =
    each === 1
      ? `${back ? `c[i] = ${name}[${place}]` : `${name}[${place}] = c[i]`};`
      : `for (let k = 0, p = ${place}; k < ${each}; k++) ${
          back ? `c[i * ${each} + k] = ${name}[p + k]` : `${name}[p + k] = c[i * ${each} + k]`
        };`;
  return `{ const c = ${column}; for (let i = first; i < end; i++) { ${body} } }`;
}
