/**
 * The transactions that a member knows, by coordinator. What is decided is kept until its coordinator tells that all
 * have the decision: as long, somebody may be in doubt and ask for it.
 */

import type { TransactionId } from "./participant.ts";
import type { TransactionPart } from "./transaction.ts";

export class TransactionParts {
  readonly #parts: Map<number, TransactionPart>[];
  /** Transactions below are forgotten, by coordinator. */
  readonly #floors: number[];

  constructor(size: number) {
    this.#parts = Array.from({ length: size }, () => new Map());
    this.#floors = new Array(size).fill(1);
  }

  get({ coordinator, sequence }: TransactionId): TransactionPart | undefined {
    return this.#parts[coordinator]?.get(sequence);
  }

  isForgotten({ coordinator, sequence }: TransactionId): boolean {
    return sequence < (this.#floors[coordinator] as number);
  }

  add(part: TransactionPart): void {
    this.#parts[part.id.coordinator]?.set(part.id.sequence, part);
  }

  /** All below `floor` are decided everywhere. */
  forget(coordinator: number, floor: number): void {
    const parts = this.#parts[coordinator] as Map<number, TransactionPart>;
    for (let s = this.#floors[coordinator] as number; s < floor; s++) {
      parts.delete(s);
      this.#floors[coordinator] = s + 1;
    }
  }

  of(coordinator: number): Iterable<TransactionPart> {
    return (this.#parts[coordinator] as Map<number, TransactionPart>).values();
  }

  *all(): Iterable<TransactionPart> {
    for (const parts of this.#parts) yield* parts.values();
  }
}
