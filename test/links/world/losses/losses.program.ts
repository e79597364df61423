/** A world that goes on without lost PEs: PE `culprit` is lost while the others are in some call, again and again; then they go on without it. */

import { appendBufferAsync } from "../../../../src/append.ts";
import { conveyor, elasticConveyor } from "../../../../src/conveyor.ts";
import { exchange } from "../../../../src/exchange.ts";
import { type PE, type Spmd, spmd, u32 } from "../../../../src/index.ts";
import { channel, messenger, orderedBroadcast } from "../../../../src/messages.ts";
import { playInTurn } from "../../../support/in-turn.ts";

export const CALLS = [
  "barrier",
  "broadcast",
  "allreduce array",
  "gather values",
  "conveyor",
  "elastic conveyor",
  "exchange",
  "append",
  "channel receive",
  "channel send",
  "messenger",
  "ordered broadcast",
  "making a group",
  "making a conveyor",
] as const;
export type Call = (typeof CALLS)[number];

export interface Args {
  readonly call: Call;
  readonly culprit: number;
  readonly how: "throw" | "exit" | "reject" | "return" | "crash" | "kill";
  /** Rounds of the call before the loss. */
  readonly rounds: number;
}

/** Makes the call again and again: what it throws, in the end. */
async function untilLost(pe: PE, call: Call, culprit: number, rounds: number): Promise<string> {
  const { size, rank } = pe;
  const isCulprit = rank === culprit;
  const again = async (one: (i: number) => unknown): Promise<string> => {
    for (let i = 0; i < (isCulprit ? rounds : 1e9); i++) {
      try {
        await one(i);
      } catch (error) {
        const { name, message } = error as Error;
        return `${name} ${message}`;
      }
    }
    return "nothing";
  };
  switch (call) {
    case "barrier":
      return again(() => pe.barrierAsync());
    case "broadcast":
      return again((i) => pe.broadcastAsync(i, i % size));
    case "allreduce array": {
      const x = await pe.allocAsync(Float64Array, 20_000);
      return again(() => pe.allreduceAsync(x, "max"));
    }
    case "gather values":
      return again((i) => pe.gatherAsync({ rank, i }, i % size));
    case "conveyor": {
      const c = conveyor(pe, u32);
      return again(async () => {
        await c.beginAsync();
        let i = 0;
        while ((await c.advanceAsync(i === 100)) !== 0) {
          for (; i < 100; i++) if (!c.push(i % size, i)) break;
          while (c.pull());
        }
        c.reset();
      });
    }
    case "elastic conveyor": {
      const c = elasticConveyor(pe);
      return again(async () => {
        await c.beginAsync();
        let i = 0;
        while ((await c.advanceAsync(i === 50)) !== 0) {
          for (; i < 50; i++) if (!c.push(i % size, new Uint8Array(i))) break;
          while (c.pull());
        }
        c.reset();
      });
    }
    case "exchange": {
      const x = exchange(pe);
      return again(() => x.allAsync(Array.from({ length: size }, () => new Uint8Array(10_000))));
    }
    case "append": {
      const a = await appendBufferAsync(pe, 1 << 16);
      return again(async () => {
        await a.pushAsync((rank + 1) % size, new Uint8Array(100));
        await a.syncAsync();
        await pe.barrierAsync();
        if (a.offset !== 100) throw new Error(`${a.offset} bytes have come`);
        a.reset();
        await pe.barrierAsync();
      });
    }
    case "channel receive": {
      if (isCulprit) {
        const others = Array.from({ length: size }, (_, one) => one).filter((one) => one !== rank);
        const channels = others.map((one) => channel(pe, one));
        for (let i = 0; i < rounds; i++) for (const c of channels) await c.sendAsync(Uint8Array.of(i));
        return "nothing";
      }
      const c = channel(pe, culprit);
      let i = 0;
      const text = await again(async () => {
        const [byte] = await c.receiveAsync();
        if (byte !== (i & 255)) throw new Error(`${byte} in place of ${i}`);
        i++;
      });
      // all that it has sent comes first
      return i === rounds ? text : `${i} of ${rounds} messages: ${text}`;
    }
    case "channel send": {
      if (isCulprit) {
        for (let one = 0; one < size; one++) if (one !== rank) channel(pe, one);
        return "nothing";
      }
      const c = channel(pe, culprit);
      return again(() => c.sendAsync(new Uint8Array(100)));
    }
    case "messenger": {
      const m = messenger(pe);
      if (isCulprit) return "nothing";
      return again(() => m.receiveAsync({ from: culprit }));
    }
    case "ordered broadcast": {
      const o = orderedBroadcast(pe);
      return again(async () => {
        await o.submitAsync(Uint8Array.of(rank));
        for (let from = 0; from < size; from++) await o.deliverAsync();
      });
    }
    case "making a group":
      return again(() => {
        const group = pe.group(Array.from({ length: size }, (_, one) => one));
        return group.barrierAsync().then(() => group.leave());
      });
    case "making a conveyor":
      return again(async () => {
        const c = conveyor(pe, u32);
        await c.beginAsync();
        while ((await c.advanceAsync(true)) !== 0) while (c.pull());
        c.reset();
        c.free();
      });
  }
}

export type Told = readonly [error: string, again: string, group: string, lost: readonly number[], sum: number];

async function play(pe: PE, { call, culprit, how, rounds }: Args): Promise<Told | string> {
  // it may fail at some: the culprit may be lost before they have passed it
  await pe.barrierAsync().catch(() => {});
  // what the call needs may fail already
  const error = await untilLost(pe, call, culprit, rounds).catch(({ name, message }: Error) => `${name} ${message}`);
  if (pe.rank === culprit) {
    if (how === "exit") process.exit(3);
    if (how === "kill") process.kill(process.pid, "SIGKILL");
    if (how === "reject") void Promise.reject(new RangeError("out of luck"));
    if (how === "return") return "returned";
    if (how === "reject" || how === "crash") await new Promise(() => setTimeout(() => {}, 1e6));
    throw new RangeError("out of luck");
  }
  const text = async (act: () => unknown) => {
    try {
      await act();
      return "nothing";
    } catch (one) {
      return `${(one as Error).name}`;
    }
  };
  const again = await text(() => pe.allreduceAsync(1, "sum"));
  const everyone = Array.from({ length: pe.size }, (_, rank) => rank);
  const group = await text(() => pe.group(everyone));
  const lost = pe.lost;
  // and without it
  const rest = pe.group(everyone.filter((rank) => rank !== culprit));
  let sum = 0;
  for (let i = 0; i < 20; i++) sum += await rest.allreduceAsync(pe.rank, "sum");
  const c = conveyor(rest, u32);
  await c.beginAsync();
  let i = 0;
  while ((await c.advanceAsync(i === 100)) !== 0) {
    for (; i < 100; i++) if (!c.push(i % rest.size, 1)) break;
    while (c.pull()) sum += c.item;
  }
  c.reset();
  c.free();
  if (rest.size > 1) {
    const right = channel(rest, (rest.rank + 1) % rest.size);
    const left = rest.size === 2 ? right : channel(rest, (rest.rank + rest.size - 1) % rest.size);
    await right.sendAsync(Uint8Array.of(5));
    sum += (await left.receiveAsync())[0] as number;
  }
  await rest.barrierAsync();
  rest.leave();
  return [error, again, group, lost, sum];
}

const program: Spmd = spmd((pe: PE, args: unknown) =>
  playInTurn(
    Array.isArray(args) ? (args as Args[]).map((one) => ({ part: one.call, ...one })) : { part: "", ...(args as Args) },
    (step) => play(pe, step),
  ),
);
export default program;
