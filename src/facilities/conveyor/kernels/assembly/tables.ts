/*
 * Tables: items are added to the elements that they name, or elements are copied for queries.
 *
 * An index is a u32. The loops stop at the first one that is not below the table's length, and give its number: what
 * comes before it was done, and nothing of it. Indices and values of other types become columns of fitting ones first.
 */

/** Does something to the element at `at`, with the value at `value`. */
abstract class Sink {
  abstract put(at: usize, value: usize): void;
}

class Count<T extends number> extends Sink {
  @inline put(at: usize, _value: usize): void {
    store<T>(at, (load<T>(at) + (1 as T)) as T);
  }
}

class Sum<T extends number> extends Sink {
  @inline put(at: usize, value: usize): void {
    store<T>(at, (load<T>(at) + load<T>(value)) as T);
  }
}

class Min<T extends number> extends Sink {
  @inline put(at: usize, value: usize): void {
    store<T>(at, min<T>(load<T>(at), load<T>(value)));
  }
}

class Max<T extends number> extends Sink {
  @inline put(at: usize, value: usize): void {
    store<T>(at, max<T>(load<T>(at), load<T>(value)));
  }
}

class Replace<T extends number> extends Sink {
  @inline put(at: usize, value: usize): void {
    store<T>(at, load<T>(value));
  }
}

/* The order of both is that of kernels/tables.ts. */
const COUNT: u32 = 0;
const SUM: u32 = 1;
const MIN: u32 = 2;
const MAX: u32 = 3;
const I8: u32 = 0;
const U8: u32 = 1;
const I16: u32 = 2;
const U16: u32 = 3;
const I32: u32 = 4;
const U32: u32 = 5;
const I64: u32 = 6;
const U64: u32 = 7;
const F32: u32 = 8;

/**
 * Adds `count` items to a table of `length` elements of a type: the index of item k is at `index + k * indexStep`, its
 * value at `value + k * valueStep`.
 * @returns how many were added
 */
export function accumulate(
  op: u32,
  type: u32,
  table: usize,
  length: u32,
  index: usize,
  indexStep: u32,
  value: usize,
  valueStep: u32,
  count: u32,
): u32 {
  switch (type) {
    case I8:
      return by<i8>(op, table, length, index, indexStep, value, valueStep, count);
    case U8:
      return by<u8>(op, table, length, index, indexStep, value, valueStep, count);
    case I16:
      return by<i16>(op, table, length, index, indexStep, value, valueStep, count);
    case U16:
      return by<u16>(op, table, length, index, indexStep, value, valueStep, count);
    case I32:
      return by<i32>(op, table, length, index, indexStep, value, valueStep, count);
    case U32:
      return by<u32>(op, table, length, index, indexStep, value, valueStep, count);
    case I64:
      return by<i64>(op, table, length, index, indexStep, value, valueStep, count);
    case U64:
      return by<u64>(op, table, length, index, indexStep, value, valueStep, count);
    case F32:
      return by<f32>(op, table, length, index, indexStep, value, valueStep, count);
    default:
      return by<f64>(op, table, length, index, indexStep, value, valueStep, count);
  }
}

function by<T extends number>(
  op: u32,
  table: usize,
  length: u32,
  index: usize,
  indexStep: u32,
  value: usize,
  valueStep: u32,
  count: u32,
): u32 {
  switch (op) {
    case COUNT:
      return each<T, Count<T>>(table, length, index, indexStep, value, valueStep, count);
    case SUM:
      return each<T, Sum<T>>(table, length, index, indexStep, value, valueStep, count);
    case MIN:
      return each<T, Min<T>>(table, length, index, indexStep, value, valueStep, count);
    case MAX:
      return each<T, Max<T>>(table, length, index, indexStep, value, valueStep, count);
    default:
      return each<T, Replace<T>>(table, length, index, indexStep, value, valueStep, count);
  }
}

function each<T extends number, S extends Sink>(
  table: usize,
  length: u32,
  index: usize,
  indexStep: u32,
  value: usize,
  valueStep: u32,
  count: u32,
): u32 {
  const sink = changetype<S>(0);
  for (let k: u32 = 0; k < count; k++) {
    const i = load<u32>(index);
    if (i >= length) return k;
    sink.put(table + (i as usize) * sizeof<T>(), value);
    index += indexStep;
    value += valueStep;
  }
  return count;
}

/**
 * Copies the elements of `bytes` bytes (1, 2, 4 or 8) that `count` queries name to a column at `to`; gives how many it
 * was.
 */
export function lookUp(
  to: usize,
  bytes: u32,
  table: usize,
  length: u32,
  index: usize,
  indexStep: u32,
  count: u32,
): u32 {
  switch (bytes) {
    case 1:
      return copies<u8>(to, table, length, index, indexStep, count);
    case 2:
      return copies<u16>(to, table, length, index, indexStep, count);
    case 4:
      return copies<u32>(to, table, length, index, indexStep, count);
    default:
      return copies<u64>(to, table, length, index, indexStep, count);
  }
}

function copies<T>(to: usize, table: usize, length: u32, index: usize, indexStep: u32, count: u32): u32 {
  for (let k: u32 = 0; k < count; k++) {
    const i = load<u32>(index);
    if (i >= length) return k;
    store<T>(to, load<T>(table + (i as usize) * sizeof<T>()));
    to += sizeof<T>();
    index += indexStep;
  }
  return count;
}

class Integer {
  /** Of a type, as an i64: what is too large is negative. */
  @inline static load(at: usize, type: u32): i64 {
    switch (type) {
      case I8:
        return load<i8>(at) as i64;
      case U8:
        return load<u8>(at) as i64;
      case I16:
        return load<i16>(at) as i64;
      case U16:
        return load<u16>(at) as i64;
      case I32:
        return load<i32>(at) as i64;
      case U32:
        return load<u32>(at) as i64;
      default:
        return load<i64>(at);
    }
  }
}

/** No table is so long. */
const NO_INDEX: u32 = u32.MAX_VALUE;

/**
 * Copies integers of a type, `step` bytes apart from `from` on, to a column of indices: what is no u32 becomes {@link
 * NO_INDEX}.
 */
export function indices(to: usize, from: usize, type: u32, step: u32, count: u32): void {
  for (; count > 0; count--) {
    const value = Integer.load(from, type);
    store<u32>(to, value < 0 || value > (NO_INDEX as i64) ? NO_INDEX : (value as u32));
    to += 4;
    from += step;
  }
}

/**
 * Copies numbers of a type of at most 32 bits, `step` bytes apart from `from` on, to a column of a type that has all of
 * them.
 */
export function widen(to: usize, toType: u32, from: usize, type: u32, step: u32, count: u32): void {
  for (; count > 0; count--) {
    // f64 has them all
    const value = type === F32 ? (load<f32>(from) as f64) : (Integer.load(from, type) as f64);
    if (toType === I16 || toType === U16) {
      store<u16>(to, value as i32 as u16);
      to += 2;
    } else if (toType === I32 || toType === U32) {
      store<u32>(to, value as i32 as u32);
      to += 4;
    } else if (toType === F32) {
      store<f32>(to, value as f32);
      to += 4;
    } else {
      store<f64>(to, value);
      to += 8;
    }
    from += step;
  }
}
