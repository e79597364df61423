import * as assert from "uvu/assert";
import type { Delivered } from "./play.ts";

/** @param all by PE, and then by seed @returns messages */
export function checkSame(all: readonly (readonly Delivered[])[], text: string): number {
  const [first] = all as [readonly Delivered[]];
  for (const one of all) assert.equal(one, first, text);
  return first.reduce((sum, { count }) => sum + count, 0);
}
