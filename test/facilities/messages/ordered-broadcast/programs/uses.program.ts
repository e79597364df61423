/** Ordered broadcasts as programs use and misuse them. */

import { bytes, f64, type PE, type Spmd, spmd, struct, u32 } from "../../../../../src/index.ts";
import { type OrderedBroadcast, orderedBroadcast } from "../../../../../src/messages.ts";
import { playInTurn } from "../../../../support/in-turn.ts";
import { rejected, thrown } from "../../../../support/thrown.ts";
import { mix } from "../../../conveyor/support/payloads.ts";

/** What a program does. */
export type Part =
  | "in order"
  | "misuse"
  | "freed"
  | "freed meanwhile"
  | "async"
  | "groups"
  | "lengths"
  | "full"
  | "stalled"
  | "aside"
  | "no room"
  | "mismatch"
  | "member throws"
  | "member returns"
  | "one-sided"
  | "cut off"
  | "cut by the end";

export interface Args {
  readonly part: Part;
  readonly count?: number;
  readonly seed?: number;
}

const NOWHERE = new Int32Array(new SharedArrayBuffer(4));
const sleep = (ms: number): unknown => Atomics.wait(NOWHERE, 0, 0, ms);

const POINT = struct({ at: u32, value: f64 });

/** Delivers until it cannot. @returns the messages, and why */
function rest(b: OrderedBroadcast): [delivered: string, why: string] {
  const all: string[] = [];
  for (;;) {
    try {
      const [first] = b.deliver();
      all.push(`${b.sequence}:${b.from}:${first}`);
    } catch (error) {
      return [all.join(" "), (error as Error).message];
    }
  }
}

