/** Numbers formatted for people. */

/** Bytes in the largest binary unit that leaves a number of 1 or more: `32 KiB`, `1.5 GiB`. */
export function bytesText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${Number((bytes / 1024 ** power).toFixed(1))} ${units[power]}`;
}

/** A time, rate or cost with three digits or more: `0.123`, `41.7`, `797.7`, `12053`. */
export function amountText(value: number): string {
  if (!Number.isFinite(value)) return "-";
  if (value === 0) return "0";
  return value.toFixed(value >= 10_000 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3);
}

/** A time in ns in the unit that suits it: `83 ns`, `12.5 us`, `2.061 ms`, `1.5 s`. */
export function durationText(ns: number): string {
  const units = ["ns", "us", "ms", "s"];
  const power = ns < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(ns) / 3));
  return `${Number((ns / 1000 ** power).toPrecision(4))} ${units[power]}`;
}

/** A ratio: `1.32 x`, `17.4 x`, `230 x`, `5.0e+17 x`. */
export function ratioText(ratio: number): string {
  if (!Number.isFinite(ratio)) return "-";
  if (ratio >= 1e6) return `${ratio.toExponential(1)} x`;
  return `${ratio.toFixed(ratio >= 100 ? 0 : ratio >= 10 ? 1 : 2)} x`;
}

/** A share in percent: `0.4 %`, `55 %`. */
export function percentText(share: number): string {
  return `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
}

/** Below that, two amounts are the same. */
export const SAME_SHARE = 0.005;

/** An amount relative to another: `33 % more`, `12 % less`, `2.40 x as much`. @param same words for no difference */
export function besideText(ratio: number, same: string): string {
  const share = ratio - 1;
  if (Math.abs(share) < SAME_SHARE) return same;
  if (share < 0) return `${percentText(-share)} less`;
  return share < 1 ? `${percentText(share)} more` : `${ratioText(ratio)} as much`;
}

/** `1 core`, `2 cores`. */
export function countText(count: number, noun: string, plural: string = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
