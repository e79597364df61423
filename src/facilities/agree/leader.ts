/** The leader of an epoch: gives commands their indices, in the order in which they come, to the acceptor. */

import type { Own } from "./own.ts";
import type { Shared } from "./shared.ts";
import { MessageBatch } from "./wire/batch.ts";
import { skipEntries } from "./wire/entries.ts";
import { ACCEPT, HEADER, type IncomingMessage, malformed } from "./wire/message.ts";

export class Leader {
  readonly #shared: Shared;
  readonly #batch: MessageBatch;

  constructor(shared: Shared) {
    this.#shared = shared;
    this.#batch = new MessageBatch(shared.settings.batchBytes);
  }

  get #leads(): boolean {
    return this.#shared.isLeader && !this.#shared.frozen;
  }

  /** Another replica's commands. */
  forwarded({ epoch, extra, bytes, view }: IncomingMessage): void {
    // those of an older epoch were sent again
    if (epoch !== this.#shared.config.epoch || !this.#shared.isLeader) return;
    if (skipEntries(view, HEADER, extra) !== bytes.length) throw malformed("entries with something behind them");
    this.#batch.addAll(extra, bytes.subarray(HEADER));
    if (this.#batch.length >= this.#shared.settings.batchBytes) this.flush();
  }

  /** This replica's commands. @returns whether there were some */
  propose(own: Own): boolean {
    if (!this.#leads) return false;
    let any = false;
    while (own.write(this.#batch, this.#shared.settings.batchBytes)) {
      any = true;
      if (this.#batch.length >= this.#shared.settings.batchBytes) this.flush();
    }
    return any;
  }

  /** Proposes what has come. */
  flush(): void {
    const shared = this.#shared;
    const { count } = this.#batch;
    if (count === 0 || shared.frozen) return;
    const { log, config } = shared;
    const message = this.#batch.finish({
      kind: ACCEPT,
      epoch: config.epoch,
      index: log.end + 1,
      extra: count,
    });
    log.append(count, message.slice(), HEADER);
    if (shared.isAcceptor) shared.learned = log.end;
    else shared.out.post(config.acceptor, message);
    this.#batch.clear();
  }

  /** A new epoch. */
  enter(): void {
    this.#batch.clear();
    this.#shared.frozen = false;
  }
}
