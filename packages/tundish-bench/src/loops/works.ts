/** Work whose iterations take different times: each iteration gives a whole number, of which the sum is checked. */
import { randomNumbers } from "../../../../src/ground/base/random.ts";

/** A loop: `count` iterations. */
export interface UnevenWork {
  readonly count: number;
  /** The value of one iteration. */
  one(i: number): number;
}

export type UnevenName = "Mandelbrot rows" | "triangle" | "queens by two moves" | "power-law matrix";

/** Rows of the Mandelbrot set: those in the middle take longest. */
function mandelbrot(rows: number): UnevenWork {
  const most = 256;
  const one = (row: number): number => {
    let sum = 0;
    const ci = (2.4 * row) / rows - 1.2;
    for (let column = 0; column < rows; column++) {
      const cr = (3 * column) / rows - 2.2;
      let [r, i, n] = [0, 0, 0];
      while (n < most && r * r + i * i < 4) {
        const next = r * r - i * i + cr;
        i = 2 * r * i + ci;
        r = next;
        n++;
      }
      sum += n;
    }
    return sum;
  };
  return { count: rows, one };
}

/** A triangular loop: iteration i has n - i steps. */
function triangle(n: number): UnevenWork {
  const one = (i: number): number => {
    let x = i;
    for (let j = i; j < n; j++) x = (Math.imul(x, 1664525) + j) | 0;
    return x & 0xffff;
  };
  return { count: n, one };
}

/** The ways to place n queens, by the columns of the first two. */
function queens(n: number): UnevenWork {
  const all = 2 ** n - 1;
  const ways = (columns: number, left: number, right: number): number => {
    if (columns === all) return 1;
    let sum = 0;
    for (let free = all & ~(columns | left | right); free !== 0; free &= free - 1) {
      const bit = free & -free;
      sum += ways(columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return sum;
  };
  const one = (k: number): number => {
    const [first, second] = [1 << Math.floor(k / n), 1 << (k % n)];
    const [columns, left, right] = [first, first << 1, first >> 1];
    if ((second & (columns | left | right)) !== 0) return 0;
    return ways(columns | second, (left | second) << 1, (right | second) >> 1);
  };
  return { count: n * n, one };
}

/** A sparse matrix times a vector: row k has about 1 / (k + 1) of the elements of the first. */
function matrix(rows: number): UnevenWork {
  const starts = new Int32Array(rows + 1);
  for (let k = 0; k < rows; k++) starts[k + 1] = (starts[k] as number) + 1 + Math.floor((8 * rows) / (k + 8));
  const elements = starts[rows] as number;
  const random = randomNumbers(3);
  const columns = Int32Array.from({ length: elements }, () => Math.floor(rows * random()));
  const values = Int32Array.from({ length: elements }, () => Math.floor(100 * random()));
  const x = Int32Array.from({ length: rows }, (_, i) => i % 10);
  const one = (row: number): number => {
    let sum = 0;
    for (let e = starts[row] as number, end = starts[row + 1] as number; e < end; e++) {
      sum += (values[e] as number) * (x[columns[e] as number] as number);
    }
    return sum;
  };
  return { count: rows, one };
}

export const UNEVEN: Readonly<Record<UnevenName, (quick: boolean) => UnevenWork>> = {
  "Mandelbrot rows": (quick) => mandelbrot(quick ? 40 : 400),
  triangle: (quick) => triangle(quick ? 300 : 6000),
  "queens by two moves": (quick) => queens(quick ? 6 : 11),
  "power-law matrix": (quick) => matrix(quick ? 1000 : 60_000),
};

export const UNEVEN_NAMES: readonly UnevenName[] = Object.keys(UNEVEN) as UnevenName[];
