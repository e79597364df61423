/** The memories of arrays that are larger than the heap: kernels have no addresses there. */
const memories = new WeakSet<ArrayBufferLike>();

export function addBeside(memory: SharedArrayBuffer): void {
  memories.add(memory);
}

export const isBeside = (memory: ArrayBufferLike): boolean => memories.has(memory);
