/**
 * Work whose iterations take different times, as in uneven.c (peers/c): each iteration gives a whole number, of
 * which the sum is checked.
 */
import type { PE } from "../../../../src/index.ts";

/** A loop: `count` iterations. */
export interface UnevenWork {
  readonly count: number;
  /** The value of one iteration. */
  one(i: number): number;
}

export type UnevenName = "Mandelbrot rows" | "triangle" | "13 queens" | "quadrature" | "power-law matrix";

/** Rows of the Mandelbrot set: those in the middle take longest. */
function mandelbrot(rows: number): UnevenWork {
  const most = 256;
  const one = (row: number): number => {
    let sum = 0;
    const ci = (2.4 * row) / rows - 1.2;
    for (let column = 0; column < rows; column++) {
      const cr = (3 * column) / rows - 2.2;
      let r = 0;
      let i = 0;
      let n = 0;
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
    for (let j = i; j < n; j++) x = Math.imul(x, 1664525) ^ j;
    return x;
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
    const first = 1 << Math.floor(k / n);
    const second = 1 << (k % n);
    const left = first << 1;
    const right = first >> 1;
    if ((second & (first | left | right)) !== 0) return 0;
    return ways(first | second, (left | second) << 1, (right | second) >> 1);
  };
  return { count: n * n, one };
}

/** The evaluations of Simpson's rule, halving intervals where it is off, of an oscillation that slows down. */
function quadrature(pieces: number): UnevenWork {
  const f = (x: number): number => Math.sin(100 / (x + 0.1));
  const halved = (a: number, b: number, ends: number, middle: number, depth: number): number => {
    const m = (a + b) / 2;
    const h = (b - a) / 12;
    const left = f((a + m) / 2);
    const right = f((m + b) / 2);
    const error = h * (ends + 4 * left + 2 * middle + 4 * right) - 2 * h * (ends + 4 * middle);
    if (depth === 0 || Math.abs(error) < 1e-17) return 2;
    return 4 + halved(a, m, f(a) + middle, left, depth - 1) + halved(m, b, middle + f(b), right, depth - 1);
  };
  const one = (p: number): number => {
    const a = p / pieces;
    const b = (p + 1) / pieces;
    return 3 + halved(a, b, f(a) + f(b), f((a + b) / 2), 20);
  };
  return { count: pieces, one };
}

/** A sparse matrix times a vector: row k has about 1 / (k + 1) of the first's. */
function matrix(rows: number, pe: PE | undefined): UnevenWork {
  const array = (length: number): Int32Array =>
    pe === undefined ? new Int32Array(length) : pe.allocShared(Int32Array, length);
  const lengthOf = (row: number): number => 1 + Math.floor((8 * rows) / (row + 8));
  const starts = array(rows + 1);
  const x = array(rows);
  let elements = 0;
  for (let k = 0; k < rows; k++) elements += lengthOf(k);
  const columns = array(elements);
  const values = array(elements);
  if (pe === undefined || pe.rank === 0) {
    for (let k = 0; k < rows; k++) starts[k + 1] = (starts[k] as number) + lengthOf(k);
    for (let k = 0; k < rows; k++) x[k] = k % 10;
    let random = 3;
    for (let e = 0; e < elements; e++) {
      random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
      columns[e] = random % rows;
      values[e] = (random >>> 8) % 100;
    }
  }
  pe?.barrier();
  const one = (row: number): number => {
    let sum = 0;
    for (let e = starts[row] as number, end = starts[row + 1] as number; e < end; e++) {
      sum += (values[e] as number) * (x[columns[e] as number] as number);
    }
    return sum;
  };
  return { count: rows, one };
}

/** With a PE, which all PEs give, their memory is shared; without, this thread has its own. */
export const UNEVEN: Readonly<Record<UnevenName, (quick: boolean, pe?: PE) => UnevenWork>> = {
  "Mandelbrot rows": (quick) => mandelbrot(quick ? 40 : 600),
  triangle: (quick) => triangle(quick ? 300 : 10_000),
  "13 queens": (quick) => queens(quick ? 6 : 13),
  quadrature: (quick) => quadrature(quick ? 20 : 1000),
  "power-law matrix": (quick, pe) => matrix(quick ? 1000 : 100_000, pe),
};

export const UNEVEN_NAMES: readonly UnevenName[] = Object.keys(UNEVEN) as UnevenName[];
