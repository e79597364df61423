/**
 * Fits times by size to a line, time = alpha + beta * size.
 *
 * Least squares of the relative error, so that 8 bytes count as much as a megabyte; alpha and beta are 0 or more. If
 * one line fits badly, for example because MPI changes its protocol at some size, the sizes are divided into two pieces
 * with a line each, at the position with the least error; the line of all sizes is kept as well.
 *
 * Limits: two pieces; a piece has three sizes or more, so fewer than six sizes are never divided. Source: LogGP
 * (Alexandrov et al. 1995) for the line; Hoefler et al. 2007, "Low-Overhead LogGP Parameter Assessment", for its
 * breaks.
 *
 * Example: sizes 8 and 1000 in 1000.8 and 1100 ns: alpha 1000, beta 0.1, residual 0.
 */

import { median } from "../../src/ground/base/math.ts";
import type { InternodeLine, InternodePiece, Residual } from "../../src/machine/model/internode.ts";

/** One line is sufficient if no size is further from it than this. */
const FAR = 0.25;
/** Two lines are better if they reduce the largest error by this factor. */
const HALF = 0.5;
const FEWEST = 3;

const round = (value: number, digits: number): number => Number(value.toFixed(digits));

/** The line through points (x, y), y > 0, with the least relative error. */
export function fitLine(xs: readonly number[], ys: readonly number[]): InternodeLine {
  const [alpha, beta] = coefficients(xs, ys);
  return {
    alpha: round(alpha, 2),
    // nanoseconds per byte: below 0.1 on a fast network
    beta: round(beta, 6),
    residual: residualOf(xs.map((x, i) => Math.abs(alpha + beta * x - (ys[i] as number)) / (ys[i] as number))),
  };
}

function coefficients(xs: readonly number[], ys: readonly number[]): [alpha: number, beta: number] {
  // alpha * a + beta * b = 1 at each point, with a = 1 / y and b = x / y
  let [aa, ab, bb, a1, b1] = [0, 0, 0, 0, 0];
  xs.forEach((x, i) => {
    const a = 1 / (ys[i] as number);
    const b = x * a;
    aa += a * a;
    ab += a * b;
    bb += b * b;
    a1 += a;
    b1 += b;
  });
  const determinant = aa * bb - ab * ab;
  if (determinant > 1e-12 * aa * bb) {
    const alpha = (a1 * bb - b1 * ab) / determinant;
    const beta = (b1 * aa - a1 * ab) / determinant;
    if (alpha >= 0 && beta >= 0) return [alpha, beta];
    // a time that decreases with the size is noise around one that does not depend on it
    if (alpha < 0 && bb > 0) return [0, b1 / bb];
  }
  return [a1 / aa, 0];
}

function residualOf(errors: readonly number[]): Residual {
  return { median: round(median([...errors]), 4), worst: round(Math.max(...errors), 4) };
}

/** Two lines for sizes that one line does not describe; undefined if one line does, or if two are hardly better. */
export function fitPieces(sizes: readonly number[], times: readonly number[]): readonly InternodePiece[] | undefined {
  const worstOfOne = fitLine(sizes, times).residual.worst;
  if (worstOfOne <= FAR) return undefined;
  let best: readonly InternodePiece[] | undefined;
  let least = HALF * worstOfOne;
  for (let cut = FEWEST; cut <= sizes.length - FEWEST; cut++) {
    const pieces = [piece(sizes.slice(0, cut), times.slice(0, cut)), piece(sizes.slice(cut), times.slice(cut))];
    const worst = Math.max(...pieces.map(({ residual }) => residual.worst));
    if (worst > least) continue;
    least = worst;
    best = pieces;
  }
  return best;
}

const piece = (sizes: readonly number[], times: readonly number[]): InternodePiece => ({
  from: sizes[0] as number,
  to: sizes.at(-1) as number,
  ...fitLine(sizes, times),
});
