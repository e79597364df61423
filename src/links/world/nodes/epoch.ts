/** A world of a job, as the main threads of its nodes see it: who is present, how it ended, who has left. */

import { encodeVerdict } from "../../../ground/base/account.ts";
import { RankLostError, sentenceOf } from "../../../ground/base/errors.ts";
import { monotonic } from "../../../ground/base/event-loop/timers.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import { onAbort } from "../../../ground/wait/abort.ts";
import { LOST, TERMINATION_ACCOUNT_BYTES } from "../../../ground/wait/layout.ts";
import { type EndRecord, errorOf } from "../../../ground/wait/termination.ts";
import type { ControlPayload, Hello, NodeDomains } from "./said.ts";

/** Why a run has not ended well: the world has ended, a node has closed it, or a node's calls are different. */
export interface Unfinished {
  readonly what: "ended" | "closed" | "calls";
  readonly node: number;
}

/** Carries the control messages of a world (control.ts). */
export interface EpochControl {
  readonly node: number;
  readonly nodes: number;
  readonly tagsUsed: Int32Array;
  sendToAll(epoch: number, said: ControlPayload): void;
  /** Whether the world keeps the process alive. */
  keep(keeps: boolean): void;
  /** Calls `look` periodically. */
  watch(look: () => void): void;
  unwatch(look: () => void): void;
  /** The world has ended. */
  close(epoch: Epoch): void;
}

/** Longest wait of a node for the others after the world has failed, ms. */
const END_TIMEOUT_MS = 5000;

/** The end of a world that lost a PE or a node. */
export const lost = (rank: number, message: string, cause?: unknown): EndRecord => {
  const account = encodeVerdict({ rank, message, cause }, TERMINATION_ACCOUNT_BYTES);
  return { ending: LOST, rank, account: Buffer.from(account).toString("base64") };
};

/** One world of this job, for the main thread of a node. */
export class Epoch {
  readonly number: number;
  readonly #control: EpochControl;
  readonly hellos: (Hello | undefined)[];
  /** By node: whether it has mapped the heaps of its machine, once it has said so. */
  readonly mapped: (boolean | undefined)[];
  /** By node: its domains, once it has told them. */
  readonly domains: (NodeDomains | undefined)[];
  readonly gone: boolean[];
  /** By node: whether it will make the window of the world when all others will (window-relay.ts). */
  readonly windows: boolean[];
  /** By node: whether it has made it. */
  readonly windowsMade: boolean[];
  /** PEs of other nodes whose mains have returned while the nodes are there: in which run, and since when, ms. */
  readonly returned: Map<number, { readonly run: number; readonly at: number }> = new Map();
  /** The run that this node's PEs are in, of those of an open world. */
  run = 0;
  /**
   * By node: the last run that all its PEs have returned from, and what they have called in the world
   * (pe/calls-compared.ts); "" if it is not to be compared.
   */
  readonly finished: { readonly run: number; readonly calls: string; readonly isLast: boolean }[];
  /** The end of the world as the first other node reported it. */
  end: EndRecord | null = null;
  /** The lost node, which is not waited for; -1 for none. */
  silent = -1;
  /** Whether the error of the end is every node's own ({@link atAll}). */
  isCommon = false;
  /** PEs of other nodes that are lost, and why, in a world that goes on without them. */
  readonly lost: Map<number, string> = new Map();
  /** Nodes that are lost, in a world that goes on without them. */
  readonly cut: Set<number> = new Set();
  /** Whether the world goes on without PEs that are lost. */
  isSurvived = false;
  /** The first rank of each node, once known. */
  starts: readonly number[] | null = null;
  /** Called periodically, and when a message may have been received. */
  readonly looks: Set<() => void> = new Set();
  #left = false;

  constructor(control: EpochControl, number: number) {
    this.#control = control;
    this.number = number;
    this.hellos = new Array<Hello | undefined>(control.nodes).fill(undefined);
    this.mapped = new Array<boolean | undefined>(control.nodes).fill(undefined);
    this.domains = new Array<NodeDomains | undefined>(control.nodes).fill(undefined);
    this.gone = new Array<boolean>(control.nodes).fill(false);
    this.finished = new Array(control.nodes).fill({ run: -1, calls: "", isLast: false });
    this.windows = new Array<boolean>(control.nodes).fill(false);
    this.windowsMade = new Array<boolean>(control.nodes).fill(false);
  }

