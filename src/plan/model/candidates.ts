/**
 * The candidates of a plan: every type, hops, group size, buffer size and number of buffers that makes a difference.
 *
 * A group size divides the number of PEs. Left out are sizes for which a hop would have no effect, buffers that cannot
 * hold an item, and candidates whose memory exceeds the budget. The trivial type is a candidate only if it is forced: a
 * tensor with small buffers is equivalent.
 *
 * Meshes are those of meshes.ts, unless one is forced, and none beside forced hops or groups.
 *
 * Limits: buffers of 256 bytes to 64 KiB, in powers of two; larger if an item is larger, other sizes if forced. Of many
 * divisors those nearest to a root of the number of PEs are used, and the sizes of measured domains.
 */

import { shareBytes } from "../../links/transport/heap/layout.ts";
import { remoteLinkBytes } from "../../links/transport/mpi/layout.ts";
import {
  bytesOfPE,
  linksByHop,
  ownTableBytes,
  scratchBuffers,
  storedBytes,
} from "../../route/geometry/conveyor-choice.ts";
import { dimensionsOf } from "../../route/geometry/make-route.ts";
import { packingOf } from "../../route/geometry/packing.ts";
import type { Dimension } from "../../route/geometry/route.ts";
import type { Candidate, CostModel, Forced } from "./cost-model.ts";
import { awayOf, type shapeCosts } from "./shape.ts";

/** Largest size of a tag, bytes. */
const TAG = 4;
/** Buffer sizes to try, bytes. */
export const BUFFERS: readonly number[] = [256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536];
/** Number of divisors used for two and for three hops. */
const MOST_SIZES = 12;
/** Largest number of PEs of a group with three hops: a tag has one byte for them. */
const MOST_IN_GROUP = 256;

/** Limits of a set of candidates. */
export interface Constraints {
  readonly pes: number;
  readonly itemBytes: number;
  readonly maxBytes?: number | undefined;
  /** Bytes of the heap that a PE needs for one. @default {@link memoryOf} */
  readonly memory?: ((one: Candidate) => number) | undefined;
  readonly forced?: Forced | undefined;
  /** Buffer sizes to try. @default powers of two from 256 to 65536 */
  readonly buffers?: readonly number[] | undefined;
  /**
   * Whether buffers count that have no room for tags beside their items: the memory has (conveyor-choice.ts), and they
   * are smaller than a plan for a load wants. @default false
   */
  readonly smallest?: boolean | undefined;
  /** Further group sizes to try: those of domains. @default none */
  readonly sizes?: readonly number[] | undefined;
  /** Meshes to try, where neither a mesh nor hops nor groups are forced. @default none */
  readonly meshes?: readonly (readonly number[])[] | undefined;
}

/** All candidates, in a fixed order. */
export function candidatesFor(limits: Constraints): Candidate[] {
  const { pes, itemBytes, maxBytes = Number.POSITIVE_INFINITY, forced = {}, smallest } = limits;
  const { memory = (one) => memoryOf(one, pes) } = limits;
  const shapes = shapesFor(limits);
  const fits = (one: Candidate) =>
    memory(one) <= maxBytes && (one.type === "trivial" || smallest === true || capacityOf(one, itemBytes) > 0);
  return shapes.flatMap((shape) =>
    buffersFor(shape.type, limits)
      .flatMap((bufferBytes) =>
        perLinkFor(shape.type, forced).map((buffersPerLink) => ({ ...shape, bufferBytes, buffersPerLink })),
      )
      .filter(fits),
  );
}

/** Items that fit in a buffer, for a tag of any size. */
function capacityOf({ hops, bufferBytes }: Candidate, itemBytes: number): number {
  return packingOf(itemBytes, hops === 1 ? 0 : TAG, bufferBytes).capacity;
}

/** Bytes of the routes for each PE, at most: over nodes each has them, on one they are shared. */
const ROUTE_BYTES = 12;

/**
 * Bytes of the heap that a PE needs.
 * @param scratch memory beside its links, in buffers
 * @param over nodes: the most PEs of one, and a PE's links to other ones, which have buffers for each direction
 */
export function memoryOf(
  { hops, groupSize, mesh, bufferBytes, buffersPerLink }: Candidate,
  pes: number,
  scratch: number = scratchBuffers(false),
  over: { readonly nodeSize: number; readonly away: number } | null = null,
): number {
  const shape = { size: pes, hops, groupSize, mesh };
  const buffers = { bytes: storedBytes(bufferBytes), perLink: buffersPerLink };
  if (over === null) return bytesOfPE(shape, scratch, buffers);
  // as nodesLayout (route/geometry/nodes.ts): each hop has room for as many links within the node as there can be
  const near = linksByHop(shape).reduce((sum, links) => sum + Math.min(links, over.nodeSize), 0);
  const tables = ownTableBytes(shape) + ROUTE_BYTES * pes;
  return shareBytes(near, scratch, buffers, tables) + over.away * remoteLinkBytes(buffers);
}

