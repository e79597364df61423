/**
 * The subgroups of a group over nodes: which of its PEs live together, and who leads them.
 *
 *     ranks in the group     0   1   2   | 3   4     | 5   6   7
 *     subgroups              subgroup 0  | subgroup 1| subgroup 2       the PEs of a group on one node, a team each
 *
 * One PE of a subgroup is its leader: the first of the node, or the root where the call has one there. So PEs that do
 * not agree about the order of the ranks still meet, and find that out.
 */
import { type Nodes, nodeOf } from "../../links/transport/nodes.ts";

/** PEs of a group on one node. */
export interface Subgroup {
  /** By their number in the team: ranks in the group. */
  readonly ranks: readonly number[];
  /** Who leads it where the call has no root in it: the first of the node, whatever the order in the group. */
  readonly leader: number;
}

/** The part that all PEs of a group see alike. */
interface Division {
  readonly members: readonly number[];
  readonly starts: readonly number[];
  /** By number of a subgroup: its node. */
  readonly nodes: readonly number[];
  readonly all: readonly Subgroup[];
  readonly inOrder: boolean;
  readonly of: Int32Array;
}

/** The last one: virtual PEs, which share a thread, ask for the same again and again. */
let last: Division | null = null;

function divisionOf(nodes: Nodes, members: readonly number[]): Division {
  if (last !== null && last.members === members && last.starts === nodes.starts) return last;
  const byNode = new Map<number, number[]>();
  members.forEach((member, rank) => {
    const node = nodeOf(nodes, member);
    const ranks = byNode.get(node);
    if (ranks === undefined) byNode.set(node, [rank]);
    else ranks.push(rank);
  });
  const ordered = [...byNode].sort(([a], [b]) => a - b);
  const all = ordered.map(([, ranks]) => ({
    ranks,
    leader: ranks.reduce((first, rank) => (members[rank] < members[first] ? rank : first)),
  }));
  const inOrder = all.flatMap((subgroup) => subgroup.ranks).every((rank, place) => rank === place);
  const of = new Int32Array(members.length);
  for (const [subgroup, { ranks }] of all.entries()) for (const rank of ranks) of[rank] = subgroup;
  const { starts } = nodes;
  last = { members, starts, nodes: ordered.map(([node]) => node), all, inOrder, of };
  return last;
}

/** The subgroups of a group, as one of its PEs sees them. */
export class Subgroups {
  /** Of this PE in the group. */
  readonly rank: number;
  /** PEs of the group. */
  readonly size: number;
  readonly all: readonly Subgroup[];
  /** The number of this PE's. */
  readonly own: number;
  /** Whether this PE's is this PE alone. */
  readonly isAlone: boolean;
  /** Whether they follow each other by rank. */
  readonly inOrder: boolean;
  readonly #of: Int32Array;

  /** @param members of the group, as the world numbers them @param teamRank this PE's number among those on its node */
  constructor(nodes: Nodes, members: readonly number[], teamRank: number) {
    const division = divisionOf(nodes, members);
    this.size = members.length;
    this.all = division.all;
    this.own = division.nodes.indexOf(nodes.node);
    const { ranks } = this.all[this.own];
    this.rank = ranks[teamRank];
    this.isAlone = ranks.length === 1;
    this.inOrder = division.inOrder;
    this.#of = division.of;
  }

  /** The subgroup of a rank. */
  of(rank: number): number {
    return this.#of[rank];
  }

  /** Who leads a subgroup in a call with this root (-1 for none): a rank in the group. */
  leader(subgroup: number, root = -1): number {
    return root >= 0 && this.#of[root] === subgroup ? root : this.all[subgroup].leader;
  }

  /** Whether this PE leads its subgroup in a call with this root. */
  leads(root = -1): boolean {
    return this.leader(this.own, root) === this.rank;
  }

  /** Who leads this PE's subgroup in a call with this root: a rank in the team. */
  teamLeader(root = -1): number {
    return this.all[this.own].ranks.indexOf(this.leader(this.own, root));
  }
}
