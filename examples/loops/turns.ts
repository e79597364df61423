/** Runs a function several times and says how long the first run took and the later ones, and what came out. */
import { createHash } from "node:crypto";

export interface Turns {
  /** Milliseconds of the first run, and the median of the later ones. */
  readonly first: number;
  readonly later: number;
  /** SHA-256 of the bytes of the last result. */
  readonly result: string;
}

export function turnsOf(turns: number, run: () => ArrayBufferView): Turns {
  const times: number[] = [];
  let bytes = new Uint8Array();
  for (let turn = 0; turn < turns; turn++) {
    const began = performance.now();
    const { buffer, byteOffset, byteLength } = run();
    times.push(performance.now() - began);
    bytes = new Uint8Array(buffer, byteOffset, byteLength).slice();
  }
  const [first, ...others] = times as [number, ...number[]];
  const later = others.sort((a, b) => a - b)[others.length >> 1] ?? first;
  return { first, later, result: createHash("sha256").update(bytes).digest("hex").slice(0, 16) };
}

/** Arguments: the size, and how many runs. */
export const argumentsOf = (
  [size, turns]: readonly string[],
  usual: number,
): { readonly size: number; readonly turns: number } => ({
  size: Number(size ?? usual),
  turns: Number(turns ?? 7),
});
