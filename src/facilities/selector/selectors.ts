/** Selectors among the PEs of a group. */

import type { Group } from "../../pe/group.ts";
import { seatOf } from "../../pe/seat-of.ts";
import { sitesOf } from "../../pe/sites.ts";
import type { Mailboxes, SelectorOptions } from "./mailboxes.ts";
import { driverFor } from "./make-selector.ts";
import { newSelector, type Selector } from "./selector.ts";

/**
 * Makes a selector: an actor at each PE, with several mailboxes whose handlers send to each other
 * (docs/selectors.md). Collective, as making a conveyor.
 *
 *     const s = selector(pe, { ask: u32, reply: f64 });
 *     s.run(
 *       (send) => { for (const index of wanted) send.ask(index % pe.size, Math.floor(index / pe.size)); },
 *       { ask: (index, from) => s.send.reply(from, table[index]), reply: (value) => { sum += value; } },
 *     );
 *
 * @param mailboxes the item type of each mailbox, by name
 * @throws UsageError also for a cycle in the order of the mailboxes; else as conveyor
 */
export function selector<const M extends Mailboxes>(
  pe: Group,
  mailboxes: M,
  options: SelectorOptions<keyof M & string> = {},
): Selector<M> {
  return newSelector<M>(driverFor(sitesOf(seatOf(pe, "selector")), mailboxes, options));
}
