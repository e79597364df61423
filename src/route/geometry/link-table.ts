/**
 * Layout of the link table: where a PE's open buffers are being filled. It is in memory, as kernels read and write it,
 * too.
 *
 *     hop 0   ┌───────────────┬─────────────────┬─────────────────────┬──────────────┐  u32 each, by link
 *             │ at 0, at 1 …  │ end 0, end 1 …  │ tagAt 0, tagAt 1 …  │ packets 0 …  │
 *     hop 1   ├───────────────┼─────────────────┼─────────────────────┼──────────────┤
 *             │ at 0, at 1 …  │ …               │                     │              │
 *             └───────────────┴─────────────────┴─────────────────────┴──────────────┘
 *
 * In a mesh there is one such part for the links of all hops, numbered one after another.
 *
 * Only the PE itself accesses it. An item is written at `at`, its tag at `tagAt`; there is no room when `at` equals
 * `end`, which are both 0 for a link without an open buffer (engine/outbox.ts). Where items have lengths of their own,
 * `packets` counts them (engine/packets.ts).
 */
import type { Views } from "../../ground/item/views.ts";

const ARRAYS = 4;
const WORD = 4;

/** Bytes of the table of a PE with so many links, at all hops together. */
export const tableBytes = (links: number): number => ARRAYS * WORD * links;

/** The part of one hop. */
export interface LinkTable {
  readonly at: Uint32Array;
  readonly end: Uint32Array;
  readonly tagAt: Uint32Array;
  readonly packets: Uint32Array;
  /** Byte offset of `at` 0. */
  readonly address: number;
  /** Words from one array to the next. */
  readonly stride: number;
}

/** The parts of all hops of a table at a byte offset. @param links of each hop */
export function linkTables({ u32 }: Views, address: number, links: readonly number[]): LinkTable[] {
  let next = address;
  return links.map((count) => {
    const first = next;
    const array = (): Uint32Array => {
      const view = u32.subarray(next / WORD, next / WORD + count);
      next += view.byteLength;
      return view;
    };
    return { at: array(), end: array(), tagAt: array(), packets: array(), address: first, stride: count };
  });
}

/** In a mesh each array has the links of all hops: an item can go into a buffer of any (mesh-ways.ts). */
export interface JointTable {
  readonly all: LinkTable;
  /** The parts of the hops. */
  readonly each: readonly LinkTable[];
}

/** A table of this kind at a byte offset. @param links of each hop */
export function jointTable(views: Views, address: number, links: readonly number[]): JointTable {
  const [all] = linkTables(views, address, [links.reduce((sum, count) => sum + count, 0)]) as [LinkTable];
  let first = 0;
  const each = links.map((count): LinkTable => {
    const from = first;
    first += count;
    const part = (array: Uint32Array) => array.subarray(from, first);
    return {
      at: part(all.at),
      end: part(all.end),
      tagAt: part(all.tagAt),
      packets: part(all.packets),
      address: address + WORD * from,
      stride: all.stride,
    };
  });
  return { all, each };
}
