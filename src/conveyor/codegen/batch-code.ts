/**
 * Code that is generated for a type of items, for many of them at once: their fields go in and come out as
 * columns, so that the loop over the items is in one function, made for one item type and one tag width.
 */
import { type Column, columnKind, type Lane } from "../../item/columns.ts";
import type { Views } from "../../item/views.ts";
import type { Outbox } from "../engine/outbox.ts";
import { type Gate, NAMES, SHIFT, tagAt } from "./code.ts";
import { generate, typeName } from "./generate.ts";
import { copyCode, WORDS, widthOf, wordsOf } from "./short-copy.ts";

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
  const isPair = gate.direct && gate.size === 2;
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
  const columns = [
    ...names,
    ...lanes.flatMap(({ type }, i) => (type.kind === "bytes" ? [`w${i}`] : [])),
  ].join(", ");
  const source = `"use strict";
    const { ${NAMES} } = views;
    const { at: AT, end: END, tagAt: TAGAT } = outbox;
    const { link: LINK, tag: TAG, size } = gate;
    // V8 knows the arrays, and where they lie, in a function of ours that it inlines, but not in the outermost one
    const linkTo = (dest) => ${gate.direct ? "dest" : "LINK[dest]"};
    const hasRoom = (link) => AT[link] !== END[link];
    function put(i, dest, link, ${columns}) {
      let at = AT[link];
      ${writes.join("\n      ")}
      ${tagBytes > 0 ? `const tagAt = TAGAT[link]; ${tagAt(tagBytes)} = TAG[dest]; TAGAT[link] = tagAt - ${tagBytes};` : ""}
      at = (at + ${stride}) >>> 0;
      AT[link] = at;
      return at === END[link];
    }
    ${isPair ? pairCode(columns, writes, stride) : ""}
    function loop(dests, i, end, ${names.join(", ")}) {
      ${words.join(" ")}
      for (;;) {
        ${isPair ? `i = pair(dests, i, end, ${columns});` : ""}
        let link = 0;
        let isFull = false;
        // nothing that is not inlined is called in here, so that what V8 knows of the arrays holds from item to item
        for (; i < end; i++) {
          const dest = dests[i];
          if (dest >= size) return i;
          link = linkTo(dest);
          if (!hasRoom(link)) break;
          if (put(i, dest, link, ${columns})) {
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
  const types = lanes.map(({ type }) => typeName(type)).join(",");
  return generate(`push-all/${types}?tag=${tagBytes}${isPair ? "&links=2" : ""}`, source, {
    views,
    gate,
    outbox,
    wordsOf,
  }) as PushMany;
}

/**
 * For two links: as long as both have room the places of the next items are two variables, and which of them it is takes no
 * branch, which would be guessed wrong every other time, and no memory.
 */
function pairCode(columns: string, writes: readonly string[], stride: number): string {
  return `
    function fill(dests, i, stop, ${columns}) {
      let at0 = AT[0], at1 = AT[1];
      for (; i < stop; i++) {
        const dest = dests[i];
        if (dest > 1) break;
        const at = (at0 ^ ((at0 ^ at1) & -dest)) >>> 0;
        ${writes.join("\n        ")}
        const step = ${stride} & -dest;
        at0 = (at0 + ${stride} - step) >>> 0;
        at1 = (at1 + step) >>> 0;
      }
      AT[0] = at0;
      AT[1] = at1;
      return i;
    }
    function pair(dests, i, end, ${columns}) {
      while (AT[0] !== END[0] && AT[1] !== END[1]) {
        const room = Math.min(END[0] - AT[0], END[1] - AT[1]) / ${stride};
        const stop = Math.min(end, i + room);
        i = fill(dests, i, stop, ${columns});
        if (AT[0] === END[0]) outbox.filled(0);
        if (AT[1] === END[1]) outbox.filled(1);
        if (i < stop || i === end) break;
        if (AT[0] === 0) outbox.open(0);
        if (AT[1] === 0) outbox.open(1);
      }
      return i;
    }`;
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
    // see pushManyCode: where V8 knows the views
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
