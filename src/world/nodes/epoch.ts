/** One world of a job, as the main threads of its nodes see it: who has come, how it has ended, who has gone. */

import { encodeVerdict } from "../../base/account.ts";
import { shortText } from "../../base/short-text.ts";
import type { RemoteCosts } from "../../machine/remote-costs.ts";
import { LOST, TERMINATION_ACCOUNT_BYTES } from "../../wait/layout.ts";
import type { EndRecord } from "../../wait/termination.ts";

/** What a node says of itself at the start. */
export interface Hello {
  /** PEs that it was told to have; null when it was not. */
  readonly pes: number | null;
  /** CPUs that it can use, in order, as many as it is given the time of. */
  readonly cpus: readonly number[];
  /** The same for nodes on one machine. */
  readonly host: string;
  /** Whether its PEs compare their calls. */
  readonly checks: boolean;
  /** What messages cost, as far as it knows; that of node 0 counts, so that all have the same trees. */
  readonly costs: RemoteCosts;
}

/** What nodes tell each other (control.ts). */
export type Said =
  | { readonly kind: "hello"; readonly hello: Hello }
  | { readonly kind: "end"; readonly end: EndRecord; readonly silent: number }
  | { readonly kind: "gone" }
  | { readonly kind: "bye" }
  | { readonly kind: "beat" };

/** What carries the words of a world (control.ts). */
export interface EpochControl {
  readonly node: number;
  readonly nodes: number;
  readonly tagsUsed: Int32Array;
  tellAll(epoch: number, said: Said): void;
  /** Calls `look` now and then. */
  watch(look: () => void): void;
  unwatch(look: () => void): void;
  /** The world is over. */
  close(epoch: Epoch): void;
}

/** How long a node that has ended waits for the others when the world has failed, ms. */
const END_PATIENCE_MS = 5000;

/** The end of a world that lacks something. */
export const lost = (rank: number, message: string, cause?: unknown): EndRecord => {
  const account = encodeVerdict({ rank, message, cause }, TERMINATION_ACCOUNT_BYTES);
  return { ending: LOST, rank, account: Buffer.from(account).toString("base64") };
};

/** One world of this job, for the main thread of a node. */
export class Epoch {
  readonly number: number;
  readonly #control: EpochControl;
  readonly hellos: (Hello | undefined)[];
  readonly gone: boolean[];
  /** How another node says that the world has ended; the first to come. */
  end: EndRecord | null = null;
  /** The node that was lost then, and is not waited for; -1 for none. */
  silent = -1;
  /** The first rank of each node, once it is known. */
  starts: readonly number[] | null = null;
  /** Called now and then, when something may have come. */
  onNews: () => void = () => {};
  #left = false;

  /** @internal */
  constructor(control: EpochControl, number: number) {
    this.#control = control;
    this.number = number;
    this.hellos = new Array<Hello | undefined>(control.nodes).fill(undefined);
    this.gone = new Array<boolean>(control.nodes).fill(false);
  }

  get node(): number {
    return this.#control.node;
  }

  /** One word, the same in all worlds of this process (mailbox.ts). */
  get tagsUsed(): Int32Array {
    return this.#control.tagsUsed;
  }

  /** Says what this node has; resolves with what all have. @throws the reason of `stop`, or what ended the world */
  async meet(hello: Hello, stop: AbortSignal): Promise<readonly Hello[]> {
    this.hellos[this.node] = hello;
    this.#control.tellAll(this.number, { kind: "hello", hello });
    await this.#until(() => this.end !== null || this.hellos.every((one) => one !== undefined), stop);
    return this.hellos as Hello[];
  }

  /**
   * Says that the world has ended, unless another node has.
   * @param silent the node that does not answer; -1 for none
   */
  tellEnd(end: EndRecord, silent = -1): void {
    if (this.end !== null) return;
    this.end = end;
    this.silent = silent;
    this.#control.tellAll(this.number, { kind: "end", end, silent });
  }

  /** Says that this node could not go on, unless the world has ended already. */
  fail(error: Error): void {
    const rank = this.starts?.[this.node] ?? -1;
    this.tellEnd(lost(rank, `Node ${this.node} could not start the world: ${shortText(error)}`, error));
  }

  /**
   * Says that this node has come to its end; resolves when all have, or when the world has failed and they have had
   * the time to learn of it. Once more does nothing.
   */
  async leave(): Promise<void> {
    if (this.#left) return;
    this.#left = true;
    this.gone[this.node] = true;
    this.#control.tellAll(this.number, { kind: "gone" });
    let since = 0;
    await this.#until(() => {
      if (this.end !== null) since ||= performance.now();
      const left = this.gone.every((gone, node) => gone || node === this.silent);
      return left || (since > 0 && performance.now() - since > END_PATIENCE_MS);
    });
    this.#control.close(this);
  }

  #until(ready: () => boolean, stop?: AbortSignal): Promise<void> {
    const control = this.#control;
    return new Promise((resolve, reject) => {
      const look = () => {
        if (ready()) resolve();
        else if (stop?.aborted) reject(stop.reason as Error);
        else return;
        control.unwatch(look);
        stop?.removeEventListener("abort", look);
      };
      control.watch(look);
      stop?.addEventListener("abort", look);
      look();
    });
  }
}
