/**
 * Adds up the sessions of the conveyors that a PE has while its program runs, by the entry of a plan that they have.
 *
 * The two conveyors of a biconveyor count as one: their sessions overlap. Those of groups with other PEs than the
 * world's do not count, as plans are not for them.
 */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { SessionEnded } from "../../facilities/conveyor/engine/observe.ts";
import { ALL_OTHERS } from "../../plan/document/document.ts";
import { type Candidate, haveSameWays } from "../../plan/model/cost-model.ts";

/** The sessions of an entry at one PE; cloneable. */
export interface SessionsOfEntry {
  /** The name of the entry. */
  readonly name: string;
  readonly sessions: number;
  /** Time of all of them, ns. */
  readonly time: number;
  /** Number of pushed items. */
  readonly pushes: number;
  /** Bytes of the largest item; of any length: those that the buffers were planned for. */
  readonly itemBytes: number;
  /** Of items of any length: the bytes that all hops have sent for them, by the number of hops; else 0. */
  readonly packetBytes: number;
  /** The least `maxBytes` of its conveyors; null without one. */
  readonly maxBytes: number | null;
  /** The least part of `maxBytes` that the buffers of one of them keep to. */
  readonly share: number;
  /** The most memory that one of them has beside its links, in buffers. */
  readonly scratch: number;
  /** Every choice that one of its conveyors had. */
  readonly choices: readonly Candidate[];
}

const CHANNEL = "tundish:conveyor:session";

/** Adds up until it is stopped. @param size PEs of the world */
export function addUpSessions(size: number): { stop(): SessionsOfEntry[] } {
  const all = new Map<string, SessionsOfEntry>();
  const listener = (message: unknown): void => {
    const event = message as SessionEnded;
    if (event.size !== size) return;
    const name = entryOf(event.name);
    all.set(name, added(all.get(name) ?? none(name), event));
  };
  subscribe(CHANNEL, listener);
  return {
    stop() {
      unsubscribe(CHANNEL, listener);
      return [...all.values()];
    },
  };
}

/** Example: `edges` for `edges.queries`. */
const entryOf = (name: string | null): string =>
  name === null ? ALL_OTHERS : name.replace(/\.(queries|replies)$/, "");

const none = (name: string): SessionsOfEntry => ({
  name,
  sessions: 0,
  time: 0,
  pushes: 0,
  itemBytes: 0,
  packetBytes: 0,
  maxBytes: null,
  share: 1,
  scratch: 0,
  choices: [],
});

function added(to: SessionsOfEntry, event: SessionEnded): SessionsOfEntry {
  const { began, ended, counts, itemBytes, elastic, maxBytes, share, scratch, choices } = event;
  return {
    name: to.name,
    sessions: to.sessions + 1,
    time: to.time + 1e6 * (ended - began),
    pushes: to.pushes + counts.pushes,
    itemBytes: Math.max(to.itemBytes, itemBytes),
    packetBytes: to.packetBytes + (elastic ? (counts.bytes + counts.saved) / choices.hops : 0),
    maxBytes: leastOf(to.maxBytes, maxBytes),
    share: Math.min(to.share, share),
    scratch: Math.max(to.scratch, scratch),
    choices: to.choices.some((one) => areSame(one, choices)) ? to.choices : [...to.choices, choices],
  };
}

/** The lesser of two limits. */
export const leastOf = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/** Whether two choices come to the same. With one hop there are no groups. */
export const areSame = (a: Candidate, b: Candidate): boolean =>
  a.type === b.type && haveSameWays(a, b) && a.bufferBytes === b.bufferBytes && a.buffersPerLink === b.buffersPerLink;
