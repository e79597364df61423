/** Whom a PE steals from first: the PE that it can reach fastest, by the machine model. */
import type { Matrix } from "../../machine/model/machine-model.ts";
import type { Seat } from "../../pe/seat.ts";

/**
 * The other PEs of the group, all of one node, by rank: nearest first. Of equally near ones those come first that
 * follow the PE, so that not all thieves go to the same one.
 */
export function victimsBy({ rank, size, members, sites }: Seat): number[] {
  // threads have the model of their node; virtual PEs the costs of their group, which may be those of its whole node
  const isThread = "model" in sites;
  const { send, receive } = isThread ? sites.model : sites.costs(8);
  const row = (pe: number): number => (isThread ? (members[pe] as number) - sites.first : pe);
  const cost = (matrix: Matrix | null, from: number, to: number): number => matrix?.[row(from)]?.[row(to)] ?? 0;
  const distance = (pe: number): number => cost(send, pe, rank) + cost(receive, pe, rank);
  const others = Array.from({ length: size - 1 }, (_, i) => (rank + 1 + i) % size);
  return others.toSorted((a, b) => distance(a) - distance(b));
}