  get node(): number {
    return this.#control.node;
  }

  /** One word, shared by all worlds of this process (mailbox.ts). */
  get tagsUsed(): Int32Array {
    return this.#control.tagsUsed;
  }

  /** Sends this node's hello; resolves with all. @throws the reason of `stop`, or the error that ended the world */
  async meet(hello: Hello, stop: AbortSignal): Promise<readonly Hello[]> {
    this.hellos[this.node] = hello;
    this.#control.sendToAll(this.number, { kind: "hello", hello });
    await this.#until(() => this.end !== null || this.hellos.every((one) => one !== undefined), stop);
    return this.hellos as Hello[];
  }

  /** Tells whether this node has mapped the heaps of `among`; resolves with whether all have. @throws on `stop` */
  async agree(isMapped: boolean, among: readonly number[], stop: AbortSignal): Promise<boolean> {
    this.mapped[this.node] = isMapped;
    this.#control.sendToAll(this.number, { kind: "mapped", isMapped });
    const { mapped } = this;
    await this.#until(() => this.end !== null || among.every((node) => mapped[node] !== undefined), stop);
    return among.every((node) => mapped[node] === true);
  }

  /** Tells this node's domains; resolves with those of all nodes. @throws the reason of `stop` */
  async tellDomains(own: NodeDomains, stop: AbortSignal): Promise<readonly NodeDomains[]> {
    const { domains } = this;
    domains[this.node] = own;
    this.#control.sendToAll(this.number, { kind: "domains", domains: own });
    await this.#until(() => this.end !== null || domains.every((one) => one !== undefined), stop);
    return domains as NodeDomains[];
  }

  /** Tells that the main of a PE of this node has returned, which still serves others. */
  tellReturned(rank: number): void {
    this.#control.sendToAll(this.number, { kind: "returned", rank, run: this.run });
  }

  /** Whether the world keeps the process alive: not while an open one waits for its next run. */
  keep(keeps: boolean): void {
    this.#control.keep(keeps);
  }

  /**
   * Tells that all PEs of this node have returned from the run, and what they have called. Resolves when those of all
   * nodes have: no call of one run meets one of the next. Or when the world has ended, or `stop` says so.
   * @param isLast whether its PEs leave the world with this run
   * @returns what is wrong; null if all is well, even if the world has ended since: that concerns the next run
   */
  async finish(calls: string, stop: AbortSignal, isLast: boolean): Promise<Unfinished | null> {
    const { run, finished } = this;
    finished[this.node] = { run, calls, isLast };
    this.#control.sendToAll(this.number, { kind: "finished", run, calls, isLast });
    const nodes = [...finished.keys()];
    await this.#until(() => this.end !== null || stop.aborted || this.unfinished.length === 0);
    const missing = nodes.find((node) => this.#isInRun(node));
    if (missing !== undefined) return { what: this.end !== null || stop.aborted ? "ended" : "closed", node: missing };
    // one of a later run was the same in this one, or that node would not have begun it
    const differs = (node: number) => {
      const told = finished[node];
      return told?.run === run && told.calls !== "" && told.calls !== calls;
    };
    const other = calls === "" ? undefined : nodes.find(differs);
    return other === undefined ? null : { what: "calls", node: other };
  }

  /** Nodes that have neither left nor told that all their PEs have returned from the run. */
  get unfinished(): readonly number[] {
    return [...this.gone.keys()].filter((node) => !this.gone[node] && this.#isInRun(node));
  }

  /** Whether all PEs of a node have left the world, though the node may wait for the others. */
  hasLeft(node: number): boolean {
    return this.gone[node] === true || this.finished[node]?.isLast === true;
  }

  #isInRun(node: number): boolean {
    return (this.finished[node]?.run ?? -1) < this.run && !this.cut.has(node);
  }

  /** Tells that a PE is lost, in a world that goes on without it. */
  tellLost(rank: number, message: string): void {
    this.#control.sendToAll(this.number, { kind: "lost", rank, message });
  }

  /** A node is lost that does not answer: its PEs are, if the world goes on without them, else the world ends. */
  lose(node: number, message: string): void {
    const { starts } = this;
    if (starts === null || !this.isSurvived) {
      this.reportEnd(lost(starts?.[node] ?? -1, message), node);
      return;
    }
    this.#loseNode(node, message);
    this.#control.sendToAll(this.number, { kind: "lost node", node, message });
  }

  #loseNode(node: number, message: string): void {
    const { starts } = this;
    if (this.gone[node] || starts === null) return;
    if (node === this.node) {
      // the others go on without this node, which was silent for too long
      this.end ??= lost(-1, `This node was taken for lost by another one: ${message}`);
      return;
    }
    this.gone[node] = true;
    this.cut.add(node);
    for (let rank = starts[node] as number; rank < (starts[node + 1] as number); rank++) this.lost.set(rank, message);
  }

