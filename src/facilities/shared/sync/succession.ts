/**
 * Who comes next: of the PEs that wait, the nearest to the one that gives, by the measured domains.
 *
 * The PEs form a ring in which those of a domain are adjacent. Next is who waits in the giver's own domain, behind it
 * in the ring and then before it; else the first that waits behind the domain. When a domain has had as many in a row
 * as it may, the ring beyond comes first. So whoever waits is passed at most by that many for each domain.
 *
 * Source: Dice, Marathe, Shavit, "Lock Cohorting" (PPoPP 2012); Dice, Kogan, "Compact NUMA-aware Locks" (EuroSys 2019),
 * where the owner looks for a near waiter, too.
 *
 * Example: domains {0, 1}, {2, 3}, and PE 1 gives: 0, then 2, 3; once its domain has had its share 2, 3, then 0.
 */
import { domainsAmong } from "../../../links/world/domains.ts";
import type { Seat } from "../../../pe/seat.ts";
import { byDomains } from "../../../route/geometry/grid.ts";

/** Of one PE; ranks of its group. */
export interface Succession {
  /** The others of its domain. */
  readonly near: Int32Array;
  /** All that are not. */
  readonly far: Int32Array;
}

const known = new WeakMap<Seat, Succession>();

/** That of the PE of a seat. */
export function successionOf(seat: Seat): Succession {
  const before = known.get(seat);
  if (before !== undefined) return before;
  const { sites, members, size, rank } = seat;
  const levels = "site" in sites ? sites.levels : domainsAmong(sites.domains, members);
  const finest = levels.at(-1) ?? new Int32Array(size);
  const ring = byDomains(size, levels);
  const own = ring.indexOf(rank);
  const behind = Array.from({ length: size - 1 }, (_, i) => ring[(own + 1 + i) % size] as number);
  const isNear = (one: number) => finest[one] === finest[rank];
  const made = {
    near: Int32Array.from(behind.filter(isNear)),
    far: Int32Array.from(behind.filter((one) => !isNear(one))),
  };
  known.set(seat, made);
  return made;
}
