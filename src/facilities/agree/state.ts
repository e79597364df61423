/**
 * The replicated state of one replica: the program's state machine and the sessions. Learned entries are first kept in
 * the durable log, if there is one, then applied.
 *
 * A snapshot is the sessions' length (u32), the sessions, and the machine's snapshot.
 */

import { lengthOf } from "../../ground/base/byte-length.ts";
import { UsageError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";
import type { CommandSessions } from "./sessions.ts";
import type { DurableLog, LogRecord, StateMachine } from "./state-machine.ts";
import { COMMAND, ENTRY, skipEntries } from "./wire/entries.ts";
import type { CommandLog, Segment } from "./wire/log.ts";
import { malformed } from "./wire/message.ts";

const EMPTY = new Uint8Array(0);

export interface Snapshot {
  readonly index: number;
  readonly bytes: Uint8Array;
}

export class State {
  readonly sessions: CommandSessions;
  readonly #machine: StateMachine;
  readonly #log: CommandLog;
  readonly #durable: DurableLog | undefined;
  /** Where the entry after the last one that is applied stands: `#at` in `#segment`. */
  #segment: Segment | null = null;
  #at = 0;
  #applied = 0;
  #persisted = 0;
  /** The index of the durable log's snapshot. */
  #durableBase = 0;

  constructor(machine: StateMachine, sessions: CommandSessions, log: CommandLog, durable: DurableLog | undefined) {
    this.#machine = machine;
    this.sessions = sessions;
    this.#log = log;
    this.#durable = durable;
  }

  get applied(): number {
    return this.#applied;
  }

  /** Loads what the durable log has kept. @returns the index of its last entry */
  recover(): number {
    if (this.#durable === undefined) return 0;
    const { snapshot, snapshotIndex, records } = this.#durable.recovered;
    if (snapshot !== null) this.#load({ index: snapshotIndex, bytes: snapshot });
    this.#durableBase = snapshotIndex;
    for (const { index, command } of records) {
      if (index !== this.#log.end + 1) throw malformed(`record ${index} of a log behind record ${this.#log.end}`);
      this.#log.append(1, command.slice(), 0);
    }
    this.#persisted = this.#log.end;
    return this.#log.end;
  }

  /** Keeps entries up to an index in the durable log. */
  persist(to: number): void {
    if (this.#durable === undefined || to <= this.#persisted) return;
    const records: LogRecord[] = [];
    for (let index = this.#persisted + 1; index <= to; ) {
      const segment = this.#log.segmentOf(index);
      let at = segment.offsetOf(index);
      for (; index <= Math.min(to, segment.last); index++) {
        const end = skipEntries(segment.view, at, 1, segment.end);
        records.push({ index, command: segment.bytes.subarray(at, end) });
        at = end;
      }
    }
    this.#durable.append(records);
    this.#persisted = to;
  }

  /** Applies entries up to an index. @param rank whose replies are wanted: of its newest incarnation */
  apply(to: number, rank: number, incarnation: number, reply: (sequence: number, reply: Uint8Array) => void): void {
    while (this.#applied < to) {
      if (this.#segment === null || this.#applied >= this.#segment.last) {
        this.#segment = this.#log.segmentOf(this.#applied + 1);
        this.#at = this.#segment.offsetOf(this.#applied + 1);
      }
      const { view, bytes, last } = this.#segment;
      const end = Math.min(to, last);
      while (this.#applied < end) {
        const at = this.#at;
        const length = view.getUint32(at, true);
        const origin = view.getUint16(at + 4, true);
        const life = view.getUint32(at + 8, true);
        const sequence = view.getFloat64(at + 12, true);
        const back = view.getUint32(at + 20, true);
        this.#at = at + ENTRY + length;
        const index = ++this.#applied;
        if (!this.sessions.admit(origin, life, sequence, back)) continue;
        const isCommand = view.getUint8(at + 6) === COMMAND;
        const result = isCommand ? this.#machine.apply(bytes.subarray(at + ENTRY, this.#at), index) : EMPTY;
        if (lengthOf(result) < 0) {
          throw new UsageError(
            `apply: expected a Uint8Array as the reply to command ${index}, got ${shortText(result)}`,
          );
        }
        this.sessions.keep(origin, result);
        if (origin === rank && life === incarnation) reply(sequence, result);
      }
    }
  }

  /** The state after the last entry that is applied. */
  snapshot(): Snapshot {
    const sessions = this.sessions.encode();
    const state = this.#machine.snapshot();
    const bytes = new Uint8Array(4 + sessions.length + state.length);
    new DataView(bytes.buffer).setUint32(0, sessions.length, true);
    bytes.set(sessions, 4);
    bytes.set(state, 4 + sessions.length);
    return { index: this.#applied, bytes };
  }

  /** Takes another replica's state, which is newer. */
  restore(snapshot: Snapshot): void {
    this.#load(snapshot);
    this.#durable?.truncate(snapshot.index, snapshot.bytes);
    this.#durableBase = snapshot.index;
    this.#persisted = snapshot.index;
  }

  /** Replaces the durable log by a snapshot once it is long. */
  truncate(every: number): void {
    if (this.#durable === undefined || this.#applied - this.#durableBase < every) return;
    const { index, bytes } = this.snapshot();
    this.#durable.truncate(index, bytes);
    this.#durableBase = index;
  }

  #load({ index, bytes }: Snapshot): void {
    if (bytes.length < 4) throw malformed("a snapshot that is cut off");
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    if (4 + length > bytes.length) throw malformed("a snapshot that is cut off");
    this.sessions.decode(bytes.subarray(4, 4 + length));
    this.#machine.restore(bytes.subarray(4 + length));
    this.#log.skipTo(index);
    this.#segment = null;
    this.#applied = index;
  }
}
