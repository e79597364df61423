/** Whom a PE steals from first: the PEs that it can reach fastest, by the machine model. */
import type { Matrix } from "../../../machine/model/machine-model.ts";
import type { Seat } from "../../../pe/seat.ts";

/** Victims are equally near that are no farther than so many times the nearest of them. */
const EQUAL = 1.5;

/**
 * The other PEs of the group on this node, by their place among these: nearest first, equally near ones together. Who
 * always began with the same one of these would take the rest of what its neighbours have just taken, in ever smaller
 * pieces (`tundish bench stealing`).
 */
export function victimsBy({ rank, here, members, sites }: Seat): number[][] {
  // threads have the model of their node; virtual PEs the costs of their group, which may be those of its whole node
  const isThread = "model" in sites;
  const { send, receive } = isThread ? sites.model : sites.costs(8);
  const row = (pe: number): number => (isThread ? (members[here[pe] as number] as number) - sites.first : pe);
  const cost = (matrix: Matrix | null, from: number, to: number): number => matrix?.[row(from)]?.[row(to)] ?? 0;
  const own = here.indexOf(rank);
  const distance = (pe: number): number => cost(send, pe, own) + cost(receive, pe, own);
  const others = Array.from({ length: here.length - 1 }, (_, i) => (own + 1 + i) % here.length);
  const classes: number[][] = [];
  let near = Number.NEGATIVE_INFINITY;
  for (const pe of others.toSorted((a, b) => distance(a) - distance(b))) {
    if (distance(pe) > EQUAL * near) {
      classes.push([]);
      near = distance(pe);
    }
    classes.at(-1)?.push(pe);
  }
  return classes;
}