/** The same by what is known of shapes. */
export const memoryOn =
  ({ pes, nodes, nodeSize }: CostModel, costs: ReturnType<typeof shapeCosts>, scratch?: number) =>
  (one: Candidate): number =>
    memoryOf(one, pes, scratch, nodes === 1 ? null : { nodeSize, away: awayOf(costs(one)) });

type Shape = Pick<Candidate, "type" | "hops" | "groupSize" | "mesh">;

/** The shape of a forced mesh; none if the PEs do not form it. */
function meshShape(pes: number, mesh: readonly number[], { type = "tensor", hops }: Forced): Shape[] {
  const dims = dimensionsOf(mesh);
  if (type !== "tensor" || hops !== undefined || mesh.reduce((all, one) => all * one, 1) !== pes) return [];
  // one dimension is no mesh, but one hop
  if (dims.length === 1) return [{ type, hops: 1, groupSize: pes }];
  const [{ stride: groupSize }] = dims as readonly [Dimension];
  return [{ type, hops: dims.length, groupSize, mesh: dims.map(({ size }) => size).reverse() }];
}

function shapesFor({ pes, forced = {}, sizes = [], meshes = [] }: Constraints): Shape[] {
  if (forced.mesh !== undefined) return meshShape(pes, forced.mesh, forced);
  if (forced.groupSize !== undefined && pes % forced.groupSize !== 0) return [];
  const types = forced.type === undefined ? (["tensor", "simple"] as const) : [forced.type];
  const all = types.flatMap((type): Shape[] => {
    // of a simple one two hops only where they are wanted: a tensor is as fast
    const hops =
      type === "tensor"
        ? ([1, 2, 3] as const)
        : type === "simple" && forced.hops === 2
          ? ([1, 2] as const)
          : ([1] as const);
    return hops.flatMap((n): Shape[] =>
      n === 1
        ? [{ type, hops: 1, groupSize: pes }]
        : groupSizes(pes, n, sizes, forced).map((groupSize) => ({ type, hops: n, groupSize })),
    );
  });
  const { hops, groupSize } = forced;
  if (hops === undefined && groupSize === undefined)
    return [...all, ...meshes.flatMap((mesh) => meshShape(pes, mesh, forced))];
  if (hops === undefined) return all.filter(inGroups(pes, groupSize as number));
  const own = all.filter((shape) => shape.hops === hops);
  // hops is an upper limit: there are fewer if no grid has so many
  return own.length > 0 || forced.type === "trivial" ? own : all.filter((shape) => shape.hops < hops);
}

/** A forced group size implies more than one hop, if possible. */
const inGroups = (pes: number, size: number) => (shape: Shape) => size === pes || size === 1 || shape.hops > 1;

function groupSizes(pes: number, hops: 2 | 3, measured: readonly number[], { groupSize }: Forced): number[] {
  const makesSense = (n: number) =>
    n > 1 && (hops === 2 ? n < pes : n * n < pes && n <= MOST_IN_GROUP) && pes % n === 0;
  if (groupSize !== undefined) return [groupSize].filter(makesSense);
  const wish = Math.log(pes) / hops;
  const distance = (n: number) => Math.abs(Math.log(n) - wish);
  const divisors = Array.from({ length: pes }, (_, i) => i + 1).filter(makesSense);
  const near = divisors.sort((a, b) => distance(a) - distance(b)).slice(0, MOST_SIZES);
  return [...new Set([...near, ...measured.filter(makesSense)])].sort((a, b) => a - b);
}

function buffersFor(type: Candidate["type"], { itemBytes, forced = {}, buffers = BUFFERS }: Constraints): number[] {
  if (type === "trivial") return [Math.max(itemBytes, forced.bufferBytes ?? 0)];
  if (forced.bufferBytes !== undefined) return [forced.bufferBytes];
  const enough = buffers.filter((bytes) => bytes >= itemBytes);
  return enough.length > 0 ? enough : [itemBytes + TAG + 128];
}

function perLinkFor(type: Candidate["type"], { buffersPerLink }: Forced): (1 | 2 | 4)[] {
  if (type === "trivial") return [1];
  return buffersPerLink === undefined ? [1, 2, 4] : [buffersPerLink];
}
