/** Explains why there is no progress: the last reported state of each PE, and which rule is broken. */
import { sentenceOf } from "../../ground/base/errors.ts";
import type { Heap } from "../../ground/memory/heap.ts";
import type { Termination } from "../../ground/wait/termination.ts";
import { seconds, waitText } from "../../ground/wait/told.ts";
import type { Wakers } from "../../ground/wait/wakers.ts";
import { amount, labelled, type Said, sentences } from "../../ground/wait/who.ts";
import { brokenBy, circlesIn, MOST_SENTENCES, problemsOf } from "./problems.ts";
import { type DiagnosedConveyor, type DiagnosedPE, readStatus } from "./read.ts";

/** The result of {@link PE.diagnose}. */
export interface Diagnosis {
  /**
   * One sentence for each broken rule (K1 to K3 of docs/contract.md), for each circle in which PEs block each other, or
   * for the end of the world. What holds for several PEs is said once, and only the first ones are said: {@link pes}
   * has all.
   */
  readonly problems: readonly string[];
  readonly pes: readonly DiagnosedPE[];
  /** All of it as text, equal lines once. */
  readonly text: string;
}

/** Lines of the text about PEs. */
const MOST_LINES = 24;

/** Time without progress after which a rule counts as broken, ms. */
export const STALL_MS = 1000;

/** The sources of a diagnosis. */
export interface Watched {
  readonly heap: Heap;
  readonly wakers: Wakers;
  readonly termination: Termination;
  /** Byte offset of the status area. */
  readonly offset: number;
  /** Number of PEs of the node, and the rank of the first. */
  readonly size: number;
  readonly first: number;
}

/** @param patience time without progress after which a rule counts as broken, ms */
export function diagnose(watched: Watched, patience: number = STALL_MS): Diagnosis {
  const { termination } = watched;
  const pes = statusOf(watched);
  const problems = termination.decided
    ? [`The world has ended: ${sentenceOf(termination.error())}`]
    : problemsOf(pes, patience);
  const lines = labelled(pes.flatMap(linesOf), MOST_LINES).map((line) => `  ${line}`);
  const verdict = problems.length > 0 ? problems : ["No rule is broken so far."];
  const circles = termination.decided ? [] : circlesIn(pes).filter((circle) => !problems.includes(circle));
  return { problems, pes, text: [...verdict, ...circles, ...lines].join("\n") };
}

/** Each problem of each PE of a world that runs. @param patience as for {@link diagnose} */
export const problemsIn = (watched: Watched, patience: number): Said[] =>
  watched.termination.decided ? [] : brokenBy(statusOf(watched), patience);

const statusOf = ({ heap, wakers, offset, size, first }: Watched): DiagnosedPE[] =>
  readStatus({ i32: heap.i32, u8: heap.u8, offset, size, first }, wakers);

/** In what calls and sessions PEs are, as sentences. */
export function whereAre(pes: readonly DiagnosedPE[]): string[] {
  const said = pes.flatMap(({ rank, waits, conveyors }): Said[] => {
    if (waits.length > 0) return waits.map((wait) => ({ rank, text: `${waitText(wait)}.` }));
    const open = conveyors.filter(({ state }) => state !== "dormant");
    return open.length === 0
      ? [{ rank, text: `is ${NOWHERE}.` }]
      : open.map((one) => ({ rank, text: `is in ${lineOf(one)}.` }));
  });
  return sentences(said, MOST_SENTENCES);
}

const NOWHERE = "in no call that waits";
const NOT_JOINED = "has not joined: no thread has used its ticket";

function linesOf({ rank, departed, joined, waits, conveyors }: DiagnosedPE): Said[] {
  if (!joined) return [{ rank, text: NOT_JOINED }];
  const own = conveyors.filter(({ state }) => state !== "dormant").map(lineOf);
  const all = [...(departed ? ["has left"] : waits.map((wait) => waitText(wait))), ...own];
  return (all.length === 0 ? [NOWHERE] : all).map((text) => ({ rank, text }));
}

function lineOf(c: DiagnosedConveyor): string {
  const parts = [
    `${c.name}: ${c.state} for ${seconds(c.stateFor)}`,
    c.done ? "done" : "not done",
    `advanced ${seconds(c.advanced)} ago`,
    ...(c.waiting > 0 ? [`${amount(c.waiting)} items to pull`] : []),
    ...(c.arrived > 0 ? [`${amount(c.arrived)} buffers behind`] : []),
    ...(c.unpulls > 0 ? [`${amount(c.unpulls)} put back`] : []),
    ...(c.inside === null ? [] : [`inside its ${c.inside}`]),
  ];
  return parts.join(", ");
}