const parts: Readonly<Record<Part, (pe: PE, args: Args) => unknown>> = {
  /** Numbers from all members, who stop now and then. Gives a hash of the order, and what was wrong. */
  "in order"(pe: PE, { count = 0, seed = 0 }: Args) {
    using b = orderedBroadcast(pe, { item: u32 });
    const next = new Array<number>(pe.size).fill(0);
    const own = Math.ceil(count / pe.size);
    let hash = 0;
    let wrong = 0;
    let left = own * pe.size;
    const take = (value: number) => {
      if (value !== (next[b.from] as number)++ || b.sequence !== own * pe.size - left) wrong++;
      hash = (Math.imul(hash, 31) + b.from + 1) | 0;
      left--;
    };
    for (let i = 0; i < own; i++) {
      b.submit(i);
      while (left > 0 && b.canDeliver()) take(b.deliver());
      if (mix(seed, pe.rank, i) % 20_000 === 0) sleep(5);
    }
    while (left > 0) take(b.deliver());
    return [hash, wrong, next.every((one) => one === own)];
  },
  misuse(pe: PE) {
    const make = (options: unknown) => () => orderedBroadcast(pe, options as never);
    const b = orderedBroadcast(pe, { item: POINT, name: "points" });
    const d = orderedBroadcast(pe, { partBytes: 100 });
    const detached = new Uint8Array(8);
    structuredClone(detached, { transfer: [detached.buffer] });
    const said = [
      thrown(make({ backend: "tcp" })),
      thrown(make({ slots: 3 })),
      thrown(make({ partBytes: 1 })),
      thrown(make({ item: "u32" })),
      thrown(make({ item: u32, partBytes: 100 })),
      thrown(make({ slot: 4 })),
      thrown(() => (b.submit as (value: number) => void)(1)),
      thrown(() => b.trySubmit("1" as never, 2)),
      thrown(() => d.submit([1] as never)),
      thrown(() => d.submit(detached)),
      thrown(() => d.trySubmit(new Uint8Array(105))),
      thrown(() => d.deliver({ timeout: -1 })),
      thrown(() => d.deliver({ time: 1 } as never)),
      thrown(() => d.deliver({ timeout: 5 })),
      thrown(() => b.deliver({ timeout: 5 })),
    ];
    // nothing of it has come or gone
    pe.barrier();
    const none = [b.canDeliver(), b.tryDeliver(), d.canDeliver(), d.tryDeliver(), b.from, b.sequence];
    pe.barrier();
    if (pe.rank === 1) b.submit(7, 0.5);
    const { at, value } = b.deliver();
    pe.barrier();
    b.free();
    b.free();
    d.free();
    return [
      ...said,
      none.join(),
      `${at} ${value} ${b.from} ${b.sequence}`,
      thrown(() => b.submit(1, 2)),
      thrown(() => d.deliver()),
      thrown(() => d.canSubmit()),
    ];
  },
  /** What was submitted before an end was freed is delivered everywhere; then it is said. */
  freed(pe: PE) {
    const b = orderedBroadcast(pe);
    const last = pe.size - 1;
    if (pe.rank === last) {
      for (let i = 0; i < 3; i++) b.submit(Uint8Array.of(i));
      b.free();
      return [];
    }
    const told = rest(b);
    return [
      ...told,
      thrown(() => b.submit(Uint8Array.of(1))),
      thrown(() => b.trySubmit(Uint8Array.of(1))),
      thrown(() => b.canSubmit()),
      thrown(() => b.tryDeliver()),
      thrown(() => b.canDeliver()),
    ];
  },
  /** Members that wait when an end is freed. */
  async "freed meanwhile"(pe: PE) {
    const b = orderedBroadcast(pe);
    const d = orderedBroadcast(pe);
    const e = orderedBroadcast(pe, { slots: 2, partBytes: 64 });
    if (pe.rank === 0) {
      sleep(50);
      b.free();
      sleep(50);
      d.free();
      sleep(50);
      e.free();
      return [];
    }
    return [
      thrown(() => b.deliver()),
      await rejected(() => d.deliverAsync()),
      // there is no room at last
      thrown(() => {
        for (;;) e.submit(Uint8Array.of(1));
      }),
    ];
  },
  async async(pe: PE) {
    const b = orderedBroadcast(pe, { slots: 2 });
    const said: string[] = [];
    const first = b.deliverAsync();
    said.push(
      await rejected(() => b.deliverAsync()),
      thrown(() => b.deliver()),
      thrown(() => b.tryDeliver()),
    );
    // until all have asked
    await pe.barrierAsync();
    if (pe.rank === 0) await b.submitAsync(Uint8Array.of(5));
    said.push(String((await first)[0]));
    said.push(await rejected(() => b.deliverAsync({ timeout: 10 })));
    const stop = new AbortController();
    setTimeout(() => stop.abort("enough"), 10);
    said.push(await rejected(() => b.deliverAsync({ signal: stop.signal })));
    await pe.barrierAsync();
    if (pe.rank === 1) {
      // longer than all that there is room for
      const large = new Uint8Array(4_000_000).fill(9);
      const submitting = b.submitAsync(large);
      said.push(
        await rejected(() => b.submitAsync(large)),
        thrown(() => b.submit(large)),
        thrown(() => b.trySubmit(Uint8Array.of(1))),
      );
      await submitting;
    }
    const all = await b.deliverAsync();
    said.push(`${all.length} ${all[3_999_999]} ${b.from} ${b.sequence}`);
    b.free();
    return said;
  },
  /** Groups have ranks of their own and overlap, and many can be made. */
  groups(pe: PE) {
    const upper = Array.from({ length: pe.size }, (_, rank) => pe.size - 1 - rank);
    using group = pe.group(upper);
    const some = upper.slice(0, 2);
    using pair = some.includes(pe.rank) ? pe.group(some) : null;
    let wrong = 0;
    for (let round = 0; round < 100; round++) {
      using b = orderedBroadcast(group, { item: bytes(200), name: "all" });
      using c = pair === null ? undefined : orderedBroadcast(pair, { slots: 2, partBytes: 64 });
      using d = orderedBroadcast(pe, { item: u32 });
      b.submit(new Uint8Array(200).fill(pe.rank));
      c?.submit(Uint8Array.of(pe.rank));
      d.submit(pe.rank);
      const seen = new Set<number>();
      for (let i = 0; i < pe.size; i++) {
        const [first] = b.deliver();
        if (first !== group.ranks[b.from]) wrong++;
        if (d.deliver() !== d.from) wrong++;
        seen.add(d.from);
      }
      if (seen.size !== pe.size) wrong++;
      for (let i = 0; c !== undefined && i < 2; i++) if (c.deliver()[0] !== pair?.ranks[c.from]) wrong++;
    }
    return wrong;
  },
  /** Messages of all lengths, long ones from all at the same time. */
  lengths(pe: PE) {
    using b = orderedBroadcast(pe, { slots: 8 });
    const lengths = [0, 1, 47, 48, 49, 56, 8191, 8192, 8193, 65_536, 1_000_000, 3];
    const next = new Array<number>(pe.size).fill(0);
    let wrong = 0;
    let left = lengths.length * pe.size;
    const take = (got: Uint8Array) => {
      const length = lengths[(next[b.from] as number)++];
      const is = (x: number | undefined) => x === undefined || x === (b.from * 7 + (length as number)) % 256;
      if (got.length !== length || !is(got[0]) || !is(got.at(-1)) || !is(got[length >> 1])) wrong++;
      left--;
    };
    for (const length of lengths) {
      b.submit(new Uint8Array(length).fill(pe.rank * 7 + length));
      while (left > 0 && b.canDeliver()) take(b.deliver());
    }
    while (left > 0) take(b.deliver());
    return wrong;
  },
  /** All submit without delivering: as many as is promised, and then until that is refused. Nothing is lost. */
  full(pe: PE) {
    const slots = 8;
    using b = orderedBroadcast(pe, { item: u32, slots });
    let own = 0;
    for (; own < slots; own++) b.submit(own);
    const refused = thrown(() => {
      for (; ; own++) b.submit(own);
    });
    const tried = b.trySubmit(own) || b.canSubmit();
    const total = [pe.rank, -1];
    const next = new Array<number>(pe.size).fill(0);
    // who has been refused submits a last one, as soon as it can: its end
    let ended = 0;
    let isSubmitted = false;
    while (ended < pe.size) {
      if (!isSubmitted) isSubmitted = b.trySubmit(2 ** 32 - 1);
      const value = b.tryDeliver();
      if (value === 2 ** 32 - 1) ended++;
      else if (value !== undefined && value !== (next[b.from] as number)++) total[1] = b.from;
    }
    pe.barrier();
    return [refused, tried, own < 1000, next[pe.rank] === own, total[1], next.join()];
  },
  /** A member that makes no call stops the others; it gets all when it goes on. */
  stalled(pe: PE) {
    using b = orderedBroadcast(pe, { item: u32, slots: 4 });
    const last = pe.size - 1;
    pe.barrier();
    let own = 0;
    if (pe.rank !== last) {
      let idle = 0;
      for (const began = performance.now(); idle < 1000 || performance.now() - began < 200; ) {
        if (b.trySubmit(own)) {
          own++;
          idle = 0;
        } else idle++;
        b.tryDeliver();
      }
    } else sleep(400);
    // it is told how many there are by another way; what waits there is taken meanwhile
    const total = pe.size > 2 || pe.rank !== last ? own : 0;
    const all = pe.allreduce(total, "sum");
    let sequence = b.sequence;
    while (sequence < all - 1) {
      b.deliver();
      sequence = b.sequence;
    }
    pe.barrier();
    return [own < 1000, sequence === all - 1, own > 0 || pe.rank === last];
  },
  /** Members that wait for something else pass on what others wait for. */
  aside(pe: PE) {
    using b = orderedBroadcast(pe, { item: u32, slots: 2 });
    const last = pe.size - 1;
    let sum = 0;
    if (pe.rank === last) {
      b.submit(1);
      for (let i = 0; i < 50; i++) {
        sum += b.deliver();
        if (i < 49) b.submit(1);
      }
    } else {
      // one message of many is delivered between two barriers
      for (let i = 0; i < 50; i++) sum += b.deliver();
    }
    pe.barrier();
    return sum;
  },
  /** One for which the heap has no room; the world goes on. */
  "no room"(pe: PE) {
    const said = thrown(() => orderedBroadcast(pe, { slots: 1024, partBytes: 2 ** 20 }));
    pe.barrier();
    using b = orderedBroadcast(pe);
    if (pe.rank === 0) b.submit(Uint8Array.of(3));
    const [got] = b.deliver();
    pe.barrier();
    return [said, got];
  },
  mismatch(pe: PE) {
    const b = pe.rank === pe.size - 1 ? orderedBroadcast(pe, { item: f64 }) : orderedBroadcast(pe, { item: u32 });
    b.submit(1);
    for (;;) b.deliver();
  },
  "member throws"(pe: PE) {
    const b = orderedBroadcast(pe);
    if (pe.rank === 1) throw new RangeError("out of messages");
    return rest(b);
  },
  /** A member returns in the middle, without a word. What it has submitted is delivered everywhere. */
  "member returns"(pe: PE) {
    const b = orderedBroadcast(pe);
    if (pe.rank === pe.size - 1) {
      b.submit(Uint8Array.of(1));
      b.submit(Uint8Array.of(2));
      return [];
    }
    return rest(b);
  },
  /** One makes none, and returns. */
  "one-sided"(pe: PE) {
    if (pe.rank === pe.size - 1) return 1;
    orderedBroadcast(pe).deliver();
    return 0;
  },
  /** The others do not relay: a message is cut off. */
  "cut off"(pe: PE) {
    const b = orderedBroadcast(pe, { slots: 2, partBytes: 64 });
    if (pe.rank === pe.size - 1) b.submit(new Uint8Array(10_000));
    else sleep(2000);
    return "submitted";
  },
  /** A member frees its end while another one is in the middle of a message: that is delivered nowhere. */
  async "cut by the end"(pe: PE) {
    const b = orderedBroadcast(pe, { slots: 2, partBytes: 64 });
    pe.barrier();
    if (pe.rank === pe.size - 1) {
      const submitting = b.submitAsync(new Uint8Array(100_000));
      b.free();
      return [await rejected(() => submitting)];
    }
    const [all, why] = rest(b);
    return [why, all];
  },
};

const program: Spmd = spmd((pe: PE, args: Args | readonly Args[]) =>
  playInTurn(args, (step: Args) => parts[step.part](pe, step)),
);
export default program;
