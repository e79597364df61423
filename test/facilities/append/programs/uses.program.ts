/** Uses and misuses of append buffers: each part gives what the test expects. */
import { appendBuffer } from "../../../../src/append.ts";
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { playInTurn } from "../../../support/in-turn.ts";

export type Part =
  | "what is pushed"
  | "misuse"
  | "no buffer"
  | "sizes differ"
  | "options differ"
  | "resets"
  | "freed while it waits"
  | "waits"
  | "uncounted"
  | "started"
  | "many"
  | "in groups"
  | "full heap";

export interface Args {
  readonly part: Part;
}

/** Code and message of what a call throws; its result if it throws nothing. */
function thrown(call: () => unknown): string {
  try {
    return `nothing, but ${String(call())}`;
  } catch (error) {
    return (error as Error).message;
  }
}

async function rejected(call: () => Promise<unknown>): Promise<string> {
  try {
    return `nothing, but ${String(await call())}`;
  } catch (error) {
    return (error as Error).message;
  }
}

const parts: Readonly<Record<Part, (pe: PE) => unknown>> = {
  "what is pushed"(pe) {
    const a = appendBuffer(pe, pe.rank === 0 ? 400 : 0);
    if (pe.rank === 1) {
      const own = pe.group([1]).alloc(Uint32Array, 3).fill(7);
      a.push(0, Float64Array.of(1.5, 2.5));
      a.push(0, new DataView(new Uint8Array([9, 8, 7, 6, 5, 4, 3, 2]).buffer, 2, 4));
      a.push(0, own);
      a.push(0, Buffer.from("text"));
      a.push(0, new Uint8Array(new SharedArrayBuffer(8), 2, 4));
      a.push(0, BigInt64Array.of(-1n));
      a.push(0, new Uint8Array(0));
    }
    pe.barrier();
    const seen =
      pe.rank > 0
        ? null
        : [
            [...a.data(Float64Array).subarray(0, 2)],
            [...a.data().subarray(16, 20)],
            [...a.data(Uint32Array).subarray(5, 8)],
            Buffer.from(a.data().slice(32, 36)).toString(),
            [...a.data().subarray(36, 40)],
            a.data(BigInt64Array)[5],
            [a.offset, a.completed, a.messages, a.length, a.data(Float64Array).length],
          ].map(String);
    a.free();
    return seen;
  },
  misuse(pe) {
    const a = appendBuffer(pe, 64);
    const call = a.push as (...args: unknown[]) => unknown;
    const push = (...args: unknown[]) => thrown(() => call.apply(a, args));
    const gone = new Uint8Array(8);
    structuredClone(gone, { transfer: [gone.buffer] });
    const lost = new DataView(new ArrayBuffer(8));
    structuredClone(lost, { transfer: [lost.buffer] });
    // what an array says of itself is not believed
    const liar = new Uint8Array(1000);
    for (const name of ["length", "byteLength"]) Object.defineProperty(liar, name, { value: 4 });
    const said = [
      push(pe.size, new Uint8Array(1)),
      push(-1, new Uint8Array(1)),
      push("0", new Uint8Array(1)),
      push(0, liar),
      push(0, [1, 2]),
      push(0, undefined),
      push(0, gone),
      push(0, lost),
      thrown(() => appendBuffer(pe, -1)),
      thrown(() => appendBuffer(pe, 1.5)),
      thrown(() => appendBuffer(pe, "8" as never)),
      thrown(() => appendBuffer(pe, 8, { overflw: "error" } as never)),
      thrown(() => appendBuffer(pe, 8, { overflow: "wrap" as never })),
      thrown(() => a.waitUntil({ bytes: 65 })),
      thrown(() => a.waitUntil({ byte: 1 } as never)),
      thrown(() => a.waitUntil({ messages: 1 }, { timeout: -1 })),
      thrown(() => a.data(Array as never)),
    ];
    // nobody fills its buffer before all have said how much is left in that of PE 0
    pe.barrier();
    said.push(
      String(a.push(pe.rank, new Uint8Array(60))),
      thrown(() => a.push(pe.rank, new Uint8Array(5))),
      String(a.push(pe.rank, new Uint8Array(4))),
      String([a.offset, a.completed, a.messages]),
    );
    pe.barrier();
    a.free();
    a.free();
    said.push(...[() => a.push(0, new Uint8Array(1)), () => a.offset, () => a.data(), () => a.reset()].map(thrown));
    return said;
  },
  "no buffer"(pe) {
    const a = appendBuffer(pe, pe.rank === 0 ? 100 : 0);
    const t = appendBuffer(pe, pe.rank === 0 ? 100 : 0, { overflow: "truncate" });
    const said = [
      thrown(() => a.push(1, new Uint8Array(3))),
      String(a.push(1, new Uint8Array(0))),
      String(t.push(1, new Uint8Array(3))),
      String(a.lengths),
    ];
    pe.barrier();
    said.push(String([a.messages, t.messages, t.offset]));
    a.free();
    t.free();
    return said;
  },
  "sizes differ"(pe) {
    const a = appendBuffer(pe, 10 * (pe.rank + 1), { overflow: "truncate" });
    const taken = a.lengths.map((_, dest) => a.push(dest, new Uint8Array(1000)));
    pe.barrier();
    const sum = pe.allreduce(Float64Array.from(taken), "sum");
    const seen = [String(sum), String([a.offset, a.completed, a.messages, a.data().length])];
    a[Symbol.dispose]();
    return seen;
  },
  "options differ"(pe) {
    const said = thrown(() => appendBuffer(pe, 8, { overflow: pe.rank === 0 ? "error" : "truncate" }));
    // the world goes on
    return [said, pe.allreduce(1, "sum") === pe.size];
  },
  resets(pe) {
    const a = appendBuffer(pe, 1000);
    const said: string[] = [];
    // what has come since this PE has looked would be lost
    a.push(pe.rank, new Uint8Array(10));
    said.push(String(a.offset));
    a.push(pe.rank, new Uint8Array(5));
    said.push(thrown(() => a.reset()));
    said.push(String([a.offset, a.completed]));
    a.reset();
    // this PE has not looked since
    a.push(pe.rank, new Uint8Array(5));
    a.waitUntil({ bytes: 5 });
    said.push(thrown(() => a.reset()));
    said.push(String(a.offset));
    a.reset();
    said.push(String([a.offset, a.completed, a.messages, a.data().length]));
    a.push(pe.rank, Uint8Array.of(3));
    said.push(String(a.data()));
    a.free();
    return said;
  },
  async "freed while it waits"(pe) {
    const a = appendBuffer(pe, 128);
    const waiting = rejected(() => a.waitUntilAsync({ bytes: 1 }));
    a.free();
    pe.barrier();
    using next = appendBuffer(pe, 128);
    next.push(pe.rank, new Uint8Array(128).fill(9));
    const said = await waiting;
    return [said, String(next.data().every((byte) => byte === 9))];
  },
  async waits(pe) {
    const a = appendBuffer(pe, 1000);
    if (pe.size === 1) return ["alone"];
    const said: string[] = [];
    pe.barrier();
    if (pe.rank === 0) {
      said.push(thrown(() => a.waitUntil({ bytes: 10 }, { timeout: 30 })));
      said.push(await rejected(() => a.waitUntilAsync({ messages: 3 }, { timeout: 30 })));
      const abort = AbortSignal.timeout(20);
      said.push(await rejected(() => a.waitUntilAsync({ messages: 3 }, { signal: abort })));
    }
    pe.barrier();
    if (pe.rank === 1) for (let i = 0; i < 100; i++) a.push(0, Uint8Array.of(i, i));
    if (pe.rank === 0) {
      a.waitUntil({ bytes: 200, messages: 100 });
      await a.waitUntilAsync({ bytes: 200 });
      said.push(String([a.offset, a.completed, a.messages]));
    }
    pe.barrier();
    a.free();
    return said;
  },
  uncounted(pe) {
    const a = appendBuffer(pe, 100, { counting: false });
    a.push((pe.rank + 1) % pe.size, Uint8Array.of(pe.rank));
    pe.barrier();
    const said = [
      ...[() => a.messages, () => a.waitUntil({ messages: 1 })].map(thrown),
      String([a.waitUntil({ bytes: 1 }), a.offset, a.completed, a.data()]),
    ];
    a.free();
    return said;
  },
  async started(pe) {
    const a = appendBuffer(pe, 1000);
    const next = (pe.rank + 1) % pe.size;
    const pushes = [1, 2, 3].map((n) => a.pushStart(next, new Uint8Array(n)));
    const refused = a.pushStart.bind(a, next, new Uint8Array(2000));
    const said = [String(pushes.map((one) => one.wait()))];
    const late = await rejected(async () => refused().waitAsync());
    said.push(late.replace(/PE \d+ has/, "PE n has"));
    a.sync();
    await a.syncAsync();
    said.push(String(pushes.map((one) => one.test())), String(await pushes[2].waitAsync()));
    pe.barrier();
    said.push(String([a.offset, a.completed, a.messages]));
    a.free();
    return said;
  },
  many(pe) {
    const all = Array.from({ length: 30 }, (_, i) => appendBuffer(pe, i * 100));
    for (const [i, a] of all.entries()) if (i > 0) a.push((pe.rank + 1) % pe.size, Uint8Array.of(i));
    pe.barrier();
    const got = all.map((a) => a.data()[0] ?? -1);
    for (const a of all.toReversed()) a.free();
    // made and freed: the heap has room for one after the other
    for (let i = 0; i < 300; i++) appendBuffer(pe, 2 ** 20).free();
    pe.barrier();
    return [String(got)];
  },
  "in groups"(pe) {
    const ranks = Array.from({ length: pe.size }, (_, rank) => rank).filter((rank) => rank % 2 === pe.rank % 2);
    using group = pe.group(ranks.toReversed());
    const a = appendBuffer(group, 100);
    a.push((group.rank + 1) % group.size, Uint8Array.of(pe.rank));
    group.barrier();
    const got = a.data()[0];
    a.free();
    return [got === ranks.toReversed()[(group.rank + group.size - 1) % group.size]];
  },
  "full heap"(pe) {
    const said = thrown(() => appendBuffer(pe, 2 ** 31));
    return [said.replace(/\d+/g, "n"), pe.allreduce(1, "sum") === pe.size];
  },
};

const program: Spmd = spmd((pe: PE, args: readonly Args[]) => playInTurn(args, ({ part }: Args) => parts[part](pe)));
export default program;
