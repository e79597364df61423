/** The matrix product of ../matrix.c in AssemblyScript, with SIMD. Addresses and bytes are usize. */

const COLUMNS: i32 = 4;
const DEPTH: i32 = 256;
const WIDE: i32 = 128;
/** Bytes of two numbers, and of four. */
const PAIR: usize = 16;
const STRIP: usize = 32;

function pack(b: usize, line: usize, depth: i32, wide: i32, to: usize): void {
  for (let j = 0; j < wide; j += COLUMNS) {
    let from = b + ((<usize>j) << 3);
    for (let k = 0; k < depth; k++) {
      v128.store(to, v128.load(from));
      v128.store(to, v128.load(from, PAIR), PAIR);
      from += line;
      to += STRIP;
    }
  }
}

function add(c: usize, left: v128, right: v128): void {
  v128.store(c, f64x2.add(v128.load(c), left));
  v128.store(c, f64x2.add(v128.load(c, PAIR), right), PAIR);
}

/** Exported so that it stays a function of its own (see ../matrix.c). */
export function tile(a: usize, line: usize, b: usize, depth: i32, c: usize): void {
  let s00 = f64x2.splat(0);
  let s01 = s00;
  let s10 = s00;
  let s11 = s00;
  let s20 = s00;
  let s21 = s00;
  let s30 = s00;
  let s31 = s00;
  let p0 = a;
  let p1 = p0 + line;
  let p2 = p1 + line;
  let p3 = p2 + line;
  const end = a + ((<usize>depth) << 3);
  while (p0 < end) {
    const b0 = v128.load(b);
    const b1 = v128.load(b, PAIR);
    const a0 = v128.load_splat<f64>(p0);
    s00 = f64x2.add(f64x2.mul(a0, b0), s00);
    s01 = f64x2.add(f64x2.mul(a0, b1), s01);
    const a1 = v128.load_splat<f64>(p1);
    s10 = f64x2.add(f64x2.mul(a1, b0), s10);
    s11 = f64x2.add(f64x2.mul(a1, b1), s11);
    const a2 = v128.load_splat<f64>(p2);
    s20 = f64x2.add(f64x2.mul(a2, b0), s20);
    s21 = f64x2.add(f64x2.mul(a2, b1), s21);
    const a3 = v128.load_splat<f64>(p3);
    s30 = f64x2.add(f64x2.mul(a3, b0), s30);
    s31 = f64x2.add(f64x2.mul(a3, b1), s31);
    p0 += 8;
    p1 += 8;
    p2 += 8;
    p3 += 8;
    b += STRIP;
  }
  add(c, s00, s01);
  add(c + line, s10, s11);
  add(c + 2 * line, s20, s21);
  add(c + 3 * line, s30, s31);
}

export function multiply(a: usize, b: usize, c: usize, rows: i32, n: i32, packed: usize): void {
  const line = (<usize>n) << 3;
  memory.fill(c, 0, line * <usize>rows);
  for (let k = 0; k < n; k += DEPTH) {
    const depth = min(DEPTH, n - k);
    for (let j = 0; j < n; j += WIDE) {
      const wide = min(WIDE, n - j);
      pack(b + <usize>k * line + ((<usize>j) << 3), line, depth, wide, packed);
      for (let i = 0; i < rows; i += 4) {
        const first = a + <usize>i * line + ((<usize>k) << 3);
        const into = c + <usize>i * line + ((<usize>j) << 3);
        for (let w = 0; w < wide; w += COLUMNS)
          tile(first, line, packed + ((<usize>(w * depth)) << 3), depth, into + ((<usize>w) << 3));
      }
    }
  }
}
