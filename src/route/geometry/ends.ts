/** How a conveyor's sessions begin, and each hop's end is found (engine/hop-end.ts). The same at all PEs. */
import { type CompleteChoice, linksByHop } from "./conveyor-choice.ts";
import type { RemoteLinks } from "./nodes.ts";
import type { ConveyorRoute } from "./route.ts";

export type EndKind = "last messages" | "vote";

/**
 * Links of a hop up to which last messages are sent: a vote takes as long as so many. Messages to other nodes take
 * more, of each PE, where a vote takes a few of each node.
 */
const MOST_NEAR = 16;
export const MOST_REMOTE = 4;

/** Of a hop with so many links of a PE, the most of them to other nodes. */
export const endOf = (links: number, remoteLinks: number): EndKind =>
  links > MOST_NEAR || remoteLinks > MOST_REMOTE ? "vote" : "last messages";

/** By hop. @param remoteLinks the largest number of links of a PE to other nodes */
export const endsOf = (route: ConveyorRoute, remoteLinks: RemoteLinks): readonly EndKind[] =>
  linksByHop(route).map((links, hop) => {
    // any hop of a mesh may leave the node
    if (route.mesh !== null) return endOf(links, links <= MOST_NEAR ? remoteLinks(route, hop) : 0);
    const leaves = route.hops === 1 || route.each[hop].remote;
    // of many links the number of remote ones makes no difference, and takes long to find
    return endOf(links, leaves && links <= MOST_NEAR ? remoteLinks(route) : 0);
  });

/**
 * Whether each session begins with a vote: what counts votes anyway loses little by one more, and needs no buffer
 * between each two PEs, by which the terms would be compared. So do elastic conveyors over nodes: oversized items of
 * the next session could take the room in a heap that those of this one need on their way.
 */
export const beginsByVote = (
  type: CompleteChoice["type"],
  ends: readonly EndKind[],
  isElasticOverNodes: boolean,
): boolean => type === "simple" || isElasticOverNodes || ends.includes("vote");
