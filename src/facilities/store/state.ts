/** The state of a store at each replica: keys with values, and the sessions that apply clients' writes once. */

import { MismatchError } from "../../ground/base/errors.ts";
import type { StateMachine } from "../agree/state-machine.ts";
import { ByteReader, ByteWriter } from "./bytes.ts";
import { type CommandOutcome, decodeChange, type KeyChange, NO, YES } from "./command.ts";
import { WriteSessions } from "./sessions.ts";
import { isSame, readValue, type StoreValue, writeValue } from "./value.ts";

/** The format of snapshots. */
const VERSION = 1;
const replies: readonly Uint8Array[] = [0, 1, 2].map((outcome) => Uint8Array.of(outcome));

export class StoreState implements StateMachine {
  readonly #values = new Map<string, StoreValue>();
  readonly #sessions: WriteSessions;

  constructor(sessions: WriteSessions = new WriteSessions()) {
    this.#sessions = sessions;
  }

  /** The keys in the order in which they were added: the same one at all replicas. */
  get values(): ReadonlyMap<string, StoreValue> {
    return this.#values;
  }

  apply(command: Uint8Array, index: number): Uint8Array {
    const { change, session } = decodeChange(command);
    const outcome =
      session === undefined ? this.#change(change) : this.#sessions.once(session, index, () => this.#change(change));
    return replies[outcome] as Uint8Array;
  }

  #change(change: KeyChange): CommandOutcome {
    const { kind, key } = change;
    if (kind === "delete") return this.#values.delete(key) ? YES : NO;
    if (kind === "compareAndSet" && !isSame(this.#values.get(key), change.expected)) return NO;
    this.#values.set(key, change.value);
    return YES;
  }

  /** Equal bytes at all replicas after the same commands. */
  snapshot(): Uint8Array {
    const to = new ByteWriter(1024).byte(VERSION);
    this.#sessions.write(to);
    to.whole(this.#values.size);
    for (const [key, value] of this.#values) writeValue(to.text(key), value);
    return to.done();
  }

  /** @throws MismatchError if it is none */
  restore(snapshot: Uint8Array): void {
    const from = new ByteReader(snapshot);
    const version = from.byte();
    if (version !== VERSION) {
      throw new MismatchError(
        `store: expected a snapshot of version ${VERSION}, got version ${version}. All replicas must run the same version.`,
      );
    }
    this.#sessions.read(from);
    this.#values.clear();
    for (let count = from.whole(); count > 0; count--) this.#values.set(from.text(), readValue(from));
  }
}
