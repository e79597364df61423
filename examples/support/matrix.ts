/** The matrix product on one thread in JavaScript, and what is said of a product. */

/** Rows and columns of C that are in registers at a time. */
const ROWS = 4;
const COLUMNS = 2;
/** A block of A is TALL x DEPTH, one of B DEPTH x WIDE: they stay in the caches while they are used again and again. */
const DEPTH = 256;
const TALL = 64;
const WIDE = 128;

/** C = A B for some rows of A and C, on one thread; B is n x n. The matrices are cut into blocks that fit into the caches. */
export function multiply(a: Float64Array, b: Float64Array, c: Float64Array, n: number): void {
  const rows = a.length / n;
  const packedA = new Float64Array(TALL * DEPTH);
  const packedB = new Float64Array(DEPTH * WIDE);
  c.fill(0);
  for (let k = 0; k < n; k += DEPTH) {
    const depth = Math.min(DEPTH, n - k);
    for (let j = 0; j < n; j += WIDE) {
      const wide = Math.min(WIDE, n - j);
      pack(b, k * n + j, n, 1, depth, wide, COLUMNS, packedB);
      for (let i = 0; i < rows; i += TALL) {
        const tall = Math.min(TALL, rows - i);
        pack(a, i * n + k, 1, n, depth, tall, ROWS, packedA);
        for (let t = 0; t < tall; t += ROWS)
          for (let w = 0; w < wide; w += COLUMNS)
            addTile(packedA, t * depth, packedB, w * depth, depth, c, i + t, j + w, rows, n);
      }
    }
  }
}

/** Writes a block in the order in which it is used: strips of `strip` lines, filled up with zeros, each step by step. */
function pack(
  from: Float64Array,
  start: number,
  step: number,
  line: number,
  depth: number,
  lines: number,
  strip: number,
  to: Float64Array,
): void {
  let at = 0;
  for (let first = 0; first < lines; first += strip) {
    for (let k = 0; k < depth; k++) {
      for (let s = first; s < first + strip; s++) to[at++] = s < lines ? from[start + k * step + s * line] : 0;
    }
  }
}

/** Adds 4 x 2 sums of products to C: eight sums in registers, for which each step loads six numbers. */
function addTile(
  a: Float64Array,
  atA: number,
  b: Float64Array,
  atB: number,
  depth: number,
  c: Float64Array,
  row: number,
  column: number,
  rows: number,
  n: number,
): void {
  let s00 = 0;
  let s01 = 0;
  let s10 = 0;
  let s11 = 0;
  let s20 = 0;
  let s21 = 0;
  let s30 = 0;
  let s31 = 0;
  for (let k = 0, p = atA, q = atB; k < depth; k++, p += ROWS, q += COLUMNS) {
    const b0 = b[q];
    const b1 = b[q + 1];
    const a0 = a[p];
    s00 += a0 * b0;
    s01 += a0 * b1;
    const a1 = a[p + 1];
    s10 += a1 * b0;
    s11 += a1 * b1;
    const a2 = a[p + 2];
    s20 += a2 * b0;
    s21 += a2 * b1;
    const a3 = a[p + 3];
    s30 += a3 * b0;
    s31 += a3 * b1;
  }
  addPair(c, row, column, s00, s01, rows, n);
  addPair(c, row + 1, column, s10, s11, rows, n);
  addPair(c, row + 2, column, s20, s21, rows, n);
  addPair(c, row + 3, column, s30, s31, rows, n);
}

/** Those of a tile that are outside of the matrix were made of zeros. */
function addPair(c: Float64Array, row: number, column: number, x: number, y: number, rows: number, n: number): void {
  if (row >= rows) return;
  c[row * n + column] += x;
  if (column + 1 < n) c[row * n + column + 1] += y;
}

/** The sum of the diagonal. */
export function trace(c: Float64Array, n: number): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += c[i * (n + 1)];
  return sum;
}

/** What is wrong with a product of n x n matrices with elements up to 0.5; undefined if nothing is. */
export function difference(found: Float64Array, expected: Float64Array, n: number): string | undefined {
  const wrong = expected.findIndex((x, i) => !(Math.abs(x - found[i]) <= 1e-12 * n));
  return wrong < 0 ? undefined : `cell ${wrong} is ${found[wrong]}, not ${expected[wrong]}`;
}