  /** Tells that this node will make the window of the world when all others will. */
  agreeToWindow(): void {
    this.windows[this.node] = true;
    this.#control.sendToAll(this.number, { kind: "window" });
  }

  /** Tells that this node has made it: all must have before any frees it. */
  madeWindow(): void {
    this.windowsMade[this.node] = true;
    this.#control.sendToAll(this.number, { kind: "window made" });
  }

  /** Reports the end of the world, unless another node has. @param silent the node that does not answer; or -1 */
  reportEnd(end: EndRecord, silent = -1, isCommon = false): void {
    if (this.end !== null) return;
    Object.assign(this, { end, silent, isCommon });
    this.#control.sendToAll(this.number, { kind: "end", end, silent, isCommon });
  }

  /** Reports that this node could not continue, unless the world has ended already. @param what it could not do */
  fail(error: Error, isCommon = false, what = "could not start the world"): void {
    const rank = this.starts?.[this.node] ?? -1;
    // all PEs of a world that goes on without lost ones are lost: it has run
    const message =
      error instanceof RankLostError ? sentenceOf(error) : `Node ${this.node} ${what}: ${shortText(error)}`;
    this.reportEnd(lost(rank, message, error), -1, isCommon);
  }

  /**
   * Does what fails at every node if it fails at one, as all go by the same. Which node is the first does not matter
   * then, and none is lost: each throws the reason.
   */
  atAll<T>(check: () => T): T {
    try {
      return check();
    } catch (error) {
      this.fail(error as Error, true);
      throw error;
    }
  }

  /** @throws the error that ended the world at another node, if one has */
  check(): void {
    if (this.end === null) return;
    const error = errorOf(this.end);
    // an account of little room has no cause
    throw this.isCommon && error.cause instanceof Error ? error.cause : error;
  }

  /**
   * Reports that this node has finished. Resolves when all nodes have, or when the world has failed and they had time
   * to receive that. A second call has no effect.
   */
  async leave(): Promise<void> {
    if (this.#left) return;
    this.#left = true;
    this.gone[this.node] = true;
    this.#control.sendToAll(this.number, { kind: "gone" });
    let since = 0;
    await this.#until(() => {
      if (this.end !== null) since ||= monotonic();
      const left = this.gone.every((gone, node) => gone || node === this.silent);
      return left || (since > 0 && monotonic() - since > END_TIMEOUT_MS);
    });
    this.#control.close(this);
  }

  /** Takes another node at its word about this world. */
  hear(node: number, said: ControlPayload): void {
    if (said.kind === "hello") this.hellos[node] = said.hello;
    else if (said.kind === "mapped") this.mapped[node] = said.isMapped;
    else if (said.kind === "domains") this.domains[node] = said.domains;
    else if (said.kind === "returned") this.returned.set(said.rank, { run: said.run, at: monotonic() });
    else if (said.kind === "finished") this.finished[node] = said;
    else if (said.kind === "lost") this.lost.set(said.rank, said.message);
    else if (said.kind === "lost node") this.#loseNode(said.node, said.message);
    else if (said.kind === "window") this.windows[node] = true;
    else if (said.kind === "window made") this.windowsMade[node] = true;
    else if (said.kind === "gone") this.gone[node] = true;
    else if (said.kind === "end" && this.end === null) {
      const { end, silent, isCommon } = said;
      Object.assign(this, { end, silent, isCommon });
    }
  }

  #until(ready: () => boolean, stop?: AbortSignal): Promise<void> {
    const control = this.#control;
    return new Promise((resolve, reject) => {
      const look = () => {
        if (ready()) resolve();
        else if (stop?.aborted) reject(stop.reason as Error);
        else return;
        control.unwatch(look);
        unwatch();
      };
      const unwatch = onAbort(stop, look);
      control.watch(look);
      look();
    });
  }
}
