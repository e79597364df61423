/**
 * Problems as sentences: which PE breaks which rule of docs/contract.md.
 *
 *     K1  all PEs call begin, reset and free together
 *     K2  every PE keeps pulling
 *     K3  every PE keeps advancing, and calls advance(true) at some time
 *
 * The same for exchanges (docs/traffic.md), in their words.
 *
 * Limits: of a conveyor over several nodes only this node's PEs are visible. A slow program looks like one that hangs;
 * so every sentence states a time.
 */

import { circlesOf } from "../../ground/wait/circles.ts";
import { seconds } from "../../ground/wait/told.ts";
import { amount, pesText, type Said, sentences } from "../../ground/wait/who.ts";
import { EXCHANGE } from "../status/layout.ts";
import type { DiagnosedConveyor, DiagnosedPE } from "./read.ts";

/** One conveyor with all its PEs. */
interface Session {
  readonly name: string;
  /** By PE; null for PEs that have not made it, or have freed it. */
  readonly seats: readonly { readonly pe: DiagnosedPE; readonly c: DiagnosedConveyor }[];
}

/** The calls of what has sessions, and how to say that a PE does not make them. */
interface Words {
  readonly the: (name: string) => string;
  readonly breaks: (rule: string) => string;
  readonly begin: string;
  readonly advance: string;
  readonly advances: string;
  readonly done: string;
}

const CONVEYOR: Words = {
  the: (name) => `the conveyor of ${name}`,
  breaks: (rule) => `breaks ${rule}`,
  begin: "begin",
  advance: "advance",
  advances: "it advances",
  done: "advance(true)",
};

const EXCHANGE_WORDS: Words = {
  // a name is before the word: rows (exchange)
  the: (name) => `the exchange ${name.slice(0, -EXCHANGE.length - 3)}`.trim(),
  breaks: () => "holds up the others",
  begin: "finish",
  advance: "serviceQueue or finish",
  advances: "it calls serviceQueue of",
  done: "finish",
};

const wordsOf = (name: string): Words =>
  name === EXCHANGE || name.endsWith(`(${EXCHANGE})`) ? EXCHANGE_WORDS : CONVEYOR;

/** Sentences that a text has; further ones are counted. */
export const MOST_SENTENCES = 8;

/** The problems as sentences, equal ones once; none unless there was no progress for `patience` ms. */
export const problemsOf = (pes: readonly DiagnosedPE[], patience: number): string[] =>
  sentences(brokenBy(pes, patience), MOST_SENTENCES);

/** Each problem of each PE. */
export const brokenBy = (pes: readonly DiagnosedPE[], patience: number): Said[] => [
  ...sessionsOf(pes).flatMap((session) => problemOf(session, pes, patience)),
  // a PE whose calls are all Async may go on by something else
  ...circlesOf(
    pes.map(({ rank, waits }) => ({ rank, waits: waits.filter((one) => one.blocks && one.for >= patience) })),
  ),
];

/** The circles in which PEs wait for each other, by Async calls, too. */
export const circlesIn = (pes: readonly DiagnosedPE[]): string[] => {
  const all = pes.map(({ rank, waits }) => {
    const blocking = waits.filter(({ blocks }) => blocks);
    return { rank, waits: blocking.length > 0 ? blocking : waits };
  });
  return sentences(circlesOf(all), MOST_SENTENCES);
};

function sessionsOf(pes: readonly DiagnosedPE[]): Session[] {
  const sessions = new Map<number, { pe: DiagnosedPE; c: DiagnosedConveyor }[]>();
  for (const pe of pes) {
    for (const c of pe.conveyors) {
      const seats = sessions.get(c.id) ?? [];
      sessions.set(c.id, [...seats, { pe, c }]);
    }
  }
  return [...sessions.values()].map((seats) => ({
    name: (seats[0] as { c: DiagnosedConveyor }).c.name,
    seats,
  }));
}

/** A PE that has advanced something so short a time ago is in a loop that does. */
const RECENT_MS = 1000;

/** States in which a PE must advance. */
const isOpen = ({ state }: DiagnosedConveyor): boolean =>
  state === "working" || state === "endgame" || state === "cleanup";

