/** Reads the status area: what each PE has said of itself last. */
import { type CallRecord, describeCall } from "../collectives/team/call-words.ts";
import * as at from "../status/layout.ts";
import { COMPLETE, type ConveyorState, STATE_NAMES } from "../status/state.ts";

/** A conveyor, seen from one PE. Times are ms before the look. */
export interface DiagnosedConveyor {
  /** The same at all its PEs of this node. */
  readonly id: number;
  /** Its items. */
  readonly name: string;
  /** The PE's rank in it, the number of PEs, and how many of those are on this node. */
  readonly rank: number;
  readonly size: number;
  readonly here: number;
  readonly state: ConveyorState;
  /** How long it has been in that state. */
  readonly stateFor: number;
  /** Whether the PE has said that it pushes nothing more. */
  readonly done: boolean;
  /** Since its last advance, and since the last one that got anything done. */
  readonly advanced: number;
  readonly moved: number;
  /** Items that wait to be pulled in the buffer at hand, and buffers that have come behind it. */
  readonly waiting: number;
  readonly arrived: number;
  /** Since something was last pulled and not put back. */
  readonly pulled: number;
  /** Items put back in this session. */
  readonly unpulls: number;
  /** What of the program's is running inside a call of this conveyor; null for nothing. */
  readonly inside: "sink" | "source" | "answer" | null;
  /** Whether it is a mailbox that is not done before others of its selector are. */
  readonly awaits: boolean;
}

/** What one PE was last known to do. */
export interface DiagnosedPE {
  readonly rank: number;
  /** Whether its main has returned, or it has left. */
  readonly departed: boolean;
  /** The collective that it waits in, in words, and for how long, ms; null for none. */
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
  /** PEs of the node, and the rank of the first. */
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
      // the others write plainly; an atomic load keeps the reader from seeing its own old value
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

/** Time from one moment to another, ms; 0 where the PE has written after the look began. */
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
  const name = u8.slice(word * 4 + at.NAME, word * 4 + at.NAME + read(at.NAME_LENGTH));
  return {
    id: read(at.ID) >>> 0,
    name: new TextDecoder().decode(name),
    rank: read(at.RANK),
    size: read(at.SIZE),
    here: read(at.HERE),
    state: STATE_NAMES[state],
    stateFor: ago(at.STATE_SINCE),
    done: state > 1 && state <= COMPLETE,
    advanced: ago(at.ADVANCED),
    moved: ago(at.MOVED),
    waiting: read(at.WAITING),
    arrived: read(at.ARRIVED),
    pulled: ago(at.PULLED_AT),
    unpulls: read(at.UNPULLS),
    inside: PLACES[read(at.PLACE)] ?? null,
    awaits: read(at.PLACE) === at.AWAITING,
  };
}
