/*
 * Pivot: items that came over one hop are copied into the open buffers of the next, as their tags say
 * (geometry/route.ts).
 */
import { ByteMove, Tag } from "./move";

/**
 * Copies up to `left` items, the first at `from`, its tag below `fromTag`, until a link is full, or has no room.
 * @param widths of the tags of this hop, and in the next byte of the next hop
 * @param mark what the tags of the next hop have of the link that the items came over
 * @param at of the first link's place, see scatter
 * @param last where the link of the last item that was copied, or of the one without room, is stored
 * @returns how many are left
 */
export function pivot(
  from: usize,
  fromTag: usize,
  left: u32,
  stride: u32,
  widths: u32,
  mark: u32,
  linkShift: u32,
  linkMask: u32,
  keepShift: u32,
  keepMask: u32,
  at: usize,
  links: u32,
  last: usize,
): u32 {
  const item = changetype<ByteMove>(0);
  const ends: usize = links << 2;
  const width = widths & 255;
  const nextWidth = widths >> 8;
  let link: u32 = 0;
  while (left > 0) {
    fromTag -= width;
    const tag = Tag.load(fromTag, width);
    link = (tag >> linkShift) & linkMask;
    const place = at + (link << 2);
    const to = load<u32>(place);
    const limit = load<u32>(place + ends);
    if (to === limit) break;
    item.move(to, from, stride);
    const tagAt = load<u32>(place + 2 * ends);
    Tag.store(tagAt, mark | ((tag >> keepShift) & keepMask), nextWidth);
    store<u32>(place + 2 * ends, tagAt - nextWidth);
    const next = to + stride;
    store<u32>(place, next);
    from += stride;
    left--;
    if (next === limit) break;
  }
  store<u32>(last, link);
  return left;
}

/** Bytes before those of a packet's item, and those of a packet that holds a reference (engine/packets.ts). */
const HEAD: u32 = 8;
const REFERENCE_PACKET: u32 = 16;

/**
 * As {@link pivot}, for packets from `from` to `end`, until one was copied that is sent at once, or that leaves less
 * room than `margin`, or until there is no room for the next one.
 * @param last where twice the link of the last packet that was looked at is stored, plus one if it was copied and is
 *   sent at once
 * @param direct items of more bytes are sent at once, and references
 * @returns where the first packet is that was not copied
 */
export function pivotPackets(
  from: usize,
  end: usize,
  mark: u32,
  linkShift: u32,
  linkMask: u32,
  keepShift: u32,
  keepMask: u32,
  at: usize,
  links: u32,
  last: usize,
  margin: u32,
  direct: u32,
): usize {
  const item = changetype<ByteMove>(0);
  const ends: usize = links << 2;
  let stop: u32 = 0;
  while (from < end) {
    const tag = load<u32>(from);
    const descriptor = load<u32>(from, 4);
    const isReference = descriptor & 1;
    const isDirect = isReference | u32(descriptor >> 1 > direct);
    const size = isReference ? REFERENCE_PACKET : HEAD + (((descriptor >> 1) + 7) & ~7);
    const link = (tag >> linkShift) & linkMask;
    const place = at + (link << 2);
    const to = load<u32>(place);
    const limit = load<u32>(place + ends);
    stop = link << 1;
    if (to === 0 || to + size > limit) break;
    item.move(to, from, size);
    store<u32>(to, mark | ((tag >> keepShift) & keepMask));
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
