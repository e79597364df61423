/**
 * Code that is generated for a type of items, for many of them at once: their fields go in and come out as
 * columns, so that the loop over the items is in one function, made for one item type and one tag width.
 */
import { type Column, columnKind, type Lane } from "../item/columns.ts";
import type { Views } from "../item/views.ts";
import { type Gate, generate, NAMES, SHIFT, tagAt } from "./code.ts";
import { copyCode, WORDS, widthOf, wordsOf } from "./copy.ts";
import type { Outbox } from "./outbox.ts";

/**
 * Pushes items from `at` on up to `end`, until a link has no room, or a destination is no rank; gives the number of the
 * first one that was not pushed.
 */
export type PushMany = (dests: Uint32Array, columns: readonly Column[], at: number, end: number) => number;

/** Copies a column of `count` items out of a buffer: the first item is at byte offset `at`. */
export type Unpack = (column: Column, at: number, count: number) => void;

/** @param tagBytes width of the tags of the first hop */
export function pushManyCode(
  lanes: readonly Lane[],
  stride: number,
  tagBytes: number,
  views: Views,
  gate: Gate,
  outbox: Outbox,
): PushMany {
  const names = lanes.map((_, i) => `c${i}`);
  const writes = lanes.map((lane, i) => {
    const { offset, type } = lane;
    const place = offset === 0 ? "at" : `(at + ${offset})`;
    if (type.kind === "scalar") return `${type.name}[${place} >>> ${SHIFT[type.bytes]}] = c${i}[i];`;
    const { bytes } = type;
    const width = widthOf(bytes, stride, offset);
    const words = copyCode(bytes, width, [WORDS[width], place, "u8"], [`w${i}`, `i * ${bytes}`, `c${i}`]);
    return `if (w${i} !== null) { ${words} } else u8.set(c${i}.subarray(i * ${bytes}, (i + 1) * ${bytes}), ${place});`;
  });
  const words = lanes.map(({ offset, type }, i) =>
    type.kind === "scalar" ? "" : `const w${i} = wordsOf(c${i}, ${widthOf(type.bytes, stride, offset)});`,
  );
  const source = `"use strict";
    const { ${NAMES} } = views;
    const { at: AT, end: END, tagAt: TAGAT } = outbox;
    const { link: LINK, tag: TAG, size } = gate;
    function loop(dests, i, end, ${names.join(", ")}) {
      ${words.join(" ")}
      for (;;) {
        let link = 0;
        let isFull = false;
        // nothing is called in here, so that what V8 knows of the arrays holds from item to item
        for (; i < end; i++) {
          const dest = dests[i];
          if (dest >= size) return i;
          link = ${gate.direct ? "dest" : "LINK[dest]"};
          let at = AT[link];
          const last = END[link];
          if (at === last) break;
          ${writes.join("\n          ")}
          ${tagBytes > 0 ? `const tagAt = TAGAT[link]; ${tagAt(tagBytes)} = TAG[dest]; TAGAT[link] = tagAt - ${tagBytes};` : ""}
          at = (at + ${stride}) >>> 0;
          AT[link] = at;
          if (at === last) {
            isFull = true;
            i++;
            break;
          }
        }
        if (isFull) outbox.filled(link);
        else if (i === end || !outbox.open(link)) return i;
      }
    }
    return function pushMany(dests, columns, at, end) {
      return loop(dests, at, end, ${names.map((_, i) => `columns[${i}]`).join(", ")});
    };`;
  return generate(source, { views, gate, outbox, wordsOf }) as PushMany;
}

/** What copies one column out of buffers. */
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
    return function unpack(column, at, count) {
      ${type.kind === "scalar" ? "" : `const words = wordsOf(column, ${width});`}
      at += ${offset};
      for (let i = 0; i < count; i++, at = (at + ${stride}) >>> 0) { ${copy} }
    };`;
  return generate(source, { views, wordsOf }) as Unpack;
}
