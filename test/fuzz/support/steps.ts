/**
 * Random programs: which steps a seed stands for, and what each PE sends to each other one in them. Every PE computes
 * the same, so a receiver knows what must come: that is the model of the program.
 */
import { mix } from "../../facilities/conveyor/support/payloads.ts";

/** What a step uses. */
export type Kind =
  | "collective"
  | "exchange"
  | "conveyor"
  | "elastic"
  | "biconveyor"
  | "selector"
  | "calls"
  | "messenger"
  | "channels"
  | "append"
  | "ordered"
  | "containers";

/** How the PEs wait in a step: all of them block, all await, or some this and some that. */
export type Waits = "blocks" | "awaits" | "mixed";

export interface Step {
  readonly kind: Kind;
  /** What distinguishes it from others of its kind, as the makers take it. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The members of the group that takes it, by rank; null for all PEs. */
  readonly members: readonly number[] | null;
  /** The step whose object it uses again; its own number if it makes one. */
  readonly object: number;
  /** It begins in its place and is completed after the step of this number, its own if nothing comes between. */
  readonly until: number;
  readonly waits: Waits;
  /** Items from one PE to another one, at most. */
  readonly most: number;
}

export interface Program {
  readonly seed: number;
  readonly pes: number;
  readonly steps: readonly Step[];
}

/** What a facility of these can have open while other steps run. */
const OVERLAPS: readonly Kind[] = ["exchange", "conveyor", "elastic", "messenger", "channels", "append", "ordered"];

export const COLLECTIVES = [
  "barrier",
  "broadcast",
  "reduce",
  "allreduce",
  "scan",
  "gather",
  "allgather",
  "scatter",
  "alltoallv",
] as const;

const DISCIPLINES = [
  ...["eager", "interleaved", "random", "cyclic-shift", "barrier", "token"],
  ...["request-token", "dynamic", "static", "iterative-matching"],
];

const KINDS: Readonly<Record<Kind, (draw: Draw) => Readonly<Record<string, unknown>>>> = {
  collective: (draw) => ({ call: draw.one(COLLECTIVES), length: draw.one([0, 1, 5, 300, 5000]) }),
  exchange: (draw) => {
    const discipline = draw.one(DISCIPLINES);
    const mayHave = discipline === "token" || discipline === "dynamic";
    const barrierEvery = mayHave && draw.below(3) > 0 ? { barrierEvery: draw.one([0, 2]) } : {};
    // twelve barriers for each chunk
    const chunks = discipline === "iterative-matching" ? [3000] : [200, 3000];
    return { discipline, chunkBytes: draw.one(chunks), ...barrierEvery };
  },
  conveyor: (draw) => {
    const type = draw.one(["tensor", "tensor", "simple", "trivial"]);
    const discipline =
      type === "tensor" ? { discipline: draw.one(["eager", "eager", "token", "dynamic", "barrier"]) } : {};
    const hops = type === "tensor" && draw.below(4) === 0 ? { hops: 2 } : {};
    return { type, bufferBytes: draw.one([64, 256, 4096]), ...discipline, ...hops };
  },
  elastic: (draw) => ({ bufferBytes: draw.one([64, 512, 4096]) }),
  biconveyor: (draw) => ({ bufferBytes: draw.one([64, 512]) }),
  selector: (draw) => ({ bufferBytes: draw.one([64, 512]), ends: draw.one(["order", "quiescence"]) }),
  calls: (draw) => ({ bufferBytes: draw.one([256, 4096]) }),
  messenger: (draw) => ({ slots: draw.one([8, 64]), partBytes: draw.one([128, 8192]) }),
  channels: (draw) => ({ slots: 64, partBytes: draw.one([128, 8192]) }),
  append: (draw) => ({ counting: draw.below(2) === 0 }),
  ordered: (draw) => ({ slots: 64, partBytes: draw.one([128, 8192]) }),
  containers: (draw) => ({ bufferBytes: draw.one([256, 4096]), combine: draw.one([0, 1000]) }),
};
const NAMES = Object.keys(KINDS) as Kind[];

/** Random choices, one after the other. */
class Draw {
  readonly #seed: number;
  #count = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  below(n: number): number {
    return mix(this.#seed, this.#count++, 77) % n;
  }

  one<T>(all: readonly T[]): T {
    return all[this.below(all.length)] as T;
  }
}

