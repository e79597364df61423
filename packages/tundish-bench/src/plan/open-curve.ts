/**
 * What a push takes by open buffers, for the figures of the papers: as a machine model has it, or as the caches of the
 * papers' machines would if a push waited for its line.
 *
 * The line of a push was last needed when another item of it was pushed, so many pushes before as there are buffers; a
 * new line when its buffer was last filled to there, and all other buffers since. It is in the smallest cache that
 * holds the lines of all pushes meanwhile.
 *
 * Limits: an upper bound. Processors do not wait for the lines that they write to, as long as their store buffers have
 * room, and fetch lines ahead. Sizes are a core's share, the smaller one of Summit (POWER9) and a Cray XC40 (Haswell),
 * and assumed, as neither paper gives them; latencies are of the usual order.
 */
import { UsageError } from "../../../../src/ground/base/errors.ts";
import type { ItemCostTimes, OpenTimes } from "../../../../src/machine/model/machine-model.ts";
import { readMachine } from "../../../../src/machine/model/model.ts";

/** A core's part of each cache, bytes, and ns until a line of it is there; then memory. */
const CACHES: readonly (readonly [bytes: number, ns: number])[] = [
  [32_768, 0],
  [262_144, 4],
  [2_621_440, 15],
  [Number.POSITIVE_INFINITY, 90],
];
const LINE = 64;
const SIZES = [512, 2048, 8192, 32_768, 131_072];
const BUFFERS = Array.from({ length: 18 }, (_, i) => 2 ** i);

/** Where the curve is from. */
export interface OpenOptions {
  /** The file of a machine model. @default none: a push takes the same however many buffers are open */
  readonly machine?: string | undefined;
  /** As caches of the papers' machines would have it. */
  readonly caches?: boolean | undefined;
}

/** @throws ModelError for a file that is not a model, UsageError for one without `items.open` */
export async function openOf({ machine, caches }: OpenOptions, itemBytes: number): Promise<OpenTimes | undefined> {
  if (caches === true) return openByCaches(itemBytes);
  if (machine === undefined) return undefined;
  const { items } = await readMachine(machine);
  if (items?.open !== undefined) return items.open;
  throw new UsageError(`${machine}: expected a model with items.open. Measure it with: tundish profile`);
}

/** For items of a size. */
export function openByCaches(itemBytes: number): OpenTimes {
  const wait = (bytes: number) => CACHES.find(([size]) => bytes <= size)?.[1] ?? 0;
  // lines that an item begins
  const lines = itemBytes / LINE;
  const push = (buffers: number, bytes: number) =>
    lines * wait(buffers * bytes) + Math.max(0, 1 - lines) * wait(buffers * LINE);
  const sizes = SIZES.map((bytes) => ({ bytes, push: BUFFERS.map((n) => push(n, bytes)) }));
  return { look: 0, buffers: BUFFERS, sizes };
}

/** The items of a machine model that has no other costs of them; the simulator takes nothing else from it. */
export const withOpen = (open: OpenTimes): ItemCostTimes => ({ ...NONE, byte: NONE, open });
const NONE = { push: 0, pivot: 0, pull: 0 };
