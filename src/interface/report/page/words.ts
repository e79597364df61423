/** Numbers of a report in words. */
import { durationText } from "../../../ground/base/units.ts";
import type { MachineModel, Matrix } from "../../../machine/model/machine-model.ts";

/** A time in the unit of a model. */
export const timeIn =
  (unit: MachineModel["unit"]) =>
  (time: number): string =>
    unit === "ns" ? shortDuration(time) : `${shortNumber(time)} cycles`;

/** Three digits, as more of them would say more than was measured: `83.2 ns`, `1.2 us`. */
export function shortDuration(ns: number): string {
  if (ns > 0 && ns < 0.001) return `${ns.toExponential(1)} ns`;
  return durationText(Number(ns.toPrecision(3)));
}

export const shortNumber = (value: number): string => String(Number(value.toPrecision(3)));

/** `1 PE`, `192 PEs`. */
export const pesText = (pes: number): string => `${pes} ${pes === 1 ? "PE" : "PEs"}`;

/** `a, b and c`. */
export const joined = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

export function medianOf(values: readonly number[]): number {
  // without a call for each comparison: 512 PEs have a quarter of a million pairs
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle] as number;
  return ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** A message there and back, from each PE to each other: both sends, receives and ways. */
export function roundTrips({ send, receive, propagate }: MachineModel): number[][] {
  const once = (i: number, j: number): number =>
    at(send, i, j) + at(receive, i, j) + (propagate === undefined ? 0 : at(propagate, i, j));
  return send.map((row, i) => row.map((_, j) => (i === j ? 0 : once(i, j) + once(j, i))));
}

const at = (matrix: Matrix, i: number, j: number): number => (matrix[i] as readonly number[])[j] as number;

/** All entries but the diagonal. */
export const pairsOf = (matrix: Matrix): number[] => matrix.flatMap((row, i) => row.filter((_, j) => i !== j));

/** Numbers as ranges: `0-3, 8`. */
export function rangesText(numbers: readonly number[]): string {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  const ranges: [number, number][] = [];
  for (const one of sorted) {
    const last = ranges.at(-1);
    if (last !== undefined && one === last[1] + 1) last[1] = one;
    else ranges.push([one, one]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(", ");
}
