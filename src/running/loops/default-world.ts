/** The world of loops that were given none. */
import { open } from "../launch/open.ts";
import type { OpenWorld } from "../run/open-world.ts";
import { worldParts } from "../run/world-parts.ts";

let kept: Promise<OpenWorld> | null = null;

/**
 * The world that the library keeps for loops to which none is given: opened at the first call, with a PE for each
 * usable CPU. It does not keep the process alive. Close it to end its threads before; the next call opens another one.
 *
 *     await (await defaultWorld()).close();
 *
 * @throws as {@link open}
 */
export async function defaultWorld(): Promise<OpenWorld> {
  const before = kept;
  if (before !== null && !worldParts.get(await before)?.isClosed()) return before;
  // another call may have opened one meanwhile
  if (kept === before) {
    const opening = open();
    kept = opening;
    opening.catch(() => {
      if (kept === opening) kept = null;
    });
  }
  return kept as Promise<OpenWorld>;
}
