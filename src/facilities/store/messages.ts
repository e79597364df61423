/**
 * The messages between clients and replicas.
 *
 *     request   ┌─────┬────┬─────────┬──────────────────────────┐      reply   ┌─────┬────┬─────────┬────────┬──────────────────┐
 *               │ kind│ id │ atLeast │ READ, LATEST: key        │              │ kind│ id │ applied │ status │ value or outcome │
 *               │     │    │         │ WRITE: command, SYNC: –  │              └─────┴────┴─────────┴────────┴──────────────────┘
 *               └─────┴────┴─────────┴──────────────────────────┘      leave   one byte
 *
 * `atLeast`: the replica's copy must have applied so much before it is read, `applied`: what it had: so a client that
 * goes on with another replica never sees an older state than before.
 */
import { ByteReader, ByteWriter } from "./bytes.ts";
import { readValue, type StoreValue, writeValue } from "./value.ts";

export const READ = 1;
export const LATEST = 2;
export const WRITE = 3;
export const SYNC = 4;
export const LEAVE = 5;
export const REPLY = 6;
export type RequestKind = typeof READ | typeof LATEST | typeof WRITE | typeof SYNC;

const NONE = 0;
const VALUE = 1;
const OUTCOME = 2;
const FAILED = 3;

export interface StoreRequest {
  readonly kind: RequestKind;
  readonly id: number;
  readonly atLeast: number;
  readonly key: string;
  readonly command: Uint8Array;
}

/** Answers of a replica. */
export type StoreAnswer =
  | { readonly value: StoreValue | undefined }
  | { readonly outcome: number }
  | { readonly failure: string };

export interface Reply {
  readonly id: number;
  readonly applied: number;
  readonly answer: StoreAnswer;
}

export function encodeRequest({ kind, id, atLeast, key, command }: StoreRequest): Uint8Array {
  const to = new ByteWriter().byte(kind).whole(id).whole(atLeast);
  if (kind === WRITE) to.raw(command);
  else if (kind !== SYNC) to.text(key);
  return to.done();
}

const EMPTY = new Uint8Array(0);

/** @param from behind the kind */
export function decodeRequest(kind: RequestKind, from: ByteReader): StoreRequest {
  const [id, atLeast] = [from.whole(), from.whole()];
  const key = kind === READ || kind === LATEST ? from.text() : "";
  return { kind, id, atLeast, key, command: kind === WRITE ? from.rest() : EMPTY };
}

export function encodeReply({ id, applied, answer }: Reply): Uint8Array {
  const to = new ByteWriter().byte(REPLY).whole(id).whole(applied);
  if ("failure" in answer) to.byte(FAILED).text(answer.failure);
  else if ("outcome" in answer) to.byte(OUTCOME).byte(answer.outcome);
  else if (answer.value === undefined) to.byte(NONE);
  else writeValue(to.byte(VALUE), answer.value);
  return to.done();
}

/** @param from behind the kind */
export function decodeReply(from: ByteReader): Reply {
  const [id, applied] = [from.whole(), from.whole()];
  switch (from.byte()) {
    case NONE:
      return { id, applied, answer: { value: undefined } };
    case VALUE:
      return { id, applied, answer: { value: readValue(from) } };
    case OUTCOME:
      return { id, applied, answer: { outcome: from.byte() } };
    default:
      return { id, applied, answer: { failure: from.text() } };
  }
}

export const leaveMessage: Uint8Array = Uint8Array.of(LEAVE);

/** The kind of a message, and a reader of what is behind it. */
export function openMessage(bytes: Uint8Array): { kind: number; from: ByteReader } {
  const from = new ByteReader(bytes);
  return { kind: from.byte(), from };
}
