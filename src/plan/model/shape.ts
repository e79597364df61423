/**
 * The cost of a message on each hop of a shape (hops, group size): means over the PEs and their friends.
 *
 * The PEs are arranged in a grid in which PEs of the same domain or node are adjacent. The first hop is within the row,
 * the second along the column, and so on, as in src/route/geometry/make-route.ts.
 *
 * Limits: of many PEs a sample of 48 is used, and as many of their friends; always the same ones.
 */
import { gridOf } from "../../route/geometry/grid.ts";
import { dimensionsOf } from "../../route/geometry/make-route.ts";
import { coordinate } from "../../route/geometry/route.ts";
import type { Candidate, CostModel } from "./cost-model.ts";
import { type Friends, type Traffic, trafficOf } from "./traffic.ts";

/** One hop of a shape. */
export interface HopCost {
  /** Number of friends of a PE. */
  readonly links: number;
  /** Links that its items are pushed into, of whatever hop: each advance looks at them. */
  readonly entries: number;
  /** For a buffer within the node: the sender's and the receiver's time, ns. */
  readonly send: number;
  readonly receive: number;
  /** The fraction of messages to other nodes. */
  readonly remote: number;
  /** The largest number of friends of a PE on other nodes. */
  readonly away: number;
  /** The largest sum of both times of any PE, divided by the mean. */
  readonly worst: number;
  /** The load of its links on the network. */
  readonly traffic: Traffic;
}

/** Links of a PE to other nodes, at most, over all hops. */
export const awayOf = (hops: readonly HopCost[]): number => hops.reduce((total, { away }) => total + away, 0);

/** Cost of a message to its sender and to its receiver without a model, ns. */
export const MESSAGE = 50;
const AWAY = { send: MESSAGE, receive: MESSAGE };
const SAMPLES = 48;

/** Costs by hop, for any shape. */
export function shapeCosts(
  model: CostModel,
): (shape: Pick<Candidate, "hops" | "groupSize" | "mesh">) => readonly HopCost[] {
  const order = gridOf(model.pes, 2, model.levels, 1).ranks;
  const known = new Map<string, readonly HopCost[]>();
  return ({ hops, groupSize, mesh }) => {
    const name = `${hops}/${groupSize}/${mesh ?? ""}`;
    const before = known.get(name);
    if (before !== undefined) return before;
    const links = mesh === undefined ? hopLinks(model.pes, hops, groupSize) : meshLinks(mesh);
    const entries = (mesh === undefined ? links.slice(0, 1) : links).reduce((sum, { count }) => sum + count, 0);
    const costs = links.map((hop) => ({ ...hopCost(model, order, hop), entries }));
    known.set(name, costs);
    return costs;
  };
}

/** Without a link to itself, but over the last hop. */
const meshLinks = (mesh: readonly number[]): Friends[] =>
  dimensionsOf(mesh).map((dim, hop, { length }) => {
    const least = hop === length - 1 ? 0 : 1;
    return {
      count: dim.size - least,
      at: (place, link) => {
        const own = coordinate(place, dim);
        return place + (link + (link < own ? 0 : least) - own) * dim.stride;
      },
    };
  });

function hopLinks(pes: number, hops: number, n: number): Friends[] {
  if (hops === 1) return [{ count: pes, at: (_, link) => link }];
  const row: Friends = { count: n, at: (place, link) => place - (place % n) + link };
  if (hops === 2) return [row, { count: pes / n, at: (place, link) => link * n + (place % n) }];
  const plane = n * n;
  const between: Friends = {
    count: 1 + Math.floor((pes - 1) / plane),
    // (x, y, z) sends to (x', z, y)
    at: (place, link) => link * plane + (place % n) * n + (Math.floor(place / n) % n),
  };
  return [row, between, row];
}

function hopCost(model: CostModel, order: Int32Array, friends: Friends): Omit<HopCost, "entries"> {
  const { count, at } = friends;
  const { pes, nodeOf, nodeSize, send, receive } = model;
  const near = model.near ?? { send: MESSAGE, receive: MESSAGE };
  const total = { send: 0, receive: 0, remote: 0, pairs: 0 };
  let [worst, away] = [0, 0];
  const each = Math.max(1, Math.ceil(pes / SAMPLES));
  const step = Math.max(1, Math.ceil(count / SAMPLES));
  let looked = 0;
  for (let place = 0; place < pes; place += each) {
    let [own, pairs, left] = [0, 0, 0];
    // samples different friends for different PEs
    for (let link = looked++ % step; link < count; link += step) {
      const to = at(place, link);
      if (to >= pes) continue;
      const [a, b] = [order[place], order[to]];
      const isRemote = nodeOf[a] !== nodeOf[b];
      const known = isRemote ? AWAY : near;
      const sending = isRemote || send === null ? known.send : send[a % nodeSize][b % nodeSize];
      const receiving = isRemote || receive === null ? known.receive : receive[a % nodeSize][b % nodeSize];
      total.send += sending;
      total.receive += receiving;
      left += isRemote ? 1 : 0;
      own += sending + receiving;
      pairs++;
    }
    total.pairs += pairs;
    total.remote += left;
    // of a sample of its friends
    away = Math.max(away, Math.min(count, left * step));
    if (pairs > 0) worst = Math.max(worst, own / pairs);
  }
  const pairs = Math.max(1, total.pairs);
  const mean = (total.send + total.receive) / pairs;
  return {
    links: count,
    send: total.send / pairs,
    receive: total.receive / pairs,
    remote: total.remote / pairs,
    away,
    worst: mean === 0 ? 1 : worst / mean,
    traffic: trafficOf(model, order, friends),
  };
}