function problemOf({ name, seats }: Session, pes: readonly DiagnosedPE[], patience: number): Said[] {
  const words = wordsOf(name);
  const of = ` ${words.the(name)}`;
  /** The PEs that have not begun a session, in which others have waited for so long. */
  const late = (others: Session["seats"], forMs: number): Said[] => {
    const { session, here } = (others[0] as Session["seats"][number]).c;
    const have = new Set(seats.map(({ pe }) => pe.rank));
    const behind = seats.filter(({ c }) => c.session < session).map(({ pe }) => pe);
    const absent = seats.length < here ? pes.filter(({ rank }) => !have.has(rank)) : [];
    return [...behind, ...absent].map((pe) => ({
      rank: pe.rank,
      text:
        `${words.breaks("K1")}: it has not called ${words.begin} of${of}, where ${named(others)} ${haveWaited(others)} for ` +
        `${seconds(forMs)}. ${whereIs(pe)}`,
    }));
  };
  // the others wait for those in the earliest session
  const earliest = Math.min(...seats.filter(({ c }) => isOpen(c)).map(({ c }) => c.session));
  const open = seats.filter(({ c }) => isOpen(c) && c.session === earliest);
  if (open.length === 0) {
    const begins = seats.filter(({ c }) => c.state === "begin");
    const longest = Math.max(0, ...begins.map(({ c }) => c.stateFor));
    return begins.length === 0 || longest < patience ? [] : late(begins, longest);
  }
  // a PE that advances it again and again, but seldom, is slow
  const still = open.filter(({ pe, c }) => c.advanced >= patience && drivenBy(pe) !== c);
  // a phase begins with the first schedule: while no PE is in a call of the exchange, nobody waits
  if (words === EXCHANGE_WORDS && still.length === open.length && open.every(({ c }) => c.here === c.size)) {
    return [];
  }
  if (still.length > 0) {
    return still.map(({ pe, c }) => ({
      rank: pe.rank,
      text: `${words.breaks("K3")}: it has not called ${words.advance} of${of} for ${seconds(c.advanced)}. ${whereIs(pe)}`,
    }));
  }
  // some PE made progress: the session continues
  if (open.some(({ c }) => c.moved < patience)) return [];
  const absent = late(open, Math.min(...open.map(({ c }) => c.moved)));
  if (absent.length > 0) return absent;
  const full = open.filter(({ c }) => (c.waiting > 0 || c.arrived > 0 || c.keeps) && c.pulled >= patience);
  if (full.length > 0) {
    return full.map(({ pe, c }) => ({
      rank: pe.rank,
      text:
        `${words.breaks("K2")}: ${countedItems(c)} in${of}, and it has ` +
        `${c.unpulls > 0 ? `put back what it pulled (${amount(c.unpulls)} times) and not` : "not"} pulled anything for ${seconds(c.pulled)}.`,
    }));
  }
  // the state of other nodes is not visible here: the PEs may wait for buffers from there
  if (open.some(({ c }) => c.here < c.size)) return [];
  const busy = open.filter(({ c }) => c.state === "working" && !c.awaits);
  if (busy.length === 0) return [];
  const others = open.filter(({ c }) => c.state !== "working");
  const because =
    others.length > 0
      ? `, and ${named(others)} ${others.length > 1 ? "are" : "is"} done`
      : ", and nothing is in transit";
  return busy.map(({ pe, c }) => ({
    rank: pe.rank,
    text:
      `${words.breaks("K3")}: ${words.advances}${of}, in which it has moved nothing for ${seconds(c.moved)}, but has not called ` +
      `${words.done} for ${seconds(c.stateFor)}${because}.`,
  }));
}

function countedItems({ waiting, arrived, keeps }: DiagnosedConveyor): string {
  if (arrived === 0 && keeps) return "a pull that returns false is due";
  const items = waiting > 0 ? [`${amount(waiting)} ${waiting > 1 ? "items wait" : "item waits"} for it`] : [];
  const buffers = arrived > 0 ? [`${amount(arrived)} ${arrived > 1 ? "buffers have" : "buffer has"} come for it`] : [];
  return [...items, ...buffers].join(" and ");
}

/** Where the PE is that breaks a rule. */
function whereIs({ departed, joined, waits, conveyors }: DiagnosedPE): string {
  if (departed) return "Its main has returned.";
  if (!joined) return "No thread has joined as it: its ticket was not used.";
  const inside = conveyors.find((c) => c.inside !== null);
  const place = inside
    ? ` inside ${inside.inside === "answer" ? "an" : "its"} ${inside.inside} of ${wordsOf(inside.name).the(inside.name)}`
    : "";
  const wait = waits.find(({ blocks }) => blocks) ?? waits[0];
  if (wait !== undefined) return `It waits in ${wait.call}${place}, for ${seconds(wait.for)}.`;
  const stuck = conveyors.find(({ state }) => state === "begin");
  if (stuck !== undefined) return `It waits in begin of ${wordsOf(stuck.name).the(stuck.name)}.`;
  if (place !== "") return `It is${place}.`;
  const driven = recentOf(conveyors);
  if (driven === undefined) return "It is in its own code.";
  const { advance, the } = wordsOf(driven.name);
  return `It calls ${advance} of ${the(driven.name)}.`;
}

const recentOf = (conveyors: DiagnosedPE["conveyors"]): DiagnosedConveyor | undefined =>
  conveyors.find((c) => isOpen(c) && c.advanced < RECENT_MS);

/** The object that a PE advances in a loop; undefined where it is somewhere else. */
const drivenBy = ({ departed, waits, conveyors }: DiagnosedPE): DiagnosedConveyor | undefined =>
  departed || waits.length > 0 || conveyors.some((c) => c.inside !== null || c.state === "begin")
    ? undefined
    : recentOf(conveyors);

const named = (seats: Session["seats"]): string => pesText(seats.map(({ pe }) => pe.rank));

const haveWaited = (seats: Session["seats"]): string => (seats.length > 1 ? "have waited" : "has waited");
