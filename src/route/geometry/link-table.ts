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
 * With one hop there are three arrays more, for the loop in compiled code (kernels/assembly/session.ts), and behind
 * them what the porter has (links/transport/heap/link-counters.ts):
 *
 *             ┌─ … ──────────┬─────────────────┬─────────────────┬───────────────────────┬──────────────────────┐
 *             │ packets 0 …  │ base 0, base 1… │ full 0, full 1… │ unended 0, unended 1… │ sent 0 …             │
 *             └─ … ──────────┴─────────────────┴─────────────────┴───────────────────────┴──────────────────────┘
 *
 * In a mesh there is one such part for the links of all hops, numbered one after another.
 *
 * Only the PE itself accesses it. An item is written at `at`, its tag at `tagAt`; there is no room when `at` equals
 * `end`, which are both 0 for a link without an open buffer (engine/outbox.ts). Where items have lengths of their own,
 * `packets` counts them (engine/packets.ts). The first item of an open buffer is at `base`; with `full` bytes of items
 * it is full. `unended` is 1 while the last buffer of the session is not sent.
 */
import type { Views } from "../../ground/item/views.ts";

const ARRAYS = 4;
const MORE_ARRAYS = 3;
const WORD = 4;

/** Offset behind the arrays of one hop with so many links. */
export const behindTable = (links: number): number => (ARRAYS + MORE_ARRAYS) * WORD * links;

/** Bytes of the table of a PE with so many links, at all hops together. */
export const tableBytes = (links: number): number => ARRAYS * WORD * links;

/** The part of one hop. */
export interface LinkTable {
  readonly at: Uint32Array;
  readonly end: Uint32Array;
  readonly tagAt: Uint32Array;
  readonly packets: Uint32Array;
  readonly base: Uint32Array;
  readonly full: Uint32Array;
  readonly unended: Uint32Array;
  /** Byte offset of `at` 0. */
  readonly address: number;
  /** Words from one array to the next. */
  readonly stride: number;
}

/**
 * The parts of all hops of a table at a byte offset.
 * @param links of each hop @param isWhole whether there is memory for all arrays. @default four of them
 */
export function linkTables({ u32 }: Views, address: number, links: readonly number[], isWhole = false): LinkTable[] {
  let next = address;
  return links.map((count) => {
    const first = next;
    const array = (): Uint32Array => {
      const view = u32.subarray(next / WORD, next / WORD + count);
      next += view.byteLength;
      return view;
    };
    const more = isWhole ? array : (): Uint32Array => new Uint32Array(count);
    return {
      at: array(),
      end: array(),
      tagAt: array(),
      packets: array(),
      base: more(),
      full: more(),
      unended: more(),
      address: first,
      stride: count,
    };
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
      base: part(all.base),
      full: part(all.full),
      unended: part(all.unended),
      address: address + WORD * from,
      stride: all.stride,
    };
  });
  return { all, each };
}
