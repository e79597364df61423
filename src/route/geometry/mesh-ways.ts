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
 * The links of all hops are numbered one after another. Which one an item takes depends on the PE, so each has a table
 * of its own, 8 bytes for each destination. Of three hops the pivot after the first one has to choose among two
 * (kernels/assembly/mesh.ts); what comes over the others goes on over the last one.
 *
 * Source: Narayanan, "Generalizing Fine-Grained Message Aggregation", section 2.1, and NDMeshStreamer of Charm++:
 * buffers per PE are the sum of s_d - 1, and items to oneself need none; here they have one, so that they come in the
 * same way as others.
 *
 * Example, 3 x 2: PE 1 = (x1 0, x0 1) has link 1 to PE 4 at hop 0, and 2, 3 and 4 to PEs 0, 1 and 2 at hop 1. An item
 * for 5 takes link 1 with tag x0' = 2, one for 2 takes link 4 with tag x1 = 0.
 */
import { type ConveyorRoute, friendsOf } from "./route.ts";

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
export function firstLinks({ dims }: ConveyorRoute): number[] {
  let next = 0;
  return (dims ?? []).map(({ size }) => {
    next += size;
    return next - size;
  });
}

/** Fills the table of a PE. */
export function fillWays(route: ConveyorRoute, rank: number, { link, tag }: Pick<Ways, "link" | "tag">): void {
  const own = friendsOf(route, rank).map(({ self }) => self);
  const first = firstLinks(route);
  const { each } = route;
  for (let dest = 0; dest < route.size; dest++) {
    let hop = 0;
    let on = route.link[dest] as number;
    let left = route.tag[dest] as number;
    for (;;) {
      const { turn } = each[hop] as ConveyorRoute["each"][number];
      const self = own[hop] as number;
      if (turn === null || on !== self) break;
      on = (left >>> turn.linkShift) & turn.linkMask;
      left = (self << turn.sourceShift) | ((left >>> turn.keepShift) & turn.keepMask);
      hop++;
    }
    link[dest] = (first[hop] as number) + on;
    tag[dest] = left;
  }
}
