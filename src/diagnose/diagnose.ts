/** Explains why there is no progress: the last reported state of each PE, and which rule is broken. */
import { sentenceOf } from "../base/errors.ts";
import type { Heap } from "../memory/heap.ts";
import type { Termination } from "../wait/termination.ts";
import type { Wakers } from "../wait/wakers.ts";
import { problemsOf, seconds } from "./problems.ts";
import { type DiagnosedConveyor, type DiagnosedPE, readStatus } from "./read.ts";

/** The result of {@link PE.diagnose}. */
export interface Diagnosis {
  /** One sentence for each broken rule (K1 to K3 of docs/contract.md), or for the end of the world. */
  readonly problems: readonly string[];
  readonly pes: readonly DiagnosedPE[];
  /** All of it as text. */
  readonly text: string;
}

/** Time without progress after which a rule counts as broken, ms. */
export const STALL_MS = 1000;

/** What a diagnosis reads. */
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
export function diagnose(
  { heap, wakers, termination, offset, size, first }: Watched,
  patience: number = STALL_MS,
): Diagnosis {
  const pes = readStatus({ i32: heap.i32, u8: heap.u8, offset, size, first }, (rank) =>
    wakers.departed(rank),
  );
  const problems = termination.decided
    ? [`The world has ended: ${sentenceOf(termination.error())}`]
    : problemsOf(pes, patience);
  const lines = pes.flatMap(linesOf);
  const verdict = problems.length > 0 ? problems : ["No rule is broken so far."];
  return { problems, pes, text: [...verdict, ...lines].join("\n") };
}

function linesOf({ rank, departed, collective, conveyors }: DiagnosedPE): string[] {
  const wait = collective === null ? "" : `waits in ${collective.call} for ${seconds(collective.for)}`;
  const head = departed ? "has left" : wait || "";
  const own = conveyors.filter(({ state }) => state !== "dormant").map(lineOf);
  if (head === "" && own.length === 0) return [`  PE ${rank}: not in a session or a collective`];
  return [...(head === "" ? [] : [head]), ...own].map((line) => `  PE ${rank}: ${line}`);
}

function lineOf(c: DiagnosedConveyor): string {
  const parts = [
    `${c.name}: ${c.state} for ${seconds(c.stateFor)}`,
    c.done ? "done" : "not done",
    `advanced ${seconds(c.advanced)} ago`,
    ...(c.waiting > 0 ? [`${c.waiting} items to pull`] : []),
    ...(c.arrived > 0 ? [`${c.arrived} buffers behind`] : []),
    ...(c.unpulls > 0 ? [`${c.unpulls} put back`] : []),
    ...(c.inside === null ? [] : [`inside its ${c.inside}`]),
  ];
  return parts.join(", ");
}
