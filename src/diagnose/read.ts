/** Reads the status area: the last reported state of each PE. */
import { type CallRecord, describeCall } from "../collectives/team/call-words.ts";
import * as at from "../status/layout.ts";
import { COMPLETE, type ConveyorState, STATE_NAMES } from "../status/state.ts";

/** A conveyor, as seen by one PE. Times are ms before the reading. */
export interface DiagnosedConveyor {
  /** The same at all PEs of this node. */
  readonly id: number;
  /** Describes its items. */
  readonly name: string;
  /** The PE's rank in it, the number of PEs, and the number of those on this node. */
  readonly rank: number;
  readonly size: number;
  readonly here: number;
  /** Number of its last session, from 1 on; 0 before the first. */
  readonly session: number;
  readonly state: ConveyorState;
  /** Time in the current state. */
  readonly stateFor: number;
  /** Whether the PE has called advance(true). */
  readonly done: boolean;
  /** Time since its last advance, and since the last one with progress. */
  readonly advanced: number;
  readonly moved: number;
  /** Items in the current buffer that are not pulled yet, and received buffers behind it. */
  readonly waiting: number;
  readonly arrived: number;
  /** Whether all of the current buffer was pulled, and a pull has to find it empty before it goes back to its sender. */
  readonly keeps: boolean;
  /** Time since an item was last pulled and not put back. */
  readonly pulled: number;
  /** Items put back in this session. */
  readonly unpulls: number;
  /** Which of the user's functions runs inside a call of this conveyor; null for none. */
  readonly inside: "sink" | "source" | "answer" | null;
  /** Whether it is a mailbox that waits for other mailboxes of its selector. */
  readonly awaits: boolean;
}

/** The last reported state of one PE. */
export interface DiagnosedPE {
  readonly rank: number;
  /** Whether its main has returned, or it has left. */
  readonly departed: boolean;
  /** The collective that it waits in, as text, and for how long, ms; null for none. */
  readonly collective: { readonly call: string; readonly group: boolean; readonly for: number } | null;
  readonly conveyors: readonly DiagnosedConveyor[];
}

const PLACES = [null, "sink", "answer", "source", null] as const;

/** The status area of a node. */
export interface StatusArea {
  readonly i32: Int32Array;
  readonly u8: Uint8Array;
  /** Byte offset. */
  readonly offset: number;
  /** Number of PEs of the node, and the rank of the first. */
  readonly size: number;
  readonly first: number;
}

export function readStatus(
  { i32, u8, offset, size, first }: StatusArea,
  departed: (rank: number) => boolean,
): DiagnosedPE[] {
  const now = at.clock();
  return Array.from({ length: size }, (_, nodeRank) => {
    const conveyors: DiagnosedConveyor[] = [];
    for (let slot = 0; slot < at.SLOTS; slot++) {
      const word = at.slotAt(offset, nodeRank, slot);
      // the PEs use plain stores; an atomic load prevents the compiler from reusing an old value
      if (Atomics.load(i32, word + at.ID) !== 0) conveyors.push(readSlot(i32, u8, word, now));
    }
    return {
      rank: first + nodeRank,
      departed: departed(first + nodeRank),
      collective: readCall(i32, at.lineAt(offset, nodeRank), now),
      conveyors,
    };
  });
}

/** Time between two moments, ms; 0 if the PE has written after the reading began. */
const since = (now: number, then: number): number => Math.max(0, (now - then) | 0);

function readCall(i32: Int32Array, line: number, now: number): DiagnosedPE["collective"] {
  const waits = Atomics.load(i32, line + at.WAITS);
  if (waits === 0) return null;
  const record: CallRecord = {
    word: i32[line + at.WORD],
    count: i32[line + at.COUNT] >>> 0,
    root: i32[line + at.ROOT],
  };
  return {
    call: describeCall(record),
    group: waits === at.IN_GROUP,
    for: (now - i32[line + at.SINCE]) >>> 0,
  };
}

function readSlot(i32: Int32Array, u8: Uint8Array, word: number, now: number): DiagnosedConveyor {
  const read = (field: number) => Atomics.load(i32, word + field);
  const ago = (field: number) => since(now, read(field));
  const state = read(at.STATE);
  const waiting = read(at.WAITING);
  const name = u8.slice(word * 4 + at.NAME, word * 4 + at.NAME + read(at.NAME_LENGTH));
  return {
    id: read(at.ID) >>> 0,
    name: new TextDecoder().decode(name),
    rank: read(at.RANK),
    size: read(at.SIZE),
    here: read(at.HERE),
    session: read(at.SESSION),
    state: STATE_NAMES[state],
    stateFor: ago(at.STATE_SINCE),
    done: state > 1 && state <= COMPLETE,
    advanced: ago(at.ADVANCED),
    moved: ago(at.MOVED),
    waiting: Math.max(0, waiting),
    keeps: waiting < 0,
    arrived: read(at.ARRIVED),
    pulled: ago(at.PULLED_AT),
    unpulls: read(at.UNPULLS),
    inside: PLACES[read(at.PLACE)] ?? null,
    awaits: read(at.PLACE) === at.AWAITING,
  };
}
