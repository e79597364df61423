/*
 * Pivots in a mesh of three dimensions after the first hop: an item that is at its second coordinate leaves out the
 * second hop (geometry/mesh-ways.ts). Its link is then one of the third hop, whose places follow those of the second.
 *
 *     tag      ┌────┬────┐  over the second hop:  ┌────┬────┐  over the third:  ┌────┬────┐
 *     of hop 0 │ b' │ c' │ ───────▶ link b', tag  │ a  │ c' │   link c', tag    │ b  │ a  │
 *              └────┴────┘                        └────┴────┘                   └────┴────┘
 */
import { Bytes, Tag } from "./move";

/** As in pivot.ts. */
const HEAD: u32 = 8;
const REFERENCE_PACKET: u32 = 16;

/**
 * As pivot (pivot.ts), with tags of `width` bytes at all hops.
 * @param mark what the tags of the second hop have of the link that the items came over
 * @param passed the tags of those that leave it out
 * @param own this PE's coordinate along the second hop @param shift bits of the third coordinate
 * @param passes links of the second hop, before those of the third
 * @param at of the first place of the second hop
 */
export function pivotMesh(
  from: usize,
  fromTag: usize,
  left: u32,
  stride: u32,
  width: u32,
  mark: u32,
  passed: u32,
  own: u32,
  shift: u32,
  passes: u32,
  at: usize,
  links: u32,
  last: usize,
): u32 {
  const item = changetype<Bytes>(0);
  const ends: usize = links << 2;
  const low: u32 = (1 << shift) - 1;
  let link: u32 = 0;
  while (left > 0) {
    fromTag -= width;
    const tag = Tag.load(fromTag, width);
    const second = tag >> shift;
    const third = tag & low;
    const isPassed = second === own;
    link = select<u32>(passes + third, second, isPassed);
    const place = at + (link << 2);
    const to = load<u32>(place);
    const limit = load<u32>(place + ends);
    if (to === limit) break;
    item.move(to, from, stride);
    const tagAt = load<u32>(place + 2 * ends);
    Tag.store(tagAt, select<u32>(passed, mark | third, isPassed), width);
    store<u32>(place + 2 * ends, tagAt - width);
    const next = to + stride;
    store<u32>(place, next);
    from += stride;
    left--;
    if (next === limit) break;
  }
  store<u32>(last, link);
  return left;
}

/** As pivotPackets (pivot.ts); for the others see {@link pivotMesh}. */
export function pivotPacketsMesh(
  from: usize,
  end: usize,
  mark: u32,
  passed: u32,
  own: u32,
  shift: u32,
  passes: u32,
  at: usize,
  links: u32,
  last: usize,
  margin: u32,
  direct: u32,
): usize {
  const item = changetype<Bytes>(0);
  const ends: usize = links << 2;
  const low: u32 = (1 << shift) - 1;
  let stop: u32 = 0;
  while (from < end) {
    const tag = load<u32>(from);
    const descriptor = load<u32>(from, 4);
    const isReference = descriptor & 1;
    const isDirect = isReference | u32(descriptor >> 1 > direct);
    const size = isReference ? REFERENCE_PACKET : HEAD + (((descriptor >> 1) + 7) & ~7);
    const second = tag >> shift;
    const third = tag & low;
    const isPassed = second === own;
    const link = select<u32>(passes + third, second, isPassed);
    const place = at + (link << 2);
    const to = load<u32>(place);
    const limit = load<u32>(place + ends);
    stop = link << 1;
    if (to === 0 || to + size > limit) break;
    item.move(to, from, size);
    store<u32>(to, select<u32>(passed, mark | third, isPassed));
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
