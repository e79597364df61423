/**
 * The ways in which PEs of one node append to a buffer of PE 0: append buffers, and what else Tundish and JavaScript
 * offer.
 */
import { type AppendBuffer, appendBuffer } from "../../../../src/append.ts";
import { elasticConveyor } from "../../../../src/conveyor.ts";
import type { PE } from "../../../../src/index.ts";
import { markOf } from "./span.ts";

/** The takers of a turn: one or several ways. */
export type WaysKind = "push" | "atomics" | "conveyor" | "alltoallv";

/** One way. */
export interface Way {
  readonly name: string;
  /** All PEs take part: those that push nothing run it with 0, and no writer can be timed alone. */
  readonly isCollective: boolean;
  /** Whether what is pushed lies in the heap. */
  readonly fromHeap: boolean;
  /** Pushes `data` so many times. */
  run(data: Uint8Array, pushes: number): void;
  /** At the owner: what came, in one piece or several. */
  came(): readonly Uint8Array[];
  /** Empties the buffer of this PE, when all have ended and before they meet again. */
  empty(): void;
  free(): void;
}

/** Bytes before the buffer of `atomics`: the counter has lines of its own. */
export const HEAD = 128;
const OWNER = 0;

const makers: Readonly<Record<WaysKind, (pe: PE, room: number, memory: SharedArrayBuffer | null) => Way[]>> = {
  push: (pe, room) =>
    (["error", "truncate"] as const).flatMap((overflow) => {
      const a = appendBuffer(pe, pe.rank === OWNER ? room : 0, { overflow });
      const more = overflow === "truncate" ? ", truncate" : "";
      return [appending(a, `push${more}`, false), appending(a, `push from the heap${more}`, true)];
    }),
  atomics: (pe, room, memory) => [byAtomics(pe, room, memory as SharedArrayBuffer)],
  conveyor: (pe, room) => [byConveyor(pe, room)],
  alltoallv: (pe, room) => [byAlltoallv(pe, room)],
};

/** @param room bytes of the largest batch @param memory shared by the PEs, for `atomics` */
export const waysOf = (pe: PE, kind: WaysKind, room: number, memory: SharedArrayBuffer | null): Way[] =>
  makers[kind](pe, room, memory);

function appending(a: AppendBuffer, name: string, fromHeap: boolean): Way {
  return {
    name,
    fromHeap,
    isCollective: false,
    run: (data, pushes) => pushAll(a, data, pushes),
    came: () => [a.data()],
    empty: () => {
      // what has come is discarded: a reset asks for this
      if (a.offset > 0) a.reset();
    },
    free: () => a.free(),
  };
}

function pushAll(a: AppendBuffer, data: Uint8Array, pushes: number): void {
  for (let i = 0; i < pushes; i++) a.push(OWNER, data);
}

/** As a user would write it without a library. */
function byAtomics(pe: PE, room: number, memory: SharedArrayBuffer): Way {
  const counter = new Int32Array(memory, 0, 1);
  const buffer = new Uint8Array(memory, HEAD, room);
  return {
    name: "Atomics.add and set",
    fromHeap: false,
    isCollective: false,
    run(data, pushes) {
      const { length } = data;
      for (let i = 0; i < pushes; i++) {
        const at = Atomics.add(counter, 0, length);
        if (at + length > room) throw new Error("more was reserved than pushed");
        buffer.set(data, at);
      }
    },
    came: () => [buffer.subarray(0, Atomics.load(counter, 0))],
    empty() {
      // the others may be further than the owner, which reads what came
      if (pe.rank === OWNER) Atomics.store(counter, 0, 0);
    },
    free() {},
  };
}

/** Ends when all items have arrived and lie in a buffer of the owner. */
function byConveyor(pe: PE, room: number): Way {
  const c = elasticConveyor(pe);
  const buffer = new Uint8Array(pe.rank === OWNER ? room : 0);
  let end = 0;
  return {
    name: "conveyor",
    fromHeap: false,
    isCollective: true,
    run(data, pushes) {
      c.begin();
      let pushed = 0;
      do {
        while (pushed < pushes && c.push(OWNER, data)) pushed++;
        for (; c.pull(); end += data.length) buffer.set(c.bytes, end);
      } while (c.advance(pushed === pushes));
      c.reset();
    },
    came: () => [buffer.subarray(0, end)],
    empty: () => {
      end = 0;
    },
    free: () => c.free(),
  };
}

/** One part for each batch: gathering the records in an array before is not timed. */
function byAlltoallv(pe: PE, room: number): Way {
  const whole = new Uint8Array(room).fill(markOf(pe.rank));
  const none = new Uint8Array(0);
  let got: readonly Uint8Array[] = [];
  return {
    name: "alltoallv",
    fromHeap: false,
    isCollective: true,
    run(data, pushes) {
      const own = whole.subarray(0, data.length * pushes);
      got = pe.alltoallv(Array.from({ length: pe.size }, (_, to) => (to === OWNER ? own : none)));
    },
    came: () => got,
    empty() {
      got = [];
    },
    free() {},
  };
}
