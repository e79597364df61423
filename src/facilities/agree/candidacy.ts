/**
 * One attempt to have a configuration chosen, by Paxos: a proposer's side. Whatever a majority may have agreed to
 * before is proposed again, in place of the configuration that this replica wants.
 */
import type { Ballots } from "./ballots.ts";
import type { Shared } from "./shared.ts";
import { CONFIG, type Config, readConfig, writeConfig } from "./wire/config.ts";
import { HEADER, type IncomingMessage, PREPARE, PROPOSE, writeHeader } from "./wire/message.ts";

export class Candidacy {
  readonly #shared: Shared;
  readonly #ballots: Ballots;
  readonly #ballot: number;
  /** Who has promised, then who has agreed. */
  readonly #voters: Set<number> = new Set();
  #proposes = false;
  /** The proposed value: the one agreed to in the highest ballot, or the one that is wanted. */
  #value: Config;
  #highest = 0;

  /** @param above a ballot above this one */
  constructor(shared: Shared, ballots: Ballots, wanted: Config, above: number) {
    this.#shared = shared;
    this.#ballots = ballots;
    this.#value = wanted;
    const { size, rank } = shared;
    this.#ballot = (Math.floor(above / size) + 1) * size + rank;
  }

  /** Whether it has most promises, and so has proposed a configuration, which may be chosen without its knowledge. */
  get proposes(): boolean {
    return this.#proposes;
  }

  /** Asks for promises. */
  start(): void {
    const { out } = this.#shared;
    if (!this.#ballots.promise(this.#ballot)) return;
    this.#count(this.#shared.rank, this.#ballots.ballot, this.#ballots.config);
    out.sendAll({ kind: PREPARE, epoch: this.#value.epoch, extra: this.#ballot });
  }

  promised({ from, epoch, extra, bytes, view }: IncomingMessage): Config | null {
    if (this.#proposes || epoch !== this.#value.epoch || extra !== this.#ballot) return null;
    if (bytes.length === HEADER) this.#count(from, 0, null);
    else this.#count(from, view.getFloat64(HEADER, true), readConfig(view, HEADER + 8));
    return this.#voters.size < this.#shared.majority ? null : this.#propose();
  }

  /** @returns the configuration, once it is chosen */
  agreed({ from, epoch, extra }: IncomingMessage): Config | null {
    if (!this.#proposes || epoch !== this.#value.epoch || extra !== this.#ballot) return null;
    this.#voters.add(from);
    return this.#voters.size < this.#shared.majority ? null : this.#value;
  }

  #count(voter: number, ballot: number, config: Config | null): void {
    this.#voters.add(voter);
    if (config === null || ballot <= this.#highest) return;
    this.#highest = ballot;
    this.#value = config;
  }

  #propose(): null {
    const { rank, size, out } = this.#shared;
    this.#proposes = true;
    this.#voters.clear();
    const bytes = new Uint8Array(HEADER + CONFIG);
    const view = new DataView(bytes.buffer);
    writeHeader(view, { kind: PROPOSE, epoch: this.#value.epoch, extra: this.#ballot });
    writeConfig(view, HEADER, this.#value);
    if (this.#ballots.agree(this.#ballot, this.#value)) this.#voters.add(rank);
    for (let to = 0; to < size; to++) if (to !== rank) out.post(to, bytes);
    return null;
  }
}
