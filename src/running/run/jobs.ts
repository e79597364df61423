/** The job of a PE's thread, its reports, and the results of one run. */
import type { RankLostError } from "../../ground/base/errors.ts";
import type { PETrace } from "../trace/collect.ts";

/** One run of a module. */
export interface Job {
  /** From 1 on, in an open world; 1 for launch(). */
  readonly number: number;
  readonly module: string;
  readonly args: unknown;
}

/** A message from the launcher to the thread of a PE in an open world. */
export type Order = { readonly kind: "run"; readonly job: Job } | { readonly kind: "leave" };

/** A message from the thread of a PE to the launcher. */
export type WorkerReport =
  /** The result of its main; undefined from a PE of an open world that is ready. */
  | { readonly kind: "result"; readonly value: unknown; readonly made?: string }
  /** A message that its program has posted. */
  | { readonly kind: "post"; readonly value: unknown }
  | { readonly kind: "trace"; readonly trace: PETrace }
  /** Its main has thrown. In a world that goes on without it the account says what (ground/base/account.ts). */
  | { readonly kind: "failed"; readonly account?: Uint8Array | undefined }
  /** Its main has returned: PEs of other nodes are told. */
  | { readonly kind: "returned" }
  /** A PE of an open world has left. */
  | { readonly kind: "left" };

/** Called with what a PE posts, and its rank. */
export type MessageListener = (value: unknown, rank: number) => void;

/** The results of one run, of the PEs of a node. */
export class Results {
  readonly values: unknown[];
  /** Ranks of PEs that have not returned. */
  readonly missing: Set<number>;
  readonly onPost: MessageListener;
  /** The calls of the PEs: CallsMade as JSON, which is cheaper to send, and to compare. */
  readonly made: Map<number, string> = new Map();
  readonly #first: number;
  /** Resolves when none is missing, or none comes any more. */
  readonly complete: Promise<void>;
  #resolve: () => void = () => {};

  /** @param lost PEs that are lost already: their results are why */
  constructor(first: number, size: number, lost: readonly RankLostError[], onPost: MessageListener) {
    this.#first = first;
    this.onPost = onPost;
    this.values = new Array(size);
    this.missing = new Set(Array.from({ length: size }, (_, nodeRank) => first + nodeRank));
    this.complete = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    for (const error of lost) this.set(error.rank, error);
  }

  /** @returns whether the PE was missing */
  set(rank: number, value: unknown): boolean {
    if (!this.missing.delete(rank)) return false;
    this.values[rank - this.#first] = value;
    if (this.missing.size === 0) this.#resolve();
    return true;
  }

  /** No further result comes. */
  end(): void {
    this.#resolve();
  }
}
