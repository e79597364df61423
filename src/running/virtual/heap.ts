/**
 * The heap of virtual PEs: blocks of the memory in which their conveyors' buffers are, too. All nodes share it, as no
 * PE sees an address of another node.
 */

import { Payload } from "../../collectives/team/payload.ts";
import { UsageError } from "../../ground/base/errors.ts";
import type { Block } from "../../ground/memory/allocator.ts";
import { Heap } from "../../ground/memory/heap.ts";
import type { ElementType, LocOp, ReduceOp, TypedArray } from "../../ground/memory/kernels/elements.ts";
import { ARRAYS } from "../../ground/memory/kernels/elements.ts";
import type { Reducer } from "../../ground/memory/kernels/kernels.ts";
import type { VirtualMachine } from "../simulate/machine.ts";
import { MORE_MEMORY, type VirtualMemory } from "../simulate/memory.ts";
import type { VirtualPE } from "../simulate/virtual-pe.ts";

/** Words of a line, and lines taken at once. */
const LINE_BYTES = 64;
const LINES = 64;

export class VirtualHeap extends Heap {
  readonly #memory: VirtualMemory;
  /** Bytes of each block, by its offset. */
  readonly #blocks = new Map<number, number>();
  /** Offsets of lines for messages that are free. */
  readonly #lines: number[] = [];

  constructor(memory: VirtualMemory) {
    super(memory.memory);
    this.#memory = memory;
  }

  override get bytes(): number {
    return this.buffer.byteLength;
  }

  override allocateDirty(wanted: number): Block {
    const { offset, bytes, isFresh } = this.#memory.reserve(wanted);
    this.#blocks.set(offset, bytes);
    return { offset, dirtyBytes: isFresh ? 0 : bytes };
  }

  override free(offset: number): void {
    const bytes = this.#blocks.get(offset);
    if (bytes === undefined) throw new UsageError(`free: expected the offset of a block in use, got ${offset}.`);
    this.#blocks.delete(offset);
    this.#memory.leaveBlock(offset, bytes);
  }

  override get unused(): number {
    return this.#memory.unused;
  }

  /** All nodes share the memory, so it does not say which option has room with what: that is for one node. */
  override describeFree(): { free: string; advice: string } {
    const { free, largest } = this.#memory.room;
    return {
      free: `${free} free, ${largest} in the largest piece`,
      advice: `${MORE_MEMORY}, or free arrays.`,
    };
  }

  /** The line of a message, until {@link leaveLine}. */
  takeLine(): number {
    const lines = this.#lines;
    if (lines.length === 0) {
      const start = this.allocate(LINES * LINE_BYTES);
      for (let line = LINES; line-- > 0; ) lines.push(start + line * LINE_BYTES);
    }
    return lines.pop() as number;
  }

  leaveLine(offset: number): void {
    this.#lines.push(offset);
  }
}

/** Copies of a virtual PE, which take it time by the byte. */
export class VirtualPayload extends Payload {
  readonly #machine: VirtualMachine;
  readonly #pe: VirtualPE;

  constructor(heap: VirtualHeap, machine: VirtualMachine, pe: VirtualPE) {
    super(heap);
    this.#machine = machine;
    this.#pe = pe;
  }

  #work(bytes: number): void {
    this.#pe.clock += this.#machine.delay(this.#machine.settings.costs.byte * bytes);
  }

  override put(x: TypedArray, type: ElementType, start: number, bytes: number, at: number): void {
    super.put(x, type, start, bytes, at);
    this.#work(bytes);
  }

  override get(x: TypedArray, type: ElementType, start: number, bytes: number, at: number): void {
    super.get(x, type, start, bytes, at);
    this.#work(bytes);
  }

  override copy(to: number, from: number, bytes: number): void {
    super.copy(to, from, bytes);
    this.#work(bytes);
  }

  override kernel(op: ReduceOp | LocOp, type: ElementType): Reducer {
    return this.#working(super.kernel(op, type), type);
  }

  override reducer(combine: (a: number, b: number) => number, type: ElementType): Reducer {
    return this.#working(super.reducer(combine, type), type);
  }

  #working(reducer: Reducer, type: ElementType): Reducer {
    const size = ARRAYS[type].BYTES_PER_ELEMENT;
    return (dst, src, count) => {
      reducer(dst, src, count);
      this.#work(count * size);
    };
  }
}
