/** One PE does something else than the others; what everybody gets, at once and from then on, is noted. */
import { setTimeout as delay } from "node:timers/promises";
import { type CallOptions, type PE, type Spmd, spmd, TimeoutError } from "../../../src/index.ts";
import { type Details, FOR_MEMORY, isPrepared, makeCall, prepare, USUAL, WAITS } from "../support/waits.ts";

/** What one PE does while the others make a call. */
export type Fault =
  | "throw"
  | "exit"
  | "return"
  | "loop"
  | "come late"
  | "skip"
  | "swap"
  | "other root"
  | "other length"
  | "other type"
  | "other op";

/** What the PEs are told to do. */
export interface Args {
  readonly fault: Fault;
  readonly culprit: number;
  /** What the others wait in; see waits.ts. */
  readonly wait: string;
  readonly form: "blocking" | "async" | "some async";
  /** What the others ask for: a time limit, or to be aborted after 50 ms. */
  readonly limit?: "timeout" | "signal";
  /** Whether PEs return in spite of the error, rather than fail with it. */
  readonly quiet: boolean;
  /** NOTE_BYTES for each PE. */
  readonly notes: SharedArrayBuffer;
}

export const NOTE_BYTES = 8192;
/** First byte in place of a note: a machine so busy that this PE gave up before anything had gone wrong. */
export const TOO_EARLY = 1;

/** An error, so that it can be compared. */
export interface Told {
  readonly name: string;
  readonly code?: unknown;
  readonly rank?: number;
  readonly message: string;
  readonly cause?: string;
}

/** What a PE got. */
export interface Note {
  readonly first: Told;
  /** What every later call gave: the distinct ones, what they had to be of, and how long all took, ms. */
  readonly later: readonly Told[];
  readonly calls: number;
  readonly took: number;
}

export function tell(error: unknown): Told {
  const { name, code, rank, message, cause } = error as Error & { code?: unknown; rank?: number };
  const why = cause instanceof Error ? { cause: `${cause.name}: ${cause.message}` } : {};
  return { name, code, message, ...(rank === undefined ? {} : { rank }), ...why };
}

/** Calls everything once more, both ways. */
export async function callAll(pe: PE): Promise<Omit<Note, "first">> {
  const started = performance.now();
  const later = new Map<string, Told>();
  let calls = 0;
  for (const name of [...WAITS, ...FOR_MEMORY]) {
    for (const form of [false, true]) {
      calls++;
      try {
        await makeCall(pe, name, form);
        later.set(name, { name: `${name} gave no error`, message: "" });
      } catch (error) {
        const told = tell(error);
        later.set(JSON.stringify(told), told);
      }
    }
  }
  return { later: [...later.values()], calls, took: performance.now() - started };
}

const wrong: Partial<Record<Fault, Partial<Details>>> = {
  "other root": { root: 1 },
  "other length": { length: 400 },
  "other type": { type: "Int32Array" },
  "other op": { op: "max" },
};

/** Everybody's part: the call, and a barrier, for not every call waits for all. */
async function wait(pe: PE, { wait, form, limit, fault, culprit }: Args): Promise<void> {
  const guilty = pe.rank === culprit;
  const later = form === "async" || (form === "some async" && pe.rank % 2 === 0);
  const signal = limit === "signal" ? abortSoon() : undefined;
  const options: CallOptions | undefined = limit && { timeout: limit === "timeout" ? 60 : undefined, signal };
  const barrier = () => makeCall(pe, "barrier", later, USUAL, options);
  const details: Details = { ...USUAL, ...(guilty ? wrong[fault] : {}) };
  if (guilty && fault === "swap") await barrier();
  if (!(guilty && fault === "skip")) await makeCall(pe, wait, later, details, options);
  if (!(guilty && fault === "swap")) await barrier();
}

/** Once without a fault. Where a PE was late for that, or for the preparations, it is not what is tested. */
async function begin(pe: PE, { wait, notes }: Args): Promise<void> {
  try {
    prepare(pe, 4);
    await makeCall(pe, wait, pe.rank % 2 === 1);
  } catch (error) {
    // no note, but nobody is to wait for one
    if (!isPrepared(pe) || error instanceof TimeoutError) new Uint8Array(notes)[pe.rank * NOTE_BYTES] = TOO_EARLY;
    throw error;
  }
}

function abortSoon(): AbortSignal {
  const abort = new AbortController();
  setTimeout(() => abort.abort(new RangeError("enough")), 50);
  return abort.signal;
}

/** Later than the others can wait: when all have noted what they got. */
async function comeLate({ rank, size }: PE, notes: SharedArrayBuffer): Promise<void> {
  const others = [...Array(size).keys()].filter((other) => other !== rank);
  // only whether a note has begun; what it says is read when its PE has ended
  while (!others.every((other) => new Uint8Array(notes)[other * NOTE_BYTES] !== 0)) await delay(10);
}

async function misbehave(pe: PE, { fault, notes }: Args): Promise<void> {
  if (fault === "throw") throw new TypeError("something broke");
  if (fault === "exit") process.exit(3);
  if (fault === "come late") await comeLate(pe, notes);
  for (; fault === "loop"; );
}

const program: Spmd = spmd(async (pe, told) => {
  const args = told as Args;
  const { fault, culprit, quiet, notes } = args;
  const own = new Uint8Array(notes, pe.rank * NOTE_BYTES);
  if (pe.rank === culprit && ["throw", "exit", "return", "loop", "come late"].includes(fault)) {
    await begin(pe, args);
    await misbehave(pe, args);
    return;
  }
  try {
    // the culprit may be through with this, and gone wrong, before the others are
    await begin(pe, args);
    await wait(pe, args);
    // whoever has waited for nobody so far does now
    pe.barrier();
  } catch (error) {
    if (own[0] === TOO_EARLY) throw error;
    const note: Note = { first: tell(error), ...(await callAll(pe)) };
    own.set(new TextEncoder().encode(JSON.stringify(note)));
    if (!quiet) throw error;
  }
});

export default program;
