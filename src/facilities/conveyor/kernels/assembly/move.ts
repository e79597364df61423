/*
 * Copies of one item: how, for items of each size. A loop over items is made for each of these (AssemblyScript has no
 * other way to hand a function to a generic function than a class, called on a null object that the compiler inlines
 * away).
 *
 * Other lengths than those of a register are copied in pieces that overlap: 20 bytes are two pieces of 16, the second
 * one from byte 4 on. Nothing beyond the item is read or written.
 */

/** Copies `bytes` bytes from `from` to `to`, which do not overlap. */
export abstract class Move {
  abstract move(to: usize, from: usize, bytes: u32): void;
}

export class Word<T> extends Move {
  @inline move(to: usize, from: usize, _bytes: u32): void {
    store<T>(to, load<T>(from));
  }
}

/** 16 bytes. */
export class Vector extends Move {
  @inline move(to: usize, from: usize, _bytes: u32): void {
    v128.store(to, v128.load(from));
  }
}

/** 32 bytes. */
export class TwoVectors extends Move {
  @inline move(to: usize, from: usize, _bytes: u32): void {
    const head = v128.load(from);
    const tail = v128.load(from, 16);
    v128.store(to, head);
    v128.store(to, tail, 16);
  }
}

/** From 17 bytes on. */
export class Vectors extends Move {
  @inline move(to: usize, from: usize, bytes: u32): void {
    const last = bytes - 16;
    for (let at: u32 = 0; at < last; at += 16) v128.store(to + at, v128.load(from + at));
    v128.store(to + last, v128.load(from + last));
  }
}

/** From so many bytes on, as a call of memory.copy takes some 10 ns. */
const LONG: u32 = 512;

/** Any number of bytes. */
export class ByteMove extends Move {
  @inline move(to: usize, from: usize, bytes: u32): void {
    if (bytes >= LONG) memory.copy(to, from, bytes);
    else if (bytes >= 8) this.words<u64>(to, from, bytes);
    else if (bytes >= 4) this.words<u32>(to, from, bytes);
    else if (bytes >= 2) this.words<u16>(to, from, bytes);
    else store<u8>(to, load<u8>(from));
  }

  /** In words, the last of which may overlap the one before it. */
  @inline words<T>(to: usize, from: usize, bytes: u32): void {
    const last = bytes - sizeof<T>();
    for (let at: u32 = 0; at < last; at += sizeof<T>()) store<T>(to + at, load<T>(from + at));
    store<T>(to + last, load<T>(from + last));
  }
}

/**
 * Copies of items of any length, one after another. Short ones are copied as 32 bytes, whatever their length, as a
 * processor does not foresee how often a loop runs. So bytes behind the item are read, and those behind its copy are
 * overwritten.
 */
export class Loose {
  /** Bytes that are copied of an item of at most so many. */
  @inline static get most(): u32 {
    return 32;
  }

  /** The last address from which so many bytes can be read. */
  @inline static get lastSource(): usize {
    // of 4 GiB the end is 2^32, which is 0 here
    return ((memory.size() as usize) << 16) - Loose.most;
  }

  /** @param lastSource see there @param lastTarget the last address to which {@link most} bytes may be written */
  @inline static move(to: usize, from: usize, bytes: u32, lastSource: usize, lastTarget: usize): void {
    if (bytes <= Loose.most && from <= lastSource && to <= lastTarget) {
      const head = v128.load(from);
      const tail = v128.load(from, 16);
      v128.store(to, head);
      v128.store(to, tail, 16);
    } else if (bytes > 0) {
      changetype<ByteMove>(0).move(to, from, bytes);
    }
  }
}

/** The tag of an item, of 1, 2 or 4 bytes. */
export class Tag {
  @inline static load(at: usize, width: u32): u32 {
    return width === 1 ? load<u8>(at) : width === 2 ? load<u16>(at) : load<u32>(at);
  }

  @inline static store(at: usize, tag: u32, width: u32): void {
    if (width === 1) store<u8>(at, tag as u8);
    else if (width === 2) store<u16>(at, tag as u16);
    else store<u32>(at, tag);
  }
  /** The PE that has sent an item (Route.plane, row, low). @param before what the link contributes to the position */
  @inline static sender(tag: u32, ranks: usize, before: u32, plane: u32, low: u32): u32 {
    return load<u32>(ranks + (((tag >> 8) * plane + before + (tag & low)) << 2));
  }
}
