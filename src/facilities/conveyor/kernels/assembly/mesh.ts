/*
 * Pivots in a mesh where more than one hop is to come: an item leaves out those along which it is at its coordinate. A
 * table says which hop is next, by the lowest bit in which its coordinates differ from this PE's
 * (geometry/mesh-ways.ts). Links are those of all hops, numbered one after another.
 *
 *     tag of hop 0              all coordinates              tag of the next hop, here 1
 *     ┌────┬────┬────┐     ┌────┬────┬────┬────┐                  ┌────┬────┬────┐
 *     │ d' │ c' │ b' │ ──▶ │ d' │ c' │ b' │ a  │ ──▶ link b', tag │ d' │ c' │ a  │
 *     └────┴────┴────┘     └────┴────┴────┴────┘                  └────┴────┴────┘
 */
import { ByteMove, Tag } from "./move";

/** As in pivot.ts. */
const HEAD: u32 = 8;
const REFERENCE_PACKET: u32 = 16;

/**
 * A field of the coordinates: where it begins in the lowest 5 bits, its bits in the next 5, and above them the first
 * link of its hop. Shifts take the lowest 5 bits of their count.
 */
class Field {
  /** The tag without the field. */
  @inline static remove(all: u32, field: u32): u32 {
    return (((all >> field) >> (field >> 5)) << field) | (all & ~(-1 << field));
  }

  /** The link that it names, of those of all hops. */
  @inline static link(all: u32, field: u32): u32 {
    return (field >> 10) + ((all >> field) & ~(-1 << (field >> 5)));
  }

  /** That with the lowest of some bits. */
  @inline static next(fields: usize, differing: u32): u32 {
    return load<u32>(fields + (ctz(differing) << 2));
  }
}

/**
 * As pivot (pivot.ts), with tags of `width` bytes at all hops.
 * @param mark the link that the items came over, in its field @param own the coordinates of this PE
 * @param field of the hop that they came over @param count of the table `fields`, by bit
 * @param at of the first place of the first hop
 */
export function pivotMesh(
  from: usize,
  fromTag: usize,
  left: u32,
  stride: u32,
  width: u32,
  mark: u32,
  own: u32,
  field: u32,
  count: u32,
  fields: usize,
  at: usize,
  links: u32,
  last: usize,
): u32 {
  const item = changetype<ByteMove>(0);
  const ends: usize = links << 2;
  const low: u32 = ~(-1 << field);
  const done: u32 = (field & 31) + ((field >> 5) & 31);
  const ownLater = own >> done;
  const lastHop: u32 = 1 << (count - 1 - done);
  fields += done << 2;
  let link: u32 = 0;
  while (left > 0) {
    fromTag -= width;
    const tag = Tag.load(fromTag, width);
    const later = tag >> field;
    const next = Field.next(fields, (later ^ ownLater) | lastHop);
    const all = (later << done) | mark | (tag & low);
    link = Field.link(all, next);
    const place = at + (link << 2);
    const to = load<u32>(place);
    const limit = load<u32>(place + ends);
    if (to === limit) break;
    item.move(to, from, stride);
    const tagAt = load<u32>(place + 2 * ends);
    Tag.store(tagAt, Field.remove(all, next), width);
    store<u32>(place + 2 * ends, tagAt - width);
    const after = to + stride;
    store<u32>(place, after);
    from += stride;
    left--;
    if (after === limit) break;
  }
  store<u32>(last, link);
  return left;
}

/** As pivotPackets (pivot.ts); for the others see {@link pivotMesh}. */
export function pivotPacketsMesh(
  from: usize,
  end: usize,
  mark: u32,
  own: u32,
  field: u32,
  count: u32,
  fields: usize,
  at: usize,
  links: u32,
  last: usize,
  margin: u32,
  direct: u32,
): usize {
  const item = changetype<ByteMove>(0);
  const ends: usize = links << 2;
  const low: u32 = ~(-1 << field);
  const done: u32 = (field & 31) + ((field >> 5) & 31);
  const ownLater = own >> done;
  const lastHop: u32 = 1 << (count - 1 - done);
  fields += done << 2;
  let stop: u32 = 0;
  while (from < end) {
    const tag = load<u32>(from);
    const descriptor = load<u32>(from, 4);
    const isReference = descriptor & 1;
    const isDirect = isReference | u32(descriptor >> 1 > direct);
    const size = isReference ? REFERENCE_PACKET : HEAD + (((descriptor >> 1) + 7) & ~7);
    const later = tag >> field;
    const next = Field.next(fields, (later ^ ownLater) | lastHop);
    const all = (later << done) | mark | (tag & low);
    const link = Field.link(all, next);
    const place = at + (link << 2);
    const to = load<u32>(place);
    const limit = load<u32>(place + ends);
    stop = link << 1;
    if (to === 0 || to + size > limit) break;
    item.move(to, from, size);
    store<u32>(to, Field.remove(all, next));
    const packets = place + 3 * ends;
    store<u32>(packets, load<u32>(packets) + 1);
    store<u32>(place, to + size);
    from += size;
    stop |= isDirect;
    if (isDirect || to + size + margin > limit) break;
  }
  store<u32>(last, stop);
  return from;
}
