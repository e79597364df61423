/** A conveyor's session in which one PE goes wrong; what each PE sees is written down. */

import { setTimeout as delay } from "node:timers/promises";
import { biconveyor, conveyor, DONE, elasticConveyor, valueConveyor } from "../../../../src/conveyor.ts";
import { i32, type PE, type Spmd, spmd, u8, u32, u64 } from "../../../../src/index.ts";

export type Fault =
  | "throw"
  | "exit"
  | "return early"
  | "all return"
  | "return after DONE"
  | "stall"
  | "stall beside another"
  | "never begin"
  | "abort"
  | "session timeout"
  | "never done"
  | "other options"
  | "other item at make"
  | "other item at begin"
  | "codec";

export type Front = "tensor" | "simple" | "elastic" | "values" | "bi";

export interface Args {
  readonly fault: Fault;
  readonly front: Front;
  readonly culprit: number;
  readonly notes: SharedArrayBuffer;
  /** Of a session that is to end by its own limit, ms. */
  readonly sessionTimeout?: number | undefined;
}

export const NOTE_BYTES = 512;

/** How often a PE that stalls looks whether the others have been told, ms. */
const LOOK_MS = 5;

const program: Spmd = spmd(async (pe, args) => {
  const { culprit, notes } = args as Args;
  try {
    await session(pe, args as Args, pe.rank === culprit);
  } catch (error) {
    const { code, rank, message } = error as { code?: string; rank?: number; message: string };
    const text = JSON.stringify({ code, rank, message: message.slice(0, 200) });
    new Uint8Array(notes, pe.rank * NOTE_BYTES).set(new TextEncoder().encode(text));
    throw error;
  }
});

/** A PE that does nothing until all others have written down what they were told, and leaves then by itself. */
async function stall(pe: PE, notes: SharedArrayBuffer): Promise<never> {
  const isTold = (rank: number) => rank === pe.rank || new Uint8Array(notes, rank * NOTE_BYTES)[0] > 0;
  while (!Array.from({ length: pe.size }, (_, rank) => rank).every(isTold)) await delay(LOOK_MS);
  throw new Error("all others have been told");
}

async function session(pe: PE, { fault, front, notes, sessionTimeout }: Args, isCulprit: boolean): Promise<void> {
  const stop = new AbortController();
  const options = {
    bufferBytes: isCulprit && fault === "other options" ? 512 : 256,
    lossy: true,
    ...(front === "simple" ? ({ type: "simple" } as const) : {}),
    ...(sessionTimeout === undefined ? {} : { timeout: sessionTimeout }),
    ...(isCulprit ? { signal: stop.signal } : {}),
    ...(fault === "codec"
      ? {
          hops: 2 as const,
          groupSize: 2,
          compress: { compress: () => (isCulprit ? -1 : 0), decompress() {} },
        }
      : {}),
  };
  const item = isCulprit && fault === "other item at make" ? u64 : u32;
  const c =
    front === "elastic"
      ? elasticConveyor(pe, options)
      : front === "values"
        ? // the culprit has arrays instead
          valueConveyor(pe, item === u64 ? { ...options, of: Float64Array } : options)
        : front === "bi"
          ? biconveyor(pe, item, u8, () => 1, options)
          : conveyor(pe, item, options);
  if (isCulprit && fault === "never begin") await stall(pe, notes);
  if (isCulprit && fault === "other item at begin") (c as { begin(item: unknown): void }).begin(i32);
  else c.begin();
  // one that nobody advances
  if (fault === "stall beside another") conveyor(pe, u8).begin();
  const next = (pe.rank + 1) % pe.size;
  // one that it takes: whoever pushes may do so before the others have seen that it is of another type than theirs
  const ofCulprit = front === "values" ? Float64Array.of(1) : 1n;
  const value = front === "elastic" ? new Uint8Array(300) : item === u64 ? ofCulprit : 1;
  const push = () => (c.push as (dest: number, value: unknown) => boolean)(next, value);
  const endless = fault !== "return after DONE";
  for (let i = 0; ; i++) {
    if (endless || i < 50) push();
    while (c.pull());
    if (fault === "all return" && i === 20) return;
    if (isCulprit && i === 20) {
      if (fault === "throw") throw new TypeError("something broke");
      if (fault === "exit") process.exit(3);
      if (fault === "return early") return;
      if (fault === "stall" || fault === "stall beside another") await stall(pe, notes);
      if (fault === "abort") stop.abort(new Error("enough"));
    }
    // others are done, so that they have nothing to do but wait
    const isDone = isCulprit ? !endless && i >= 50 : fault === "never done" ? i > 5 : i >= 50;
    if (c.state === "working" ? c.advance(isDone) === DONE : false) break;
    if (c.state !== "working") {
      while (c.advance(true) !== DONE) while (c.pull());
      break;
    }
  }
  if (isCulprit && fault === "return after DONE") return;
  c.reset();
  if (endless) return;
  // a session more than the PE that has left
  c.begin();
  while (c.advance(true));
}

export default program;
