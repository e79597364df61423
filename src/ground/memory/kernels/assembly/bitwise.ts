/* Bitwise and, or, exclusive or, of integers only. */
import { combine, Operator } from "./combine";

class And<T extends number> extends Operator<T> {
  @inline scalar(a: T, b: T): T {
    return (a & b) as T;
  }
  @inline vector(a: v128, b: v128): v128 {
    return v128.and(a, b);
  }
}

class Or<T extends number> extends Operator<T> {
  @inline scalar(a: T, b: T): T {
    return (a | b) as T;
  }
  @inline vector(a: v128, b: v128): v128 {
    return v128.or(a, b);
  }
}

class Xor<T extends number> extends Operator<T> {
  @inline scalar(a: T, b: T): T {
    return (a ^ b) as T;
  }
  @inline vector(a: v128, b: v128): v128 {
    return v128.xor(a, b);
  }
}

export function and_i8(dst: usize, src: usize, count: usize): void {
  combine<i8, And<i8>>(dst, src, count);
}
export function and_u8(dst: usize, src: usize, count: usize): void {
  combine<u8, And<u8>>(dst, src, count);
}
export function and_i16(dst: usize, src: usize, count: usize): void {
  combine<i16, And<i16>>(dst, src, count);
}
export function and_u16(dst: usize, src: usize, count: usize): void {
  combine<u16, And<u16>>(dst, src, count);
}
export function and_i32(dst: usize, src: usize, count: usize): void {
  combine<i32, And<i32>>(dst, src, count);
}
export function and_u32(dst: usize, src: usize, count: usize): void {
  combine<u32, And<u32>>(dst, src, count);
}
export function and_i64(dst: usize, src: usize, count: usize): void {
  combine<i64, And<i64>>(dst, src, count);
}
export function and_u64(dst: usize, src: usize, count: usize): void {
  combine<u64, And<u64>>(dst, src, count);
}

export function or_i8(dst: usize, src: usize, count: usize): void {
  combine<i8, Or<i8>>(dst, src, count);
}
export function or_u8(dst: usize, src: usize, count: usize): void {
  combine<u8, Or<u8>>(dst, src, count);
}
export function or_i16(dst: usize, src: usize, count: usize): void {
  combine<i16, Or<i16>>(dst, src, count);
}
export function or_u16(dst: usize, src: usize, count: usize): void {
  combine<u16, Or<u16>>(dst, src, count);
}
export function or_i32(dst: usize, src: usize, count: usize): void {
  combine<i32, Or<i32>>(dst, src, count);
}
export function or_u32(dst: usize, src: usize, count: usize): void {
  combine<u32, Or<u32>>(dst, src, count);
}
export function or_i64(dst: usize, src: usize, count: usize): void {
  combine<i64, Or<i64>>(dst, src, count);
}
export function or_u64(dst: usize, src: usize, count: usize): void {
  combine<u64, Or<u64>>(dst, src, count);
}

export function xor_i8(dst: usize, src: usize, count: usize): void {
  combine<i8, Xor<i8>>(dst, src, count);
}
export function xor_u8(dst: usize, src: usize, count: usize): void {
  combine<u8, Xor<u8>>(dst, src, count);
}
export function xor_i16(dst: usize, src: usize, count: usize): void {
  combine<i16, Xor<i16>>(dst, src, count);
}
export function xor_u16(dst: usize, src: usize, count: usize): void {
  combine<u16, Xor<u16>>(dst, src, count);
}
export function xor_i32(dst: usize, src: usize, count: usize): void {
  combine<i32, Xor<i32>>(dst, src, count);
}
export function xor_u32(dst: usize, src: usize, count: usize): void {
  combine<u32, Xor<u32>>(dst, src, count);
}
export function xor_i64(dst: usize, src: usize, count: usize): void {
  combine<i64, Xor<i64>>(dst, src, count);
}
export function xor_u64(dst: usize, src: usize, count: usize): void {
  combine<u64, Xor<u64>>(dst, src, count);
}
