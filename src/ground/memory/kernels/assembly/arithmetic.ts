/* Sum and product. Integers wrap around; f32 and f64 round once per step, to their own precision. */
import { combine, Operator } from "./combine";

class Sum<T extends number> extends Operator<T> {
  @inline scalar(a: T, b: T): T {
    return (a + b) as T;
  }
  @inline vector(a: v128, b: v128): v128 {
    return v128.add<T>(a, b);
  }
}

class Prod<T extends number> extends Operator<T> {
  @inline scalar(a: T, b: T): T {
    return (a * b) as T;
  }
  @inline vector(a: v128, b: v128): v128 {
    return sizeof<T>() === 1 ? this.bytes(a, b) : v128.mul<T>(a, b);
  }

  /**
   * Multiplies 16 bytes; SIMD has no instruction for it. The low byte of a 16-bit product depends on
   * the low bytes of its factors alone, signed or not: one product of pairs as they are gives the
   * even bytes, one of pairs shifted down the odd ones. E.g. (0x0203 * 0x0405) & 0xff = 3 * 5.
   */
  @inline bytes(a: v128, b: v128): v128 {
    const even = v128.mul<i16>(a, b);
    const odd = v128.mul<i16>(v128.shr<u16>(a, 8), v128.shr<u16>(b, 8));
    return v128.bitselect(even, v128.shl<i16>(odd, 8), v128.splat<i16>(0xff));
  }
}

export function sum_i8(dst: usize, src: usize, count: usize): void {
  combine<i8, Sum<i8>>(dst, src, count);
}
export function sum_u8(dst: usize, src: usize, count: usize): void {
  combine<u8, Sum<u8>>(dst, src, count);
}
export function sum_i16(dst: usize, src: usize, count: usize): void {
  combine<i16, Sum<i16>>(dst, src, count);
}
export function sum_u16(dst: usize, src: usize, count: usize): void {
  combine<u16, Sum<u16>>(dst, src, count);
}
export function sum_i32(dst: usize, src: usize, count: usize): void {
  combine<i32, Sum<i32>>(dst, src, count);
}
export function sum_u32(dst: usize, src: usize, count: usize): void {
  combine<u32, Sum<u32>>(dst, src, count);
}
export function sum_i64(dst: usize, src: usize, count: usize): void {
  combine<i64, Sum<i64>>(dst, src, count);
}
export function sum_u64(dst: usize, src: usize, count: usize): void {
  combine<u64, Sum<u64>>(dst, src, count);
}
export function sum_f32(dst: usize, src: usize, count: usize): void {
  combine<f32, Sum<f32>>(dst, src, count);
}
export function sum_f64(dst: usize, src: usize, count: usize): void {
  combine<f64, Sum<f64>>(dst, src, count);
}

export function prod_i8(dst: usize, src: usize, count: usize): void {
  combine<i8, Prod<i8>>(dst, src, count);
}
export function prod_u8(dst: usize, src: usize, count: usize): void {
  combine<u8, Prod<u8>>(dst, src, count);
}
export function prod_i16(dst: usize, src: usize, count: usize): void {
  combine<i16, Prod<i16>>(dst, src, count);
}
export function prod_u16(dst: usize, src: usize, count: usize): void {
  combine<u16, Prod<u16>>(dst, src, count);
}
export function prod_i32(dst: usize, src: usize, count: usize): void {
  combine<i32, Prod<i32>>(dst, src, count);
}
export function prod_u32(dst: usize, src: usize, count: usize): void {
  combine<u32, Prod<u32>>(dst, src, count);
}
export function prod_i64(dst: usize, src: usize, count: usize): void {
  combine<i64, Prod<i64>>(dst, src, count);
}
export function prod_u64(dst: usize, src: usize, count: usize): void {
  combine<u64, Prod<u64>>(dst, src, count);
}
export function prod_f32(dst: usize, src: usize, count: usize): void {
  combine<f32, Prod<f32>>(dst, src, count);
}
export function prod_f64(dst: usize, src: usize, count: usize): void {
  combine<f64, Prod<f64>>(dst, src, count);
}
