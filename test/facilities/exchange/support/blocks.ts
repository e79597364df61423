/** Blocks that PEs send to each other, each determined by its numbers, and the check that all came once and in order. */
import * as assert from "uvu/assert";
import type { Chunk } from "../../../../src/facilities/exchange/incoming.ts";

/** Who sends what to whom. */
export type Pattern = "random" | "hot spot" | "permutation" | "all pairs" | "nothing";
export const PATTERNS: readonly Pattern[] = ["random", "hot spot", "permutation", "all pairs", "nothing"];

export interface Block {
  readonly dest: number;
  readonly tag: number;
  readonly bytes: number;
}

/** A phase: the blocks of every PE. */
export interface Traffic {
  readonly pattern: Pattern;
  readonly seed: number;
  /** Blocks of a PE, and bytes of the largest. */
  readonly blocks: number;
  readonly most: number;
}

/** The bytes of a block. */
export function dataOf(from: number, { dest, tag, bytes }: Block): Uint8Array {
  const data = new Uint8Array(bytes);
  for (let i = 0; i < bytes; i++) data[i] = from * 31 + dest * 17 + tag * 7 + i + (i >>> 8);
  return data;
}

/** What a PE sends, in order. */
export function blocksOf({ pattern, seed, blocks, most }: Traffic, pe: number, size: number): Block[] {
  const random = generator(seed * 1000 + pe);
  const below = (n: number) => Math.floor(random() * n);
  const count = pattern === "nothing" ? 0 : pattern === "all pairs" ? size : blocks;
  return Array.from({ length: count }, (_, tag) => {
    const dest =
      pattern === "hot spot"
        ? below(4) > 0
          ? seed % size
          : below(size)
        : pattern === "permutation"
          ? (pe + 1 + (seed % size)) % size
          : pattern === "all pairs"
            ? (pe + tag) % size
            : below(size);
    return { dest, tag, bytes: below(5) === 0 ? 0 : below(most + 1) };
  });
}

function generator(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 12), 0x297a2d39);
    x ^= x >>> 15;
    return (x >>> 0) / 2 ** 32;
  };
}

/** Checks what comes to a PE in one phase. */
export class Receipt {
  readonly #pe: number;
  /** By sender: the blocks that are to come, and the bytes of the first that came. */
  readonly #expected: { readonly block: Block; readonly data: Uint8Array }[][];
  readonly #came: number[];

  constructor(traffic: Traffic, pe: number, size: number) {
    this.#pe = pe;
    this.#expected = Array.from({ length: size }, (_, from) =>
      blocksOf(traffic, from, size)
        .filter(({ dest }) => dest === pe)
        .map((block) => ({ block, data: dataOf(from, block) })),
    );
    this.#came = Array.from({ length: size }, () => 0);
  }

  take({ from, tag, offset, total, bytes }: Chunk): void {
    const [first] = this.#expected[from];
    const where = `PE ${this.#pe} from ${from}`;
    assert.ok(first, `${where}: more than was sent`);
    assert.is(tag, first.block.tag, `${where}: tag`);
    assert.is(total, first.block.bytes, `${where}: total`);
    assert.is(offset, this.#came[from], `${where}: offset`);
    assert.ok(
      Buffer.from(first.data.buffer, offset, bytes.length).equals(bytes),
      `${where}: bytes of block ${tag} from ${offset} on`,
    );
    this.#came[from] += bytes.length;
    if (this.#came[from] < total) return;
    this.#expected[from].shift();
    this.#came[from] = 0;
  }

  /** All has come. */
  close(): void {
    for (const [from, blocks] of this.#expected.entries()) {
      assert.is(blocks.length, 0, `PE ${this.#pe}: blocks from ${from} have not come`);
    }
  }
}
