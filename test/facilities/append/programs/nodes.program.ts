/** What only append buffers over nodes can get wrong. */
import {
  type AppendBuffer,
  type AppendPush,
  type AppendTransport,
  appendBuffer,
  appendBufferAsync,
} from "../../../../src/append.ts";
import { type Group, type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { playInTurn } from "../../../support/in-turn.ts";
import { type Phases, phasesOf, playPhases } from "../support/phases.ts";

export interface Args {
  readonly part:
    | "phases"
    | "owner computes"
    | "owner waits"
    | "large"
    | "started"
    | "not freed"
    | "in a group"
    | "in groups at once"
    | "under way"
    | "held"
    | "refused unasked"
    | "left in other orders"
    | "local beside world"
    | "returns"
    | "returns early"
    | "refused";
  readonly transport: AppendTransport;
  readonly first?: number;
  readonly count?: number;
  readonly more?: Partial<Phases>;
}

/** How long an owner looks, ms: where a push must come meanwhile, and where it must not. */
const LOOKING_MS = { comes: 30_000, waits: 500 };
/** For which a PE computes after it has started a push, ms: far longer than a push takes on a busy machine. */
export const HOLDING_MS = 2000;
/** How long a PE pushes after another one has returned, ms. */
export const EARLY_MS = 3000;
/** Limit of a wait in "held", ms. */
export const HELD_TIMEOUT_MS = 1500;
/** After which the owner has left the barrier before, ms. */
const LEAVING_MS = 200;

const nobody = new Int32Array(new SharedArrayBuffer(4));
/** For so long this PE calls nothing, as one that computes, and leaves the CPU to others. */
const computeFor = (ms: number): unknown => Atomics.wait(nobody, 0, 0, ms);

/** PE 0 pushes to the last PE, which does something meanwhile and says what it saw; undefined from the others. */
function pushing<T>(pe: PE, transport: AppendTransport, owner: (a: AppendBuffer) => T): T | undefined {
  using a = appendBuffer(pe, 100, { transport });
  pe.barrier();
  if (pe.rank === 0) {
    computeFor(LEAVING_MS);
    a.push(pe.size - 1, Uint8Array.of(7));
  }
  const saw = pe.rank === pe.size - 1 ? owner(a) : undefined;
  pe.barrier();
  if (pe.rank === pe.size - 1 && a.data()[0] !== 7) throw new Error("not there");
  return saw;
}

/** An owner that computes: it looks, but does not wait. @returns whether something has come */
function comes(a: AppendBuffer, ms: number): boolean {
  const end = performance.now() + ms;
  while (a.completed === 0) {
    if (performance.now() > end) return false;
    computeFor(1);
  }
  return true;
}

const parts: Readonly<Record<Args["part"], (pe: PE, args: Args) => unknown>> = {
  async phases(pe, { transport, first = 1, count = 1, more }) {
    let phases = 0;
    for (let seed = first; seed < first + count; seed++) {
      const args = phasesOf(seed, { isAsync: seed % 3 === 0, ...more });
      await playPhases(pe, args, transport);
      phases += args.phases;
    }
    return phases;
  },
  // what is stored needs no owner; else the push waits for a call of it that waits
  "owner computes": (pe, { transport }) =>
    pushing(pe, transport, (a) => comes(a, transport === "sender" ? LOOKING_MS.comes : LOOKING_MS.waits)),
  // the pusher does not come to that barrier before it is served
  "owner waits": (pe, { transport }) => pushing(pe, transport, () => "in a barrier"),
  large(pe, { transport }) {
    const bytes = 1_000_000;
    using a = appendBuffer(pe, bytes * pe.size, { transport });
    const data = new Uint8Array(bytes).fill(pe.rank + 1);
    for (let dest = 0; dest < pe.size; dest++) a.push(dest, data);
    pe.barrier();
    const counts = new Uint32Array(256);
    const got = a.data();
    for (let i = 0; i < got.length; i++) counts[got[i]]++;
    return counts.every((count, byte) => count === (byte > 0 && byte <= pe.size ? bytes : 0));
  },
  async started(pe, { transport }) {
    using a = appendBuffer(pe, 8000, { transport });
    const dest = pe.size - 1 - pe.rank;
    const all = Array.from({ length: 1000 }, (_, i) => a.pushStart(dest, Float64Array.of(i)));
    a.sync();
    const left = all.filter((one) => !one.test()).length;
    const taken = all.reduce((sum, one) => sum + one.wait(), 0);
    pe.barrier();
    // each comes once; the order is not promised
    const sum = a.data(Float64Array).reduce((sum, x) => sum + x, 0);
    let said = "";
    try {
      // within the node it throws at once
      await a.pushStart(dest, Float64Array.of(0)).waitAsync();
    } catch (error) {
      said = (error as Error).message;
    }
    pe.barrier();
    return [left, taken, sum, a.messages, said.replace(/PE \d/, "PE n")];
  },
  "not freed"(pe, { transport }) {
    const a = appendBuffer(pe, 100, { transport });
    a.push(0, new Uint8Array(10));
    pe.barrier();
    return pe.rank === 0 ? a.completed : 10 * pe.size;
  },
  // a push that is under way hides nothing of those before it, and one that is started and not waited for holds up nobody
  "under way"(pe, { transport }) {
    using a = appendBuffer(pe, 100, { transport });
    const owner = pe.size - 1;
    if (pe.rank === 0) a.push(owner, new Uint8Array(8));
    pe.barrier();
    let push: AppendPush | null = null;
    if (pe.rank === 0) {
      push = a.pushStart(owner, new Uint8Array(8));
      push.test();
      computeFor(100);
    }
    // what was pushed before the barrier is there, whenever this PE looks
    let least = a.length;
    for (const end = performance.now() + 100; pe.rank === owner && performance.now() < end; )
      least = Math.min(least, a.completed, a.offset);
    if (pe.rank === owner) a.waitUntil({ bytes: 8 }, { timeout: 1000 });
    push?.wait();
    pe.barrier();
    if (transport !== "sender") return [pe.rank === owner ? least : 8, 0];
    if (pe.rank === 0) a.pushStart(owner, new Uint8Array(8));
    const began = performance.now();
    if (pe.rank === 0) computeFor(HOLDING_MS);
    if (pe.rank === 1 && pe.rank !== owner) a.push(owner, new Uint8Array(8));
    const took = performance.now() - began;
    pe.barrier();
    return [pe.rank === owner ? least : 8, pe.rank === 1 && pe.rank !== owner ? took : 0];
  },
  // PE 0 has begun a push and computes: what PE 1 pushes to the same owner waits, and says what it may be waiting for
  held(pe, { transport }) {
    const a = appendBuffer(pe, 100, { transport, name: "held" });
    pe.barrier();
    if (pe.rank === 0) {
      a.pushStart(pe.size - 1, new Uint8Array(8)).test();
      computeFor(3 * HELD_TIMEOUT_MS);
    }
    if (pe.rank === 1) {
      // that PE goes first
      computeFor(HELD_TIMEOUT_MS / 3);
      a.push(pe.size - 1, new Uint8Array(8));
    }
    for (let wait = 0; pe.rank === pe.size - 1 && wait < 10; wait++) {
      try {
        a.waitUntil({ bytes: 16 }, { timeout: HELD_TIMEOUT_MS / 2 });
      } catch (error) {
        const { code, message } = error as Error & { code: string };
        if (code !== "ERR_TUNDISH_TIMEOUT" || !message.includes("A PE is in a push")) throw error;
      }
    }
    return 0;
  },
  "refused unasked"(pe, { transport }) {
    using a = appendBuffer(pe, 64, { transport });
    const owner = pe.size - 1;
    let said = "";
    if (pe.rank === 0) {
      try {
        // to a PE of the node the ninth throws at once
        for (let i = 0; i < 20; i++) a.pushStart(owner, new Uint8Array(8));
        a.sync();
      } catch (error) {
        said = (error as Error).message;
      }
      // it is told once
      a.sync();
    }
    pe.barrier();
    said = pe.broadcast(said);
    if (pe.rank === owner && (a.completed !== 64 || a.messages !== 8)) said = `${a.completed} bytes`;
    return said.replace(/PE \d/, "PE n");
  },
  // buffers that nobody frees, in orders that differ
  async "left in other orders"(pe, { transport }) {
    const groups = [1, 2].map(() => pe.group(Array.from({ length: pe.size }, (_, rank) => rank)));
    const ordered = pe.rank % 2 === 0 || transport !== "sender" ? groups : groups.toReversed();
    const made = await Promise.all(ordered.map((group) => appendBufferAsync(group, 8, { transport })));
    pe.barrier();
    return made.length === 2;
  },
  // what needs no conveyor waits for none
  async "local beside world"(pe, { transport }) {
    const own = pe.group([pe.rank]);
    const calls = [() => appendBufferAsync(own, 8, { transport }), () => appendBufferAsync(pe, 8, { transport })];
    const [first, second] = pe.rank % 2 === 0 ? calls : calls.toReversed();
    const begun = (first as () => Promise<AppendBuffer>)();
    await new Promise((resolve) => setTimeout(resolve, pe.rank === 0 ? 0 : 20));
    const made = await Promise.all([begun, (second as () => Promise<AppendBuffer>)()]);
    for (const one of made) one.free();
    return made.length === 2;
  },
  returns(pe, { transport }) {
    appendBuffer(pe, 8, { transport });
    if (pe.rank === pe.size - 1) return "left";
    pe.barrier();
    return "met";
  },
  async "returns early"(pe, { transport }) {
    const a = appendBuffer(pe, 16, { transport });
    const owner = pe.size - 1;
    if (pe.rank === owner) return 16;
    for (let i = 0; i < 2; i++) {
      await new Promise((resolve) => setTimeout(resolve, EARLY_MS / 2));
      a.push(owner, new Uint8Array(8));
    }
    return 16;
  },
  refused(pe, { transport }) {
    try {
      appendBuffer(pe, 100, { transport });
      return ["nothing", 0];
    } catch (error) {
      return [(error as Error).message, pe.allreduce(1, "sum")];
    }
  },
  // PEs of the same groups make their buffers at the same time; in different orders, but for those that make conveyors
  async "in groups at once"(pe, { transport }) {
    const groups = groupsOf(pe);
    const ordered = pe.rank % 2 === 0 || transport !== "sender" ? groups : groups.toReversed();
    const sums = await Promise.all(
      ordered.map(async (group) => {
        const a = await appendBufferAsync(group, 100, { transport });
        for (let dest = 0; dest < group.size; dest++) await a.pushAsync(dest, Uint8Array.of(group.rank + 1));
        await group.barrierAsync();
        const sum = a.data().reduce((sum, x) => sum + x, 0);
        a.free();
        return sum === (group.size * (group.size + 1)) / 2;
      }),
    );
    pe.barrier();
    for (const group of groups) group[Symbol.dispose]();
    return sums.length > 0 && sums.every(Boolean);
  },
  "in a group"(pe, { transport }) {
    const ranks = Array.from({ length: pe.size }, (_, rank) => rank).reverse();
    using group = pe.group(ranks);
    using a = appendBuffer(group, 100, { transport });
    a.push((group.rank + 1) % group.size, Uint8Array.of(pe.rank));
    group.barrier();
    // PEs of two nodes in turn, with buffers of all sizes
    const mixed = ranks.toSorted((x, y) => (x % 2) - (y % 2) || x - y);
    using among = pe.group(mixed);
    using b = appendBuffer(among, 10 * among.rank, { transport, overflow: "truncate" });
    for (let dest = 0; dest < among.size; dest++) b.push(dest, new Uint8Array(10).fill(1 + among.rank));
    among.barrier();
    const isWhole = b.completed === 10 * among.rank && !b.data().includes(0);
    return isWhole && a.data()[0] === (pe.rank + 1) % pe.size;
  },
};

/** All groups of at least two PEs that this one is in, in the same order at all of them. */
function groupsOf(pe: PE): Group[] {
  const groups: Group[] = [];
  for (let set = 1; set < 2 ** pe.size; set++) {
    const ranks = Array.from({ length: pe.size }, (_, rank) => rank).filter((rank) => (set >> rank) & 1);
    if (ranks.length > 1 && ranks.includes(pe.rank)) groups.push(pe.group(ranks));
  }
  return groups;
}

const program: Spmd = spmd((pe: PE, args: Args | readonly Args[]) =>
  playInTurn(args, (step: Args) => parts[step.part](pe, step)),
);
export default program;
