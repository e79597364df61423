/**
 * A PE's place in one tree over all PEs of its group, whose root is always the same: for what goes on and on, beside
 * the collectives.
 *
 *     node 0    5 ─▶ 4        node 1    9 ─▶ 8        5: the root, and leader of its node; 9: the leader of node 1
 *               │    └─▶ 6    ▲         └─▶ 7
 *               └─────────────┘
 *
 * What: the broadcast tree of a node, from its own root where there is one node. With several, the leaders of the nodes
 * are a tree of their own (hierarchy/subgroup-tree.ts), and below each is the broadcast tree of its node, as it is seen
 * from there (team/route.ts). A leader sends to the other nodes first, as these messages take the longest.
 *
 * Limits: no other PEs than leaders send to other nodes, unlike in a broadcast of the collectives: what a leader has
 * not relayed yet, all of its node wait for anyway.
 */

import type { Hierarchy } from "./hierarchy/hierarchy.ts";
import { type TreePlace, treePlace } from "./hierarchy/subgroup-tree.ts";
import { routeOf } from "./team/route.ts";
import type { Team } from "./team/team.ts";

/** @param hierarchy of a group over nodes; null for a team alone */
export function placeOf({ plan, rank, size }: Team, hierarchy: Hierarchy | null): TreePlace {
  const { broadcast } = plan;
  const { neighbours, towards } = routeOf(broadcast, size, rank);
  const up = towards[hierarchy?.subgroups.teamLeader() ?? broadcast.root] as number;
  const parent = up < 0 ? -1 : (neighbours[up] as number);
  const children = neighbours.filter((_, i) => i !== up);
  if (hierarchy === null) return { parent, children };
  const { subgroups, costs } = hierarchy;
  const { all, own } = subgroups;
  const { ranks } = all[own] as (typeof all)[number];
  const below = children.map((child) => ranks[child] as number);
  if (parent >= 0) return { parent: ranks[parent] as number, children: below };
  const above = treePlace(subgroups, costs, (all[0] as (typeof all)[number]).leader, false);
  return { parent: above.parent, children: [...above.children, ...below] };
}
