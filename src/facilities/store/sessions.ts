/**
 * The state that makes each write of a client take effect once, although the client sends it again when its replica is
 * lost: for each client, the outcomes of its writes that it may not know yet. Part of the replicated state: the same at
 * all replicas after the same commands.
 *
 * A client numbers its writes from 1. With each it tells the lowest number whose outcome it does not know (`oldest`):
 * those below are dropped. Of clients, as many as {@link MOST_CLIENTS} are kept, those that have written last. A client
 * also tells an index that the order had reached when it began (`born`): one that is not known here and began before a
 * forgotten client has last written may be that client, and is refused. So a write is never applied twice, whatever is
 * forgotten.
 */
import type { ByteReader, ByteWriter } from "./bytes.ts";
import { type CommandOutcome, FORGOTTEN, type WriteSession } from "./command.ts";

interface Client {
  oldest: number;
  /** The index of its last write. */
  last: number;
  readonly outcomes: Map<number, CommandOutcome>;
}

const MOST_CLIENTS = 2 ** 14;

export class WriteSessions {
  /** In the order of their last writes. */
  readonly #clients = new Map<number, Client>();
  readonly #most: number;
  /** The highest index of a write of a client that was forgotten. */
  #forgotten = 0;

  /** @param most clients that are kept */
  constructor(most: number = MOST_CLIENTS) {
    this.#most = most;
  }

  /** Applies a write unless it was applied before. @returns its outcome, then or now */
  once(session: WriteSession, index: number, apply: () => CommandOutcome): CommandOutcome {
    const { id, born, oldest, at } = session;
    let client = this.#clients.get(id);
    if (client === undefined) {
      if (born < this.#forgotten) return FORGOTTEN;
      client = { oldest, last: index, outcomes: new Map() };
    }
    this.#clients.delete(id);
    this.#clients.set(id, client);
    client.last = index;
    if (oldest > client.oldest) {
      client.oldest = oldest;
      for (const number of client.outcomes.keys()) if (number < oldest) client.outcomes.delete(number);
    }
    const known = client.outcomes.get(at);
    // of one below `oldest` nobody wants to know: a copy that was late
    if (known !== undefined || at < client.oldest) return known ?? FORGOTTEN;
    const outcome = apply();
    client.outcomes.set(at, outcome);
    this.#forget();
    return outcome;
  }

  #forget(): void {
    if (this.#clients.size <= this.#most) return;
    const [id, { last }] = this.#clients.entries().next().value as [number, Client];
    this.#clients.delete(id);
    this.#forgotten = last;
  }

  write(to: ByteWriter): void {
    to.whole(this.#forgotten).whole(this.#clients.size);
    for (const [id, { oldest, last, outcomes }] of this.#clients) {
      to.whole(id).whole(oldest).whole(last).whole(outcomes.size);
      for (const [at, outcome] of outcomes) to.whole(at).byte(outcome);
    }
  }

  read(from: ByteReader): void {
    this.#clients.clear();
    this.#forgotten = from.whole();
    for (let clients = from.whole(); clients > 0; clients--) {
      const [id, oldest, last] = [from.whole(), from.whole(), from.whole()];
      const outcomes = new Map<number, CommandOutcome>();
      for (let count = from.whole(); count > 0; count--) outcomes.set(from.whole(), from.byte() as CommandOutcome);
      this.#clients.set(id, { oldest, last, outcomes });
    }
  }
}
