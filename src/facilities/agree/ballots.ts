/**
 * Single-decree Paxos for the configuration of the next epoch (Lamport, "Paxos Made Simple", 2001): what a replica has
 * promised and agreed to. All of it is of one epoch, the one after the newest that it knows: an older one is chosen,
 * and is told.
 */

import type { Shared } from "./shared.ts";
import { CONFIG, type Config, readConfig, writeConfig } from "./wire/config.ts";
import { AGREED, HEADER, type IncomingMessage, PROMISE, REFUSED, writeHeader } from "./wire/message.ts";

export class Ballots {
  readonly #shared: Shared;
  /** The highest ballot that was promised. */
  promised = 0;
  /** The highest ballot that was agreed to, and its configuration. */
  ballot = 0;
  config: Config | null = null;

  constructor(shared: Shared) {
    this.#shared = shared;
  }

  /** Phase 1. */
  prepare({ from, epoch, extra }: IncomingMessage): void {
    if (epoch !== this.#shared.config.epoch + 1) return;
    if (!this.promise(extra)) {
      this.#refuse(from, epoch);
      return;
    }
    const length = this.config === null ? HEADER : HEADER + 8 + CONFIG;
    const bytes = new Uint8Array(length);
    const view = new DataView(bytes.buffer);
    writeHeader(view, { kind: PROMISE, epoch, extra });
    if (this.config !== null) {
      view.setFloat64(HEADER, this.ballot, true);
      writeConfig(view, HEADER + 8, this.config);
    }
    this.#shared.out.post(from, bytes);
  }

  /** Phase 2. */
  propose({ from, epoch, extra, view }: IncomingMessage): void {
    if (epoch !== this.#shared.config.epoch + 1) return;
    if (this.agree(extra, readConfig(view, HEADER))) this.#shared.out.send(from, { kind: AGREED, epoch, extra });
    else this.#refuse(from, epoch);
  }

  /** @returns whether it does */
  promise(ballot: number): boolean {
    if (ballot <= this.promised) return false;
    this.promised = ballot;
    return true;
  }

  /** @returns whether it does */
  agree(ballot: number, config: Config): boolean {
    if (ballot < this.promised) return false;
    this.promised = ballot;
    this.ballot = ballot;
    this.config = config;
    return true;
  }

  /** A new epoch. */
  enter(): void {
    this.promised = 0;
    this.ballot = 0;
    this.config = null;
  }

  #refuse(to: number, epoch: number): void {
    this.#shared.out.send(to, { kind: REFUSED, epoch, extra: this.promised });
  }
}
