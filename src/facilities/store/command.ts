/**
 * The commands of a store, which go through the agreed order, and the replies to them.
 *
 *     ┌──────┬───────────────────────────────┬─────┬──────────────────────────────────────────────────┐
 *     │ kind │ session: id, born, oldest, at │ key │ set: value   compareAndSet: expected or NONE, value │
 *     └──────┴───────────────────────────────┴─────┴──────────────────────────────────────────────────┘
 *
 * `kind` has the bit {@link IN_SESSION} if there is a session (sessions.ts): that of a client that may send the command
 * twice.
 */
import { ByteReader, ByteWriter } from "./bytes.ts";
import { readValue, type StoreValue, writeValue } from "./value.ts";

/** Which write of which client a command is. */
export interface WriteSession {
  /** A number that no other client has: a random one. */
  readonly id: number;
  /** An index that the order had reached before its first write. */
  readonly born: number;
  /** Its lowest write whose outcome it does not know. */
  readonly oldest: number;
  /** This write. */
  readonly at: number;
}

/** The effect of a command on a key. */
export type KeyChange =
  | { readonly kind: "set"; readonly key: string; readonly value: StoreValue }
  | { readonly kind: "delete"; readonly key: string }
  | {
      readonly kind: "compareAndSet";
      readonly key: string;
      /** Undefined: the key is not there. */
      readonly expected: StoreValue | undefined;
      readonly value: StoreValue;
    };

const SET = 1;
const DELETE = 2;
const COMPARE_AND_SET = 3;
const IN_SESSION = 128;
const NONE = 0;
const SOME = 1;

/** Whether a command has done what it was for: of delete, whether the key was there. */
export const NO = 0;
export const YES = 1;
/** The session was forgotten: nothing was done now. */
export const FORGOTTEN = 2;
export type CommandOutcome = typeof NO | typeof YES | typeof FORGOTTEN;

export function encodeChange(change: KeyChange, session?: WriteSession): Uint8Array {
  const to = new ByteWriter();
  const { kind, key } = change;
  const code = kind === "set" ? SET : kind === "delete" ? DELETE : COMPARE_AND_SET;
  to.byte(session === undefined ? code : code | IN_SESSION);
  if (session !== undefined) to.whole(session.id).whole(session.born).whole(session.oldest).whole(session.at);
  to.text(key);
  if (kind === "compareAndSet") {
    to.byte(change.expected === undefined ? NONE : SOME);
    if (change.expected !== undefined) writeValue(to, change.expected);
  }
  if (kind !== "delete") writeValue(to, change.value);
  return to.done();
}

/** @throws MismatchError if it is none */
export function decodeChange(command: Uint8Array): { change: KeyChange; session: WriteSession | undefined } {
  const from = new ByteReader(command);
  const code = from.byte();
  const session =
    (code & IN_SESSION) === 0
      ? undefined
      : { id: from.whole(), born: from.whole(), oldest: from.whole(), at: from.whole() };
  const key = from.text();
  switch (code & ~IN_SESSION) {
    case SET:
      return { session, change: { kind: "set", key, value: readValue(from) } };
    case DELETE:
      return { session, change: { kind: "delete", key } };
    default: {
      const expected = from.byte() === NONE ? undefined : readValue(from);
      return { session, change: { kind: "compareAndSet", key, expected, value: readValue(from) } };
    }
  }
}
