/** Brings committed entries to all replicas: along the tree of the acceptor, or from it to one after the other. */

import type { Shared } from "./shared.ts";
import { LEARN, NOBODY, writeHeader } from "./wire/message.ts";
import { type Reach, reachChildren, Trees } from "./wire/tree.ts";

export class Spread implements Reach {
  readonly #shared: Shared;
  readonly #trees: Trees;
  #bytes: Uint8Array = new Uint8Array(0);
  /** The same message, not to be passed on; made when it is needed. */
  #lone: Uint8Array | null = null;
  #now = 0;
  /** Those that were not sent something, as too much waited for them. */
  readonly #owed: Set<number> = new Set();

  constructor(shared: Shared) {
    this.#shared = shared;
    this.#trees = new Trees(shared.settings.treeFor, shared.size);
    // what is wrong with a tree is told at once
    for (let root = 0; root < shared.size; root++) this.#trees.of(root);
  }

  /** As the acceptor: sends entries to all. @param bytes a message with space for its header */
  send(bytes: Uint8Array, first: number, count: number): void {
    const { rank, config } = this.#shared;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    writeHeader(view, { kind: LEARN, rank, epoch: config.epoch, index: first, extra: count });
    this.pass(bytes, rank);
  }

  /** Whether somebody was not sent something. */
  get owes(): boolean {
    return this.#owed.size > 0;
  }

  /** Those that have got all that waited for them, and should fetch what they were not sent. */
  relieved(): number[] {
    const relieved = [...this.#owed].filter((member) => this.#shared.members.backlog(member) === 0);
    for (const member of relieved) this.#owed.delete(member);
    return relieved;
  }

  /** Passes a message that has come on to the children of this replica. */
  pass(bytes: Uint8Array, root: number): void {
    const { rank, members, size } = this.#shared;
    if (root >= size) return;
    this.#bytes = bytes;
    this.#lone = null;
    this.#now = members.now;
    reachChildren(this.#trees.of(root), rank, this);
  }

  ability(child: number): 0 | 1 | 2 {
    const { watch, members, settings } = this.#shared;
    if (watch.isLost(child)) return 0;
    if (members.backlog(child) > settings.backlogBytes) {
      this.#owed.add(child);
      return 0;
    }
    return watch.isSuspected(child, this.#now) ? 1 : 2;
  }

  relay(child: number): void {
    this.#shared.out.post(child, this.#bytes);
  }

  only(child: number): void {
    if (this.#lone === null) {
      this.#lone = this.#bytes.slice();
      new DataView(this.#lone.buffer).setUint16(2, NOBODY, true);
    }
    this.#shared.out.post(child, this.#lone);
  }
}
