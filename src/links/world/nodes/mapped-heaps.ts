/**
 * Nodes of one machine map each other's heaps, so that their PEs exchange messages and buffers by plain stores and
 * loads, as PEs of one node do.
 *
 *     memory of node 0   ┌────────────────┬────────────────┬────────────────┐
 *                        │ heap of node 0 │ heap of node 1 │ heap of node 2 │   one WebAssembly memory
 *                        └────────────────┴────────────────┴────────────────┘
 *     memory of node 1   ┌────────────────┬────────────────┬────────────────┐
 *                        │ heap of node 1 │ heap of node 0 │ heap of node 2 │
 *                        └────────────────┴────────────────┴────────────────┘
 *
 * Each heap is a file in memory (ground/memory/memory-file.ts), which its node offers in its hello. Another process
 * that opens it finds a secret of that hello in it, or it is another file: then the processes do not see the same
 * processes, as in containers. All nodes of a machine map all heaps there, or none does: the nodes tell each other.
 *
 * Limits: the heaps must fit in the 4 GiB of a WebAssembly memory together. Where they do not, or mapping fails,
 * messages go by MPI, as they do between machines.
 */
import { closeSync, readSync, writeSync } from "node:fs";
import { nodeCrypto } from "../../../ground/base/node-crypto.ts";
import { setting } from "../../../ground/base/settings.ts";
import { SECRET_AT, SECRET_BYTES } from "../../../ground/memory/heap-layout.ts";
import type { WasmMemory } from "../../../ground/memory/kernels/webassembly.ts";
import { createMemoryFile, mapFile, openMemoryFile } from "../../../ground/memory/memory-file.ts";
import { PAGE, reserveMemory } from "../../../ground/memory/new-heap.ts";
import { ringBytes } from "../../transport/messages/layout.ts";
import { BY_MPI } from "../../transport/nodes.ts";
import type { HeapOffer, Hello } from "./said.ts";

const MAX_BYTES = 4 * 1024 ** 3;
/** Largest part of a heap for the rings of messages from other nodes. */
const MOST_FOR_RINGS = 1 / 8;

/** The memory of a node that has mapped the heaps of others. */
export interface MappedHeaps {
  readonly memory: WasmMemory;
  /** By node: the byte offset of its heap in the memory; {@link BY_MPI} if it is not there. */
  readonly heaps: readonly number[];
}

/** This node's offer; null if it has none. It must be {@link withdraw}n. */
export function offerHeap(heapBytes: number): HeapOffer | null {
  // other values are rejected later
  const isValid = Number.isInteger(heapBytes) && heapBytes > 0 && heapBytes <= MAX_BYTES;
  if (!isValid || setting("mapNodes") === "off") return null;
  const bytes = Math.ceil(heapBytes / PAGE) * PAGE;
  const fd = createMemoryFile(bytes);
  if (fd < 0) return null;
  const secret = nodeCrypto().randomBytes(SECRET_BYTES);
  writeSync(fd, secret, 0, SECRET_BYTES, SECRET_AT);
  return { pid: process.pid, fd, bytes, secret: secret.toString("hex") };
}

/** From now on nobody can open the heap any more; it stays mapped where it is. */
export function withdraw(offer: HeapOffer | null): void {
  if (offer !== null) closeSync(offer.fd);
}

/** The nodes of this machine that map each other's heaps, this one included; none if that is not possible. */
export function mappingNodes(hellos: readonly Hello[], node: number, starts: readonly number[]): readonly number[] {
  const all = [...hellos.keys()].filter(
    (other) => hellos[other].host === hellos[node].host && hellos[other].heap !== null,
  );
  const bytesOf = (other: number) => (hellos[other].heap as HeapOffer).bytes;
  const pesOf = (other: number) => starts[other + 1] - starts[other];
  const total = all.reduce((sum, other) => sum + bytesOf(other), 0);
  const pes = all.reduce((sum, other) => sum + pesOf(other), 0);
  const fits = all.every((other) => pesOf(other) * ringBytes(pes - pesOf(other)) <= bytesOf(other) * MOST_FOR_RINGS);
  return all.length > 1 && all.includes(node) && total <= MAX_BYTES && fits ? all : [];
}

/** Maps the heaps of these nodes; null if that is not possible. */
export function mapHeaps(hellos: readonly Hello[], node: number, among: readonly number[]): MappedHeaps | null {
  const heaps = new Array<number>(hellos.length).fill(BY_MPI);
  let bytes = 0;
  for (const one of [node, ...among.filter((other) => other !== node)]) {
    heaps[one] = bytes;
    bytes += (hellos[one].heap as HeapOffer).bytes;
  }
  try {
    const memory = reserveMemory(bytes);
    const u8 = new Uint8Array(memory.buffer);
    const isMapped = among.every((one) => {
      const offer = hellos[one].heap as HeapOffer;
      return one === node ? mapFile(u8, 0, offer.bytes, offer.fd) : mapOther(u8, heaps[one], offer);
    });
    return isMapped ? { memory, heaps } : null;
  } catch {
    return null; // no address space for all of them
  }
}

function mapOther(u8: Uint8Array, offset: number, { pid, fd: number, bytes, secret }: HeapOffer): boolean {
  const fd = openMemoryFile(pid, number, bytes);
  if (fd < 0) return false;
  try {
    const found = Buffer.alloc(SECRET_BYTES);
    readSync(fd, found, 0, SECRET_BYTES, SECRET_AT);
    return found.toString("hex") === secret && mapFile(u8, offset, bytes, fd);
  } finally {
    closeSync(fd);
  }
}
