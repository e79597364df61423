/** Where the conveyors and exchanges of a thread's groups are made, on one node or over several. */

import { reserveOverNodes } from "../collectives/hierarchy/agreement.ts";
import { endWith, reserve } from "../collectives/team/reservation.ts";
import { idlerOf } from "../links/transport/heap/idler.ts";
import { clearNear, nearBytes } from "../links/transport/heap/link-offsets.ts";
import { needOf } from "../links/transport/heap/need.ts";
import { HeapSite, heapSiteParts } from "../links/transport/heap/site.ts";
import { conveyorVote } from "../links/transport/mpi/assemble.ts";
import { remotePlaces } from "../links/transport/mpi/remote-links.ts";
import { NodesSite } from "../links/transport/mpi/site.ts";
import { domainsAmong } from "../links/world/domains.ts";
import type { NodeCosts } from "../machine/model/node-costs.ts";
import { selectPEs } from "../machine/model/select.ts";
import { costModelOf } from "../plan/model/machine.ts";
import { costModelOver } from "../plan/model/over-nodes.ts";
import type { SimulatedNetwork } from "../plan/network/network.ts";
import { groupNodes, nodesLayout, remoteLinksOf } from "../route/geometry/nodes.ts";
import type { NodeLinks } from "./node-links.ts";
import type { Seat, Sites, ThreadSiteParts } from "./seat.ts";

const made = new WeakMap<ThreadSiteParts, Sites>();

/** Where conveyors and exchanges of a PE in a group are made: one object for each seat. */
export function sitesOf({ sites }: Seat): Sites {
  if ("site" in sites) return sites;
  const known = made.get(sites);
  if (known !== undefined) return known;
  const { links, team, members } = sites;
  const now = links === null || team.size === members.length ? nodeSites(sites) : sitesOverNodes(sites, links);
  made.set(sites, now);
  return now;
}

function nodeSites(parts: ThreadSiteParts): Sites {
  const { team, members, holder, model, first } = parts;
  const { rank, size } = team;
  const rows = members.map((member) => member - first);
  const levels = domainsAmong(parts.domains, members);
  return {
    rank,
    size,
    levels,
    costs: memoized((itemBytes: number) => costModelOf(selectPEs(model, rows), { itemBytes }, levels)),
    planning: parts.planning,
    site(plan, maxBytes) {
      const offset = reserve(parts, members, {
        bytes: nearBytes(plan, size),
        making: `the conveyor of ${plan.name}`,
        need: needOf(plan, size, (one) => nearBytes(one, size)),
        terms: plan.terms,
        clear: (block) => clearNear(holder.heap.i32, plan, size, block),
      });
      const setup = setupOf(parts, members);
      return new HeapSite(setup, plan, offset, heapSiteParts(setup, plan, offset, maxBytes));
    },
  };
}

/** All PEs must choose the same plan: by what all nodes of the group have measured, and said when the world began. */
function sitesOverNodes(parts: ThreadSiteParts, links: NodeLinks): Sites {
  const { members, holder } = parts;
  const { mailbox, nodes, sites } = links;
  const scope = `over nodes ${members.toSorted((a, b) => a - b).join()} `;
  const among = groupNodes(nodes, members);
  const ranksHere = members.flatMap((_, rank) => (among.nodeOf[rank] === nodes.node ? rank : []));
  const here = ranksHere.map((rank) => members[rank] as number);
  const rank = members.indexOf(holder.rank);
  const levels = domainsAmong(parts.domains, members);
  const costs = among.numbers.map((node) => links.measured[node] as NodeCosts);
  // numbers of nodes in the group
  const nodeOf = among.nodeOf.map((node) => among.numbers.indexOf(node));
  return {
    rank,
    size: members.length,
    levels,
    costs: memoized((itemBytes: number, network?: SimulatedNetwork) =>
      costModelOver({ ...among, nodeOf, levels, costs }, itemBytes, network),
    ),
    planning: parts.planning,
    pesOfNode: among.sizes,
    nodeLayout: nodesLayout(among),
    remoteLinks: remoteLinksOf(among),
    site(plan, maxBytes) {
      const nodePeers = { mailbox, nodes, all: members, rank, streams: links.conveyorStreams(members) };
      const vote = conveyorVote(nodePeers, plan, (error) => endWith(holder, error));
      const places = remotePlaces(plan, ranksHere, members, nodes);
      const making = `the conveyor of ${plan.name}`;
      const need = needOf(plan, here.length, (one) => remotePlaces(one, ranksHere, members, nodes).at(-1) as number);
      const what = { bytes: places.at(-1) as number, terms: plan.terms, scope, making, need };
      const offset = reserveOverNodes(parts, { here, leader: here[0] as number, vote }, what);
      const memory = {
        offset,
        remote: offset + (places[here.indexOf(holder.rank)] as number),
        maxBytes,
        vote,
      };
      const onClose = (closed: NodesSite) => sites.delete(closed);
      const site = new NodesSite(setupOf(parts, here), nodePeers, plan, memory, onClose);
      sites.add(site);
      return site;
    },
  };
}

/** The parts that the site of one conveyor has of its PE. @param members of it on this node */
function setupOf(parts: ThreadSiteParts, members: readonly number[]) {
  const { holder, turns, async, status, sessions, problems, team } = parts;
  const { heap, wakers, termination } = holder;
  const { rank, plan } = team;
  return {
    heap,
    wakers,
    termination,
    idler: idlerOf(turns),
    async,
    status,
    sessions,
    problems,
    members,
    rank,
    tree: plan.broadcast,
  };
}

/** Caches the result for each number, and each further argument. */
function memoized<T, More>(make: (n: number, more?: More) => T): (n: number, more?: More) => T {
  const known = new Map<More | undefined, Map<number, T>>();
  return (n, more) => {
    const own = known.get(more) ?? new Map<number, T>();
    known.set(more, own);
    const value = own.get(n) ?? make(n, more);
    own.set(n, value);
    return value;
  };
}