/** The program of a seed. @param count of its steps */
export function programOf(seed: number, pes: number, count = 12): Program {
  const draw = new Draw(seed);
  const steps: Step[] = [];
  for (let at = 0; at < count; at++) {
    const again = draw.below(3) === 0 ? reusable(steps, at, draw) : -1;
    steps.push(again < 0 ? newStep(draw, at, pes, count) : stepAgain(draw, steps[again] as Step, at, count));
  }
  return { seed, pes, steps };
}

function newStep(draw: Draw, at: number, pes: number, count: number): Step {
  // collectives are what programs have most of
  const kind = draw.below(4) === 0 ? "collective" : draw.one(NAMES);
  const members = pes > 2 && draw.below(4) === 0 ? someOf(draw, pes) : null;
  const options = KINDS[kind](draw);
  return { kind, options, members, object: at, ...howOf(draw, kind, at, count) };
}

const stepAgain = (draw: Draw, of: Step, at: number, count: number): Step => ({
  ...of,
  ...howOf(draw, of.kind, at, count),
});

function howOf(draw: Draw, kind: Kind, at: number, count: number): Pick<Step, "until" | "waits" | "most"> {
  const isOpenLong = OVERLAPS.includes(kind) && draw.below(2) === 0;
  const until = isOpenLong ? Math.min(count - 1, at + 1 + draw.below(3)) : at;
  return { until, waits: draw.one(["blocks", "blocks", "awaits", "mixed"]), most: draw.one([0, 2, 9, 40]) };
}

/** A step whose object can be used again now; -1 if the one that was drawn cannot. */
function reusable(steps: readonly Step[], at: number, draw: Draw): number {
  if (steps.length === 0) return -1;
  const of = draw.below(steps.length);
  const { kind, object } = steps[of] as Step;
  const isOpen = steps.some((step) => step.object === object && step.until >= at);
  // an append buffer is as large as its step needs
  return isOpen || kind === "append" ? -1 : of;
}

/** Two PEs or more, in an order that is not that of their ranks. */
function someOf(draw: Draw, pes: number): number[] {
  const all = Array.from({ length: pes }, (_, rank) => rank);
  for (let i = pes - 1; i > 0; i--) {
    const j = draw.below(i + 1);
    [all[i], all[j]] = [all[j] as number, all[i] as number];
  }
  return all.slice(0, 2 + draw.below(pes - 1));
}

/** The program as text. */
export function textOf({ seed, pes, steps }: Program): string {
  const lines = steps.map(({ kind, options, members, object, until, waits, most }, at) => {
    const made =
      object === at
        ? Object.entries(options)
            .map(([name, value]) => ` ${name}=${value}`)
            .join("")
        : ` of step ${object} again`;
    const over = members === null ? "" : ` among PE ${members.join(", ")}`;
    const open = until === at ? "" : `, open until after step ${until}`;
    return `  ${at}: ${kind}${made}${over}, ${waits}, up to ${most} items${open}`;
  });
  return `seed ${seed}, ${pes} PEs\n${lines.join("\n")}`;
}

/** What PEs send in a step. Ranks are those in its group. */
export class Traffic {
  readonly #seed: number;
  readonly #most: number;

  constructor(seed: number, at: number, most: number) {
    this.#seed = mix(seed, at, 5);
    this.#most = most;
  }

  /** How many items one PE sends to another one, or to itself. */
  count(from: number, to: number): number {
    return this.#most === 0 ? 0 : mix(this.#seed, from, to, 1) % (this.#most + 1);
  }

  /** Item `i` of them: 32 bits. */
  value(from: number, to: number, i: number): number {
    return mix(this.#seed, from, to, i, 2);
  }

  /** A length for it. */
  bytes(from: number, to: number, i: number, lengths: readonly number[]): number {
    return lengths[mix(this.#seed, from, to, i, 3) % lengths.length] as number;
  }

  /** The values of all of them, in order. */
  values(from: number, to: number): Uint32Array {
    return Uint32Array.from({ length: this.count(from, to) }, (_, i) => this.value(from, to, i));
  }

  /**
   * What item i looks like as bytes of a length: its number and its value, if there is room for them, and then the
   * value's lowest byte.
   */
  content(from: number, to: number, i: number, length: number): Uint8Array {
    const value = this.value(from, to, i);
    const data = new Uint8Array(length).fill(value & 255);
    if (length >= 8) {
      const view = new DataView(data.buffer);
      view.setUint32(0, i, true);
      view.setUint32(4, value, true);
    }
    return data;
  }
}
