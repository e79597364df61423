/**
 * Messages that a replica sends. Before any other message, a member is told the newest configuration that the sender
 * knows: as messages of a pair arrive in order, nobody gets a message from an epoch, or a fact that was committed in
 * it, without knowing that epoch.
 */
import type { Members } from "../messages/members.ts";
import { CONFIG, type Config, writeConfig } from "./wire/config.ts";
import { CHOSEN, HEADER, type Header, writeHeader } from "./wire/message.ts";

export class ReplicaOutbox {
  readonly #members: Members;
  /** The newest epoch that each member was told, or has told. */
  readonly #told: number[];
  readonly #chosen: Uint8Array = new Uint8Array(HEADER + CONFIG);
  readonly #chosenView: DataView = new DataView(this.#chosen.buffer);
  readonly #small: Uint8Array = new Uint8Array(HEADER);
  readonly #smallView: DataView = new DataView(this.#small.buffer);
  #config: Config;

  constructor(members: Members, config: Config) {
    this.#members = members;
    this.#config = config;
    this.#told = new Array(members.size).fill(config.epoch);
  }

  /** The newest configuration. */
  get config(): Config {
    return this.#config;
  }

  set config(config: Config) {
    this.#config = config;
    writeHeader(this.#chosenView, { kind: CHOSEN });
    writeConfig(this.#chosenView, HEADER, config);
  }

  /** A member knows this epoch. */
  knows(member: number, epoch: number): void {
    if (epoch > (this.#told[member] as number)) this.#told[member] = epoch;
  }

  /** Tells a member the newest configuration, unless it knows it. */
  tell(to: number): void {
    if ((this.#told[to] as number) >= this.#config.epoch) return;
    this.#told[to] = this.#config.epoch;
    this.#members.post(to, this.#chosen);
  }

  post(to: number, bytes: Uint8Array): void {
    this.tell(to);
    this.#members.post(to, bytes);
  }

  /** A message without a body. */
  send(to: number, header: Header): void {
    writeHeader(this.#smallView, header);
    this.post(to, this.#small);
  }

  tellAll(): void {
    for (let to = 0; to < this.#members.size; to++) if (to !== this.#members.rank) this.tell(to);
  }

  /** To all others. */
  sendAll(header: Header): void {
    for (let to = 0; to < this.#members.size; to++) if (to !== this.#members.rank) this.send(to, header);
  }
}
