/** Gives other replicas what they miss of what is committed: kept entries, or a snapshot of the state, in parts. */

import type { Shared } from "./shared.ts";
import type { Snapshot, State } from "./state.ts";
import { HEADER, LEARN, NOBODY, SNAPSHOT, writeHeader } from "./wire/message.ts";

/** Bytes of one answer. */
const PART = 2 ** 18;

export class Supply {
  readonly #shared: Shared;
  readonly #state: State;
  /** The snapshot that is being given, and when it was asked for last. */
  #snapshot: Snapshot | null = null;
  #used = 0;

  constructor(shared: Shared, state: State) {
    this.#shared = shared;
    this.#state = state;
  }

  /** Entries behind this index are needed by those that get the snapshot. */
  get needed(): number {
    return this.#snapshot?.index ?? Infinity;
  }

  /** Sends what is committed from `index` on: a part of it. */
  give(to: number, index: number): void {
    const { log, learned, out } = this.#shared;
    if (index <= log.base) {
      if (this.#snapshot === null || this.#snapshot.index < log.base) this.#snapshot = this.#state.snapshot();
      this.givePart(to, this.#snapshot.index, 0);
      return;
    }
    const { count, bytes } = log.copy(index, learned, PART, HEADER);
    const more = index + count - 1 < learned ? 1 : 0;
    writeHeader(new DataView(bytes.buffer), {
      kind: LEARN,
      flag: more,
      rank: NOBODY,
      epoch: this.#shared.config.epoch,
      index,
      extra: count,
    });
    out.post(to, bytes);
  }

  /** Sends a part of the snapshot after `index`. Nothing if that is gone: it will be asked for anew. */
  givePart(to: number, index: number, at: number): void {
    if (this.#snapshot === null || this.#snapshot.index !== index) return;
    this.#used = this.#shared.members.now;
    const state = this.#snapshot.bytes;
    const part = state.subarray(at, at + PART);
    const bytes = new Uint8Array(HEADER + 8 + part.length);
    const view = new DataView(bytes.buffer);
    writeHeader(view, { kind: SNAPSHOT, index, extra: at });
    view.setFloat64(HEADER, state.length, true);
    bytes.set(part, HEADER + 8);
    this.#shared.out.post(to, bytes);
  }

  /** Forgets a snapshot that nobody asks for. */
  tick(now: number): void {
    if (this.#snapshot !== null && now - this.#used > 4 * this.#shared.settings.suspectAfter) this.#snapshot = null;
  }
}
