/** Calls among the PEs of a group. */

import type { Checked } from "../../ground/item/handlers.ts";
import type { Group } from "../../pe/group.ts";
import { seatOf } from "../../pe/seat-of.ts";
import { sitesOf } from "../../pe/sites.ts";
import type { Calls } from "./calls.ts";
import type { CallHandlers, CallsOptions } from "./handlers.ts";
import { makeCalls } from "./make-calls.ts";

/**
 * Makes calls: a table of handlers, the same at all PEs, that every PE calls at every PE, and a session of them that
 * ends by itself when no call is under way (docs/selectors.md, Calls). Collective, as making a conveyor.
 *
 *     const table = calls(pe, {
 *       visit: {
 *         args: struct({ vertex: u32, distance: f64 }),
 *         run(vertex: number, distance: number) { … table.async(ownerOf(next), "visit", next, distance + 1); },
 *       },
 *       log(text: string) { … },
 *     });
 *     table.run((call) => { if (pe.rank === 0) call(ownerOf(root), "visit", root, 0); });
 *
 * @param handlers by name: a function, whose arguments are serialized by `node:v8`; or its arguments as an item type,
 *   and the function
 * @throws UsageError also for what is no handler, and for type `simple`; MismatchError if the PEs give different names
 *   or types; else as conveyor
 */
export function calls<const H extends CallHandlers>(
  pe: Group,
  handlers: H & Checked<H>,
  options: CallsOptions = {},
): Calls<H> {
  return makeCalls<H>(sitesOf(seatOf(pe, "calls")), handlers, options);
}
