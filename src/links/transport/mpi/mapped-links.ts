/**
 * Links to PEs of other nodes of this machine, whose heaps this node has mapped (links/world/nodes/mapped-heaps.ts):
 * the same links as within a node (heap/porter.ts), in the receiver's heap. The sender fills buffers there, and the
 * receiver reads them where they are.
 *
 * A sender looks at its link to know which of its buffers were read, and its receiver may have freed the conveyor by
 * then. So a PE holds the blocks of the nodes that it has links to: it is counted in LEFT (heap/layout.ts) from its
 * first session until it frees the conveyor, and it may be the last one, which frees the block.
 */
import { release } from "../../../ground/memory/allocator.ts";
import type { SitePlan } from "../contract.ts";
import { OVERSIZED } from "../heap/layout.ts";
import { dropBlock } from "../heap/oversized.ts";
import { giveIn } from "../heap/oversized-room.ts";
import type { LinkOffsets, SharedPorter } from "../heap/porter.ts";
import { BY_MPI, heapAt, type Nodes, nodeOf } from "../nodes.ts";
import type { Handshake } from "./link-handshake.ts";
import type { RemoteLink } from "./remote-links.ts";

/** A conveyor's block in the heap of another node. */
interface RemoteBlock {
  /** Byte offsets in this memory: of the heap, and of the block. */
  readonly heap: number;
  readonly at: number;
  /** PEs of the conveyor on that node. */
  readonly pes: number;
}

/** One PE's links of this kind, of all hops of a conveyor. */
export class MappedLinks {
  readonly #i32: Int32Array;
  readonly #nodes: Nodes;
  readonly #members: readonly number[];
  /** By hop: the links, and the byte offsets of those to this PE. */
  readonly #links: readonly (readonly RemoteLink[])[];
  readonly #hopsOf: SitePlan["hopsOf"];
  /** By rank in the conveyor, see {@link isReadBy}. */
  readonly #readers = new Map<number, boolean>();
  readonly #in: readonly number[][];
  readonly #porters: (SharedPorter | undefined)[] = [];
  /** By node. */
  readonly #blocks = new Map<number, RemoteBlock>();
  #isHolding = false;

  /**
   * @param members of the conveyor, by rank in the world
   * @param links by hop
   * @param hopsOf the hops of a PE of the conveyor
   */
  constructor(
    i32: Int32Array,
    nodes: Nodes,
    members: readonly number[],
    links: readonly (readonly RemoteLink[])[],
    hopsOf: SitePlan["hopsOf"],
  ) {
    this.#i32 = i32;
    this.#nodes = nodes;
    this.#members = members;
    this.#links = links;
    this.#hopsOf = hopsOf;
    this.#in = links.map(() => []);
  }

  /** The links of a hop within the node, and these. @param take the byte offset of memory for one link to this PE */
  add(hop: number, near: LinkOffsets, take: () => number): LinkOffsets {
    for (const { link, peer } of this.#links[hop]) {
      const at = take();
      this.#in[hop].push(at);
      near.in[link] = at;
      near.peers[link] = peer;
    }
    const order = Int32Array.of(...near.order, ...this.#links[hop].map(({ link }) => link));
    return { ...near, order };
  }

  /** The porter of a hop. */
  serve(hop: number, porter: SharedPorter): void {
    this.#porters[hop] = porter;
  }

  /** The places that the PEs at the other ends must know. @param block byte offset of the conveyor's block */
  handshakes(block: number): Handshake[] {
    return this.#links.flatMap((list, hop) =>
      list.map(({ peer, theirs }, i) => ({ peer, hop, theirs, block, place: this.#in[hop][i] })),
    );
  }

  /** A handshake has come. @returns whether it is about one of these links */
  know(hop: number, link: number, place: number, block: number): boolean {
    const mapped = this.#links[hop].find((one) => one.link === link);
    if (mapped === undefined) return false;
    const { node } = mapped;
    const heap = heapAt(this.#nodes, node);
    this.#porters[hop]?.know(link, heap + place);
    const pes = this.#members.filter((member) => nodeOf(this.#nodes, member) === node).length;
    this.#blocks.set(node, { heap, at: heap + block, pes });
    return true;
  }

  /** From now on the blocks of the other nodes are in use here; all PEs have begun a session, and none has ended it. */
  hold(): void {
    this.#isHolding = true;
    // pairs with the additions in leave() and in HeapSite.free()
    for (const { at } of this.#blocks.values()) Atomics.sub(this.#i32, at / 4, 1);
  }

  /** This PE uses the links no more. */
  leave(): void {
    if (!this.#isHolding) return;
    this.#isHolding = false;
    for (const { heap, at, pes } of this.#blocks.values()) {
      // pairs with the same addition at the PEs of that node: the last one finds that no PE uses the block any more
      if (Atomics.add(this.#i32, at / 4, 1) + 1 === pes) release(this.#i32.subarray(heap / 4), at - heap);
    }
  }

  /**
   * Whether a PE of another node reads oversized items where this one has left them: it has a link to this node, and so
   * holds the conveyor's block here, which has the count of them. With several hops it may have none.
   */
  isReadBy(dest: number): boolean {
    let isReader = this.#readers.get(dest);
    if (isReader === undefined) {
      const { node } = this.#nodes;
      isReader =
        this.#nodeOf(dest) !== node &&
        heapAt(this.#nodes, this.#nodeOf(dest)) !== BY_MPI &&
        this.#hopsOf(dest).some(({ friends }) => friends.some((pe) => pe >= 0 && this.#nodeOf(pe) === node));
      this.#readers.set(dest, isReader);
    }
    return isReader;
  }

  /** Byte offset of the heap where this PE reads the oversized items of another; {@link BY_MPI} if none. */
  heapOf(sender: number): number {
    return this.#blocks.get(this.#nodeOf(sender))?.heap ?? BY_MPI;
  }

  /** This PE has finished with an oversized item, whose block begins at byte `offset` of the heap of its sender. */
  drop(sender: number, offset: number): void {
    const { heap, at } = this.#blocks.get(this.#nodeOf(sender)) as RemoteBlock;
    if (dropBlock(this.#i32, heap + offset)) giveIn(this.#i32, heap, offset, at / 4 + OVERSIZED);
  }

  #nodeOf(rank: number): number {
    return nodeOf(this.#nodes, this.#members[rank]);
  }

  /** A PE that has not read all that was sent to it; -1 for none. */
  get awaited(): number {
    for (const [hop, list] of this.#links.entries()) {
      const unread = list.find(({ link }) => this.#porters[hop]?.isRead(link) === false);
      if (unread !== undefined) return unread.peer;
    }
    return -1;
  }
}
