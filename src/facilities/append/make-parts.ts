/** The memory of append buffers: each node reserves a block for those of its PEs. */
import { roundUp } from "../../ground/item/item-type.ts";
import { LINE } from "../../ground/memory/heap-layout.ts";
import type { Condition } from "../../ground/wait/condition.ts";
import type { Task } from "../../ground/wait/task.ts";
import { type Watcher, watcherOf } from "../../ground/wait/watcher.ts";
import type { Seat } from "../../pe/seat.ts";
import { FREED, partPlaces } from "./layout.ts";
import type { BufferPlace } from "./region.ts";

/** A block: a byte offset in the heap of its node. */
export interface NodeBlock {
  readonly node: number;
  readonly offset: number;
}

/** Where the memory is. */
export interface NodeBlocks {
  /** Of each node that has some of the PEs, in their order. */
  readonly blocks: readonly NodeBlock[];
  /** Of a PE, by its rank: its part, a byte offset in the heap of its node. */
  readonly starts: ReadonlyMap<number, number>;
}

/**
 * Reserves the blocks.
 * @param pes whose parts this PE has to know, by rank @param placesOf where parts begin in a block, and the last one
 * ends @param lengths by rank
 */
export function* makingBlocks(
  { here, nodeOf, rank, collectives }: Seat,
  pes: readonly number[],
  lengths: readonly number[],
  placesOf: (lengths: readonly number[]) => readonly number[],
): Task<NodeBlocks> {
  const { backend } = collectives;
  const onNode = (node: number) => pes.filter((one) => nodeOf[one] === node);
  const placesOn = (node: number) => placesOf(onNode(node).map((one) => lengths[one] as number));
  const own = nodeOf[rank] as number;
  const needed = roundUp(Math.ceil((placesOn(own).at(-1) as number) / here.length), LINE);
  // all PEs allocate the same, so that those of each node have room for the block of its PEs
  const each = yield* collectives.task(backend.allreduce(needed, "max"));
  const empty = placesOf(onNode(own).map(() => 0)).at(-1) as number;
  const lower = (room: number) => {
    const most = Math.max(0, Math.floor((room - empty) / here.length / LINE) * LINE);
    return `Lower the bytes, or the records, of the buffers: ${most} bytes at each PE have room.`;
  };
  const offset = yield* collectives.task(backend.alloc(each, "alloc", { call: "appendBuffer", asked: each, lower }));
  const offsets =
    pes.length === here.length
      ? null
      : ((yield* collectives.task(backend.allgather(Float64Array.of(offset)))) as Float64Array);
  const nodes = [...new Set(pes.map((one) => nodeOf[one] as number))];
  const blocks = nodes.map((node) => {
    const [first] = onNode(node);
    return { node, offset: offsets === null ? offset : (offsets[first as number] as number) };
  });
  const starts = new Map(
    blocks.flatMap(({ node, offset: block }) => {
      const places = placesOn(node);
      return onNode(node).map((one, i) => [one, block + (places[i] as number)] as const);
    }),
  );
  return { blocks, starts };
}

/** Parts into which all PEs that have them store. @param near see Seat.mapped @param lengths by rank */
export function* makingParts(
  seat: Seat,
  near: readonly number[],
  lengths: readonly number[],
): Task<{ readonly parts: readonly BufferPlace[]; free(): void }> {
  const { nodeOf, heap } = seat;
  const places = (of: readonly number[]) => partPlaces(of, near.length);
  const { blocks, starts } = yield* makingBlocks(seat, near, lengths, places);
  // in the order of the PEs, which may alternate between nodes
  const parts = near.map((one) => ({
    at: seat.heapOf(nodeOf[one] as number) + (starts.get(one) as number),
    length: lengths[one] as number,
  }));
  const free = () => {
    for (const block of blocks) {
      const word = (seat.heapOf(block.node) + block.offset + FREED) / 4;
      // pairs with the same addition at the other PEs: the last one knows that none uses the block any more
      if (Atomics.add(heap.i32, word, 1) + 1 === near.length) seat.release(block.node, block.offset);
    }
  };
  return { parts, free };
}

/** A wait for something that no waker tells of. */
export const polling = (
  call: string,
  ready: () => boolean,
  { whom, ...more }: Partial<Watcher> & Pick<Condition, "whom"> = {},
): Condition => ({
  peer: -1,
  pollMs: 1,
  ready,
  spin: ready,
  watcher: { ...watcherOf(call), ...more },
  ...(whom === undefined ? {} : { whom }),
});
