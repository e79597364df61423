/**
 * Ways in a mesh: an item is pushed into the buffers of the first hop along which it differs from its destination, and
 * on its way leaves out the hops along whose dimension it is where it has to be. Its tag is what these hops would have
 * made of it, if each PE had a link to itself. Only the last hop has one: for items to oneself, and for those that have
 * arrived over another hop.
 *
 *     (a, b, c) pushes for    (a', b', c')  over hop 0, link a'     tag b', c'
 *                             (a,  b', c')  over hop 1, link b'     tag a, c'
 *                             (a,  b,  c')  over hop 2, link c'     tag a, b
 *
 * With its link an item has a tag of all coordinates: those that it has to reach, and those it came from. Of a hop that
 * is left out both are this PE's. So the next hop is that with the lowest bit in which the tag differs from the PE's
 * own coordinates, among the bits of the hops to come; with none it is the last one. A table, the same for all PEs, has
 * for each bit up to the last hop's first one:
 *
 *     bits   31 … 10               9 … 5               4 … 0
 *            the hop's first link  bits of its field   where its field begins
 *
 * The pivots (kernels/assembly/mesh.ts) look there; what comes over the last hop but one goes on over the last one.
 * The links of all hops are numbered one after another. Where an item enters depends on the PE, so each has a table of
 * its own, 8 bytes for each destination.
 *
 * Source: Narayanan, "Generalizing Fine-Grained Message Aggregation", section 2.1, and NDMeshStreamer of Charm++:
 * buffers per PE are the sum of s_d - 1, and items to oneself need none; here they have one, so that they come in the
 * same way as others.
 *
 * Example, 3 x 2: PE 1 = (x1 0, x0 1) has link 1 to PE 4 at hop 0, and 2, 3 and 4 to PEs 0, 1 and 2 at hop 1. An item
 * for 5 takes link 1 with tag x0' = 2, one for 2 takes link 4 with tag x1 = 0.
 */
import { bitsOf, maskOf, shiftsOf } from "./dimension-order.ts";
import type { ConveyorRoute, Dimension } from "./route.ts";

/** Bytes of a PE's own table for each destination. */
export const WAY_BYTES = 8;

/** Where items enter, by destination: their link, and their tag. */
export interface Ways {
  readonly link: Uint32Array;
  readonly tag: Uint32Array;
  /** Byte offset of the links in the memory; the tags follow. */
  readonly at: number;
}

/** By hop: the number of its first link. */
export function firstLinks(dims: readonly Dimension[]): number[] {
  let next = 0;
  return dims.map(({ size }) => {
    next += size;
    return next - size;
  });
}

/** The table of fields by bit. */
export function fieldsOf(dims: readonly Dimension[]): number[] {
  const [first, shifts] = [firstLinks(dims), shiftsOf(dims)];
  return dims.flatMap((dim, hop) => {
    const bits = bitsOf(dim);
    const field = (first[hop] << 10) | (bits << 5) | shifts[hop];
    return new Array(hop === dims.length - 1 ? 1 : bits).fill(field);
  });
}

/**
 * The next link and tag of an item at a PE.
 * @param all its coordinates @param own those of the PE @param from first bit of the hops to come
 */
export function wayOn(
  fields: ConveyorRoute["fields"],
  all: number,
  own: number,
  from: number,
): readonly [link: number, tag: number] {
  const last = fields.length - 1;
  const differing = ((all ^ own) & (-1 << from)) | (1 << last);
  const field = fields[31 - Math.clz32(differing & -differing)];
  const [shift, bits] = [field & 31, (field >>> 5) & 31];
  const link = (field >>> 10) + ((all >>> shift) & maskOf(bits));
  return [link, ((all >>> (shift + bits)) << shift) | (all & maskOf(shift))];
}

/** Fills the table of a PE. */
export function fillWays(
  { size, tag: all, fields }: ConveyorRoute,
  rank: number,
  { link, tag }: Pick<Ways, "link" | "tag">,
): void {
  for (let dest = 0; dest < size; dest++) [link[dest], tag[dest]] = wayOn(fields, all[dest], all[rank], 0);
}
