/** Code that is generated for a type of items: what reads one at a byte offset of a memory. */
import type { ItemType } from "../../../ground/item/item-type.ts";
import type { Views } from "../../../ground/item/views.ts";
import { generate, itemName } from "./generate.ts";
import { readCode, readersFor, viewOf } from "./item-view.ts";

/** Reads the item at a byte offset: a value, or for structs a view that is used again. */
export function readerOf(item: ItemType, views: Views): (at: number) => unknown {
  if (item.kind === "struct") {
    const cursor = { at: 0 };
    const view = viewOf(item, views, cursor);
    return (at) => {
      cursor.at = at;
      return view;
    };
  }
  const source = `"use strict"; return function read(at) { return ${readCode(item, 0)}; };`;
  return generate(`read/${itemName(item)}`, source, { ...views, ...readersFor(item, views) }) as (
    at: number,
  ) => unknown;
}
