/* Minimum and maximum. For f32 and f64 as in Math.min and Math.max: NaN wins, and -0 < +0. */
import { combine, Operator } from "./combine";

/**
 * All ones in the 64-bit lanes where a < b. SIMD compares such lanes only as signed numbers;
 * flipping the top bit of both sides maps the unsigned order on the signed one.
 */
function less64<T extends number>(a: v128, b: v128): v128 {
  if (isSigned<T>()) return v128.lt<i64>(a, b);
  const top = v128.splat<i64>(i64.MIN_VALUE);
  return v128.lt<i64>(v128.xor(a, top), v128.xor(b, top));
}

class Min<T extends number> extends Operator<T> {
  @inline scalar(a: T, b: T): T {
    return min<T>(a, b);
  }
  @inline vector(a: v128, b: v128): v128 {
    if (isInteger<T>() && sizeof<T>() === 8) return v128.bitselect(a, b, less64<T>(a, b));
    return v128.min<T>(a, b);
  }
}

class Max<T extends number> extends Operator<T> {
  @inline scalar(a: T, b: T): T {
    return max<T>(a, b);
  }
  @inline vector(a: v128, b: v128): v128 {
    if (isInteger<T>() && sizeof<T>() === 8) return v128.bitselect(b, a, less64<T>(a, b));
    return v128.max<T>(a, b);
  }
}

export function min_i8(dst: usize, src: usize, count: usize): void {
  combine<i8, Min<i8>>(dst, src, count);
}
export function min_u8(dst: usize, src: usize, count: usize): void {
  combine<u8, Min<u8>>(dst, src, count);
}
export function min_i16(dst: usize, src: usize, count: usize): void {
  combine<i16, Min<i16>>(dst, src, count);
}
export function min_u16(dst: usize, src: usize, count: usize): void {
  combine<u16, Min<u16>>(dst, src, count);
}
export function min_i32(dst: usize, src: usize, count: usize): void {
  combine<i32, Min<i32>>(dst, src, count);
}
export function min_u32(dst: usize, src: usize, count: usize): void {
  combine<u32, Min<u32>>(dst, src, count);
}
export function min_i64(dst: usize, src: usize, count: usize): void {
  combine<i64, Min<i64>>(dst, src, count);
}
export function min_u64(dst: usize, src: usize, count: usize): void {
  combine<u64, Min<u64>>(dst, src, count);
}
export function min_f32(dst: usize, src: usize, count: usize): void {
  combine<f32, Min<f32>>(dst, src, count);
}
export function min_f64(dst: usize, src: usize, count: usize): void {
  combine<f64, Min<f64>>(dst, src, count);
}

export function max_i8(dst: usize, src: usize, count: usize): void {
  combine<i8, Max<i8>>(dst, src, count);
}
export function max_u8(dst: usize, src: usize, count: usize): void {
  combine<u8, Max<u8>>(dst, src, count);
}
export function max_i16(dst: usize, src: usize, count: usize): void {
  combine<i16, Max<i16>>(dst, src, count);
}
export function max_u16(dst: usize, src: usize, count: usize): void {
  combine<u16, Max<u16>>(dst, src, count);
}
export function max_i32(dst: usize, src: usize, count: usize): void {
  combine<i32, Max<i32>>(dst, src, count);
}
export function max_u32(dst: usize, src: usize, count: usize): void {
  combine<u32, Max<u32>>(dst, src, count);
}
export function max_i64(dst: usize, src: usize, count: usize): void {
  combine<i64, Max<i64>>(dst, src, count);
}
export function max_u64(dst: usize, src: usize, count: usize): void {
  combine<u64, Max<u64>>(dst, src, count);
}
export function max_f32(dst: usize, src: usize, count: usize): void {
  combine<f32, Max<f32>>(dst, src, count);
}
export function max_f64(dst: usize, src: usize, count: usize): void {
  combine<f64, Max<f64>>(dst, src, count);
}
