/**
 * A greedy broadcast over many subgroups, such as the PEs of nodes: who sends to which.
 *
 * What: whoever is free first sends to the next subgroup; a send keeps it busy for `send`, and is there `edge` after
 * its start. In a subgroup that has been reached, each member sends to other subgroups as soon as it is free. So
 * helpers send too: where the leaders alone do, the network is idle while they are busy.
 *
 * Limits: all subgroups are equally far apart, and each is entered once. Earliest completing edge first is best where
 * all sends cost the same and there are no helpers (the postal model).
 *
 * Source: Bar-Noy, Kipnis, "Designing broadcasting algorithms in the postal model", 1992; the helpers: ours.
 *
 * Example, 4 subgroups of 1 PE that is free at once, edge 3: with send 1, 0 sends to 1, 2 and 3 (there at 3, 4, 5);
 * with send 3 it sends to 1 and 2, and 1 sends to 3.
 */
import TinyQueue from "tinyqueue";
import type { Kind } from "../bound/service-time.ts";

/** A member, by its number among all that were reached, and the time when it is free. */
interface Free {
  readonly at: number;
  readonly member: number;
}

/** A send to a subgroup. */
export interface Send {
  /** The sender's subgroup. */
  readonly from: number;
  /** The sender's place in that one's list. */
  readonly place: number;
  readonly to: number;
}

/**
 * The sends that reach all subgroups, in their order.
 * @param idle of each subgroup a list: how long after it is reached each of its members is free to send to other
 * subgroups
 */
export function greedySends(idle: readonly (readonly number[])[], root: number, { send, edge }: Kind): Send[] {
  const sends: Send[] = [];
  const senders: { readonly from: number; readonly place: number }[] = [];
  const order = new TinyQueue<Free>([], (a, b) => a.at - b.at);
  const reach = (from: number, at: number): void => {
    for (const [place, after] of (idle[from] as readonly number[]).entries()) {
      order.push({ at: at + after, member: senders.push({ from, place }) - 1 });
    }
  };
  reach(root, 0);
  for (let step = 1; step < idle.length; step++) {
    const to = (root + step) % idle.length;
    const { at, member } = order.pop() as Free;
    sends.push({ ...(senders[member] as (typeof senders)[number]), to });
    order.push({ at: at + send, member });
    reach(to, at + edge);
  }
  return sends;
}
