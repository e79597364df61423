/**
 * The order in which a PE serves the links of a hop when it sends to all of them.
 *
 * A tensor begins after itself and goes on in the order of the domains (grid.ts): at every step the PEs send to
 * different ones, and near ones come first. If all began with the same link, its PE would have the buffers of all at
 * once, and the others none. A simple conveyor sends in a random order, another one at each PE, as all PEs send at the
 * same time.
 *
 * Source: Maley, DeVinney, "Conveyors for Streaming Many-To-Many Communication", section 4.1, for the random order; the
 * other is ours.
 *
 * Example: 4 PEs with domains {0, 2} and {1, 3}, one hop: PE 0 sends to 2, 1, 3, 0; PE 2 to 1, 3, 0, 2.
 */
import { randomNumbers } from "../../ground/base/random.ts";
import type { CompleteChoice } from "./conveyor-choice.ts";
import { friendsOf } from "./route.ts";

/** All links of a hop, once each, from `links[start]` on, around its end. */
export interface LinkOrder {
  readonly links: Int32Array;
  readonly start: number;
}

/** By hop: the order of a PE. */
export function linkOrders(
  { type, route, near }: Pick<CompleteChoice, "type" | "route" | "near">,
  rank: number,
): LinkOrder[] {
  return friendsOf(route, rank).map(({ friends, self }, hop) => {
    const { length } = friends;
    if (type === "simple") return { links: shuffled(length, rank, hop), start: 0 };
    // with more hops links are numbered by position in the grid, which has the order of the domains
    const links = route.hops === 1 ? near : inOrder(length);
    return { links, start: (links.indexOf(self) + 1) % length };
  });
}

const inOrder = (length: number): Int32Array => Int32Array.from({ length }, (_, link) => link);

/** Source: Durstenfeld, Algorithm 235: Random permutation, 1964. */
function shuffled(length: number, rank: number, hop: number): Int32Array {
  const links = inOrder(length);
  const random = randomNumbers(Math.imul(rank + 1, 0x9e3779b1) ^ hop);
  for (let left = length - 1; left > 0; left--) {
    const other = Math.floor(random() * (left + 1));
    const link = links[left] as number;
    links[left] = links[other] as number;
    links[other] = link;
  }
  return links;
}
