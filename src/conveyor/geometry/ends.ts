/** How the end of each hop of a conveyor is found: see engine/hop-end.ts. The same at all PEs. */
import { linksByHop } from "./choice.ts";
import type { Route } from "./route.ts";

export type EndKind = "last messages" | "vote";

/**
 * Links of a hop up to which last messages are sent: a vote takes as long as so many. Messages to other nodes take more, of
 * each PE, where a vote takes a few of each node.
 */
const MOST_NEAR = 8;
const MOST_REMOTE = 1;

/** Of a hop with so many links of a PE, the most of them to other nodes. */
export const endOf = (links: number, remoteLinks: number): EndKind =>
  links > MOST_NEAR || remoteLinks > MOST_REMOTE ? "vote" : "last messages";

/** By hop. @param remoteLinks the largest number of links of a PE to other nodes */
export const endsOf = (route: Route, remoteLinks: (route: Route) => number): readonly EndKind[] =>
  linksByHop(route).map((links, hop) => {
    const leaves = route.hops === 1 || route.each[hop].remote;
    // of many links the number of remote ones makes no difference, and takes long to find
    return endOf(links, leaves && links <= MOST_NEAR ? remoteLinks(route) : 0);
  });
