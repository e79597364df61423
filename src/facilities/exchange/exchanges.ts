/** Exchanges among the PEs of a group. */

import type { Group } from "../../pe/group.ts";
import { seatOf } from "../../pe/seat-of.ts";
import { sitesOf } from "../../pe/sites.ts";
import type { ExchangeOptions } from "../../route/disciplines/options.ts";
import { decideExchange } from "./decide.ts";
import { type Exchange, newExchange } from "./exchange.ts";
import { Phases } from "./phases.ts";

/**
 * Makes an exchange: bulk data of any sizes from every PE of the group to every PE, sent under a discipline that says
 * who may send to whom now (docs/traffic.md). Collective, as making a conveyor.
 *
 *     const x = exchange(pe, { discipline: "token" });
 *     for (const [dest, rows] of outgoing) x.schedule(dest, rows);
 *     x.finish(({ from, offset, total, bytes }) => { … });
 *
 * @throws as conveyor
 */
export function exchange(pe: Group, options: ExchangeOptions = {}): Exchange {
  const sites = sitesOf(seatOf(pe, "exchange"));
  return newExchange(new Phases(sites, decideExchange(sites, options)));
}
