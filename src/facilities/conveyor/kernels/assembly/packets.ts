/*
 * Packets (engine/packets.ts): items of any length from a column of bytes into the open buffers of links, and back.
 *
 *     offsets   ┌───┬───┬───┬───┐        item i is bytes[offsets[i]] to bytes[offsets[i + 1] - 1]; the last offset is
 *               │ 0 │ 3 │ 3 │ 8 │        where the last item ends
 *               └───┴───┴───┴───┘
 */
import { Loose, Tag } from "./move";

/** Bytes before those of a packet's item, and what its size is a multiple of. */
const HEAD: u32 = 8;
const ALIGN: u32 = 8;

class Packet {
  @inline static bytes(length: u32): u32 {
    return HEAD + ((length + (ALIGN - 1)) & ~(ALIGN - 1));
  }
}

/**
 * Copies items `i` to `end` - 1 into packets, until one has no room or left less than `margin`, or is not like this:
 * its destination below `size`, its bytes from `low` to `high`, not more than `most`.
 * @param bytes where byte 0 would be
 * @param routes by destination, the link, and `size` words later the tag; 0 if links are destinations
 * @param at of the first link's place, see scatter
 * @returns the number of the first item that was not copied
 */
export function pushPackets(
  dests: usize,
  offsets: usize,
  bytes: usize,
  i: u32,
  end: u32,
  low: u32,
  high: u32,
  size: u32,
  most: u32,
  routes: usize,
  at: usize,
  links: u32,
  margin: u32,
): u32 {
  const lastSource = Loose.lastSource;
  const ends: usize = links << 2;
  for (; i < end; i++) {
    const dest = load<u32>(dests + (i << 2));
    const from = load<u32>(offsets + (i << 2));
    const next = load<u32>(offsets + (i << 2), 4);
    if (dest >= size || from < low || next < from || next > high) return i;
    const length = next - from;
    if (length > most) return i;
    let link = dest;
    let tag: u32 = 0;
    if (routes !== 0) {
      const route = routes + (dest << 2);
      link = load<u32>(route);
      tag = load<u32>(route + (size << 2));
    }
    const place = at + (link << 2);
    const to = load<u32>(place);
    const limit = load<u32>(place + ends);
    const after = to + Packet.bytes(length);
    if (to === 0 || after > limit) return i;
    store<u32>(to, tag);
    store<u32>(to, length << 1, 4);
    // what is behind the packet in its buffer is free
    Loose.move(to + HEAD, bytes + from, length, lastSource, limit - Loose.most);
    const packets = place + 3 * ends;
    store<u32>(packets, load<u32>(packets) + 1);
    store<u32>(place, after);
    if (after + margin > limit) return i + 1;
  }
  return i;
}

/**
 * Number of packets from `from` on, up to the first one that holds a reference, whose columns take at most `room`
 * bytes.
 */
export function countPackets(from: usize, end: usize, room: u32): u32 {
  let count: u32 = 0;
  // the last offset
  let taken: u32 = 4;
  while (from < end) {
    const descriptor = load<u32>(from, 4);
    if (descriptor & 1) break;
    const length = descriptor >> 1;
    // an offset and a sender
    taken += 8 + length;
    if (taken > room) break;
    from += Packet.bytes(length);
    count++;
  }
  return count;
}

/**
 * Copies `count` packets from `from` on to columns: offsets, senders, bytes.
 * @param end of the memory for the bytes
 * @param senders 0 if all have the same sender; for the others see senders in ring.ts
 * @returns where the last packet is
 */
export function pullPackets(
  from: usize,
  count: u32,
  offsets: usize,
  bytes: usize,
  end: usize,
  senders: usize,
  ranks: usize,
  before: u32,
  plane: u32,
  low: u32,
): usize {
  const lastSource = Loose.lastSource;
  let at: u32 = 0;
  let last = from;
  store<u32>(offsets, 0);
  for (; count > 0; count--) {
    const length = load<u32>(from, 4) >> 1;
    // what is behind it is overwritten by the next one
    Loose.move(bytes + at, from + HEAD, length, lastSource, end - Loose.most);
    if (senders !== 0) {
      store<u32>(senders, Tag.sender(load<u32>(from), ranks, before, plane, low));
      senders += 4;
    }
    at += length;
    offsets += 4;
    store<u32>(offsets, at);
    last = from;
    from += Packet.bytes(length);
  }
  return last;
}
