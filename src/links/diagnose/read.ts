/** Reads the status area: the last reported state of each PE. */

import type { Wakers } from "../../ground/wait/wakers.ts";
import { ranksOf } from "../../ground/wait/who.ts";
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
  /** Whether all of the current buffer was pulled, and a pull must find it empty before it goes back. */
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

/** A wait of a PE, with its Async calls. */
export interface DiagnosedWait {
  /** The call and what it is a call of: `receive of the channel to PE 0`. */
  readonly call: string;
  /** The PEs that it waits for; none if that is not known. */
  readonly whom: readonly number[];
  /** Whether any one of them can end it; else all are needed. */
  readonly needsOne: boolean;
  /** For how long, ms. */
  readonly for: number;
  /** Whether it blocks the thread of the PE. */
  readonly blocks: boolean;
}

/** The last reported state of one PE. */
export interface DiagnosedPE {
  readonly rank: number;
  /** Whether its main has returned, or it has left. */
  readonly departed: boolean;
  /** Whether a thread is it: not so before {@link join}, in a world of {@link createWorld}. */
  readonly joined: boolean;
  /** The calls that it waits in; at most 6. Sessions of conveyors are among {@link conveyors}. */
  readonly waits: readonly DiagnosedWait[];
  /** The collective among these, as text, and for how long, ms; null for none. */
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

/** @param wakers of the world */
export function readStatus(area: StatusArea, wakers: Pick<Wakers, "departed" | "isOpen">): DiagnosedPE[] {
  const { i32, u8, offset, size, first } = area;
  const now = at.clock();
  return Array.from({ length: size }, (_, nodeRank) => {
    const conveyors: DiagnosedConveyor[] = [];
    for (let slot = 0; slot < at.SLOTS; slot++) {
      const word = at.slotAt(offset, nodeRank, slot);
      // the PEs use plain stores; an atomic load prevents the compiler from reusing an old value
      if (Atomics.load(i32, word + at.ID) !== 0) conveyors.push(readSlot(i32, u8, word, now));
    }
    const all = Array.from({ length: at.WAITS }, (_, wait) =>
      readWait(area, at.waitAt(offset, nodeRank, wait), now),
    ).filter((one) => one !== null);
    const collective = all.find(({ kind }) => (kind & (at.IN_WORLD | at.IN_GROUP)) !== 0);
    return {
      rank: first + nodeRank,
      departed: wakers.departed(first + nodeRank),
      joined: !wakers.isOpen(first + nodeRank),
      waits: all.map(({ wait }) => wait),
      collective: collective === undefined ? null : collectiveOf(collective),
      conveyors,
    };
  });
}

/** Time between two moments, ms; 0 if the PE has written after the reading began. */
const ago = (now: number, then: number): number => Math.max(0, (now - then) | 0);

const collectiveOf = ({ kind, wait }: { readonly kind: number; readonly wait: DiagnosedWait }) => ({
  call: wait.call,
  group: (kind & at.IN_GROUP) !== 0,
  for: wait.for,
});

/** A wait, and what kind of one; null if there is none, or another one is being written. */
function readWait(
  { i32, u8 }: StatusArea,
  word: number,
  now: number,
): { readonly kind: number; readonly wait: DiagnosedWait } | null {
  // pairs with the stores in links/status/waits.ts, before and after the other words
  const kind = Atomics.load(i32, word + at.KIND);
  if (kind === 0) return null;
  if ((kind & at.LINGERS) !== 0 && ago(now, i32[word + at.ENDED] as number) > at.LINGER_MS) return null;
  const length = Math.min(Math.max(0, i32[word + at.LENGTH] as number), at.TEXT_BYTES);
  const text = u8.slice(4 * word + at.TEXT, 4 * word + at.TEXT + length);
  const runs = Array.from({ length: Math.min(i32[word + at.RUNS] as number, at.MOST_RUNS) }, (_, run) => {
    const from = word + at.WHOM + 2 * run;
    return [i32[from] as number, i32[from + 1] as number] as const;
  });
  const since = ago(now, i32[word + at.SINCE] as number);
  if (Atomics.load(i32, word + at.KIND) !== kind) return null;
  const wait = {
    call: new TextDecoder().decode(text),
    whom: ranksOf(runs),
    needsOne: (kind & at.NEEDS_ONE) !== 0,
    for: since,
    blocks: (kind & at.BLOCKS) !== 0,
  };
  return { kind, wait };
}

function readSlot(i32: Int32Array, u8: Uint8Array, word: number, now: number): DiagnosedConveyor {
  const read = (field: number) => Atomics.load(i32, word + field);
  const since = (field: number) => ago(now, read(field));
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
    stateFor: since(at.STATE_SINCE),
    done: state > 1 && state <= COMPLETE,
    advanced: since(at.ADVANCED),
    moved: since(at.MOVED),
    waiting: Math.max(0, waiting),
    keeps: waiting < 0,
    arrived: read(at.ARRIVED),
    pulled: since(at.PULLED_AT),
    unpulls: read(at.UNPULLS),
    inside: PLACES[read(at.PLACE)] ?? null,
    awaits: read(at.PLACE) === at.AWAITING,
  };
}
