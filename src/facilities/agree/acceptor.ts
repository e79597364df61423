/**
 * The acceptor of an epoch, and those that may become one. What it accepts is committed by that: it knows all that is.
 *
 * A replica that wants to lead the next epoch lets its acceptor hold first all that may be committed (HOLD): it is
 * accepted when the configuration of these two is chosen, and not before. Per epoch and leader there is only one such
 * sequence, as a leader holds what it has proposed and proposes no more, and any other what a sealed acceptor has
 * accepted.
 */

import type { Learner } from "./learner.ts";
import { ensure, type Shared } from "./shared.ts";
import type { Spread } from "./spread.ts";
import type { Config } from "./wire/config.ts";
import { skipEntries } from "./wire/entries.ts";
import { HEADER, HELD, type IncomingMessage, SEALED } from "./wire/message.ts";

interface Held {
  /** The index of the last entry. */
  end: number;
  /** Messages, each behind the one before. */
  readonly parts: { readonly first: number; readonly count: number; readonly bytes: Uint8Array }[];
}

export class Acceptor {
  readonly #shared: Shared;
  readonly #learner: Learner;
  readonly #spread: Spread;
  /** For the next epoch, by leader. */
  readonly #held: Map<number, Held> = new Map();
  /** Messages that were accepted and are to be spread: once they are durable. */
  #accepted: { readonly first: number; readonly count: number; readonly bytes: Uint8Array }[] = [];

  constructor(shared: Shared, learner: Learner, spread: Spread) {
    this.#shared = shared;
    this.#learner = learner;
    this.#spread = spread;
  }

  /** The leader of this epoch proposes. */
  accept({ from, epoch, index, extra, bytes, view }: IncomingMessage): void {
    const shared = this.#shared;
    const { config, log } = shared;
    if (epoch !== config.epoch || !shared.isAcceptor || shared.sealed || from !== config.leader) return;
    ensure(index === shared.learned + 1, `acceptor: proposal ${index} of epoch ${epoch} came behind ${shared.learned}`);
    skipEntries(view, HEADER, extra);
    const kept = bytes.slice();
    log.append(extra, kept, HEADER);
    shared.learned = log.end;
    this.#accepted.push({ first: index, count: extra, bytes: kept });
  }

  /** Sends all replicas what was accepted. */
  spread(): void {
    if (this.#accepted.length === 0) return;
    for (const { first, count, bytes } of this.#accepted) this.#spread.send(bytes, first, count);
    this.#accepted = [];
  }

  /** Somebody wants to replace the leader of an epoch. */
  seal({ from, epoch }: IncomingMessage): void {
    const shared = this.#shared;
    if (epoch !== shared.config.epoch || !shared.isAcceptor) return;
    shared.sealed = true;
    shared.out.send(from, { kind: SEALED, epoch, index: shared.learned });
  }

  /** A question: the entry that this replica holds for an epoch under `from`. */
  asked({ from, epoch }: IncomingMessage): void {
    const { config, out } = this.#shared;
    if (epoch === config.epoch + 1) out.send(from, { kind: HELD, epoch, index: this.#endOf(from) });
  }

  hold({ from, epoch, index, extra, bytes, view }: IncomingMessage): void {
    if (epoch !== this.#shared.config.epoch + 1) return;
    const end = this.#endOf(from);
    if (index > end + 1 || index + extra - 1 <= end) return;
    skipEntries(view, HEADER, extra);
    const held = this.#held.get(from) ?? { end: 0, parts: [] };
    held.parts.push({ first: index, count: extra, bytes: bytes.slice() });
    held.end = index + extra - 1;
    this.#held.set(from, held);
  }

  /** A new epoch. If this replica is its acceptor, what it holds is now committed. */
  enter({ leader, top, epoch }: Config): void {
    const shared = this.#shared;
    const held = this.#held.get(leader);
    this.#held.clear();
    if (!shared.isAcceptor) return;
    const before = shared.learned;
    for (const { first, count, bytes } of held?.parts ?? []) {
      if (first <= top) this.#learner.learn(first, count, bytes, HEADER, true);
    }
    ensure(
      shared.learned === top,
      `acceptor: epoch ${epoch} begins behind ${top}, and this replica has ${shared.learned}`,
    );
    for (let first = before + 1; first <= top; ) {
      const { count, bytes } = shared.log.copy(first, top, shared.settings.batchBytes, HEADER);
      this.#accepted.push({ first, count, bytes });
      first += count;
    }
  }

  #endOf(leader: number): number {
    return Math.max(this.#shared.learned, this.#held.get(leader)?.end ?? 0);
  }
}
