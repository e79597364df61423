/** Code that is generated for a field of items: it copies the field of many of them, outside of the heap, to a column. */
import { type Column, columnKind, type Lane } from "../../item/columns.ts";
import type { Views } from "../../item/views.ts";
import { NAMES, SHIFT } from "./code.ts";
import { generate, typeName } from "./generate.ts";
import { copyCode, WORDS, widthOf, wordsOf } from "./short-copy.ts";

/** Copies the field of `count` items to a column: the first item is at byte offset `at`. */
export type Unpack = (column: Column, at: number, count: number) => void;

/** @param stride bytes from one item to the next */
export function unpackCode(lane: Lane, stride: number, views: Views): Unpack {
  const { name, each } = columnKind(lane);
  const { type, offset } = lane;
  const width = widthOf(each, stride, offset);
  const copy =
    type.kind === "scalar"
      ? `column[i] = ${name}[at >>> ${SHIFT[type.bytes]}];`
      : copyCode(each, width, ["words", `i * ${each}`, "column"], [WORDS[width], "at", "u8"]);
  const source = `"use strict";
    const { ${NAMES} } = views;
    // V8 knows the arrays, and where they lie, in a function of ours that it inlines, but not in the outermost one
    function take(i, at, column, words) { ${copy} }
    return function unpack(column, at, count) {
      const words = ${type.kind === "scalar" ? "null" : `wordsOf(column, ${width})`};
      at += ${offset};
      for (let i = 0; i < count; i++, at = (at + ${stride}) >>> 0) take(i, at, column, words);
    };`;
  return generate(`column/${typeName(type)}?offset=${offset}&stride=${stride}`, source, {
    views,
    wordsOf,
  }) as Unpack;
}
