/** Channels as programs use and misuse them. */

import { bytes, f64, type PE, type Spmd, spmd, struct, u32 } from "../../../../src/index.ts";
import { type ByteChannel, channel } from "../../../../src/messages.ts";
import { playInTurn } from "../../../support/in-turn.ts";
import { rejected, thrown } from "../../../support/thrown.ts";

/** What a program does. */
export type Part =
  | "in order"
  | "misuse"
  | "freed"
  | "freed meanwhile"
  | "async"
  | "groups"
  | "all slots"
  | "mismatch"
  | "peer returns"
  | "peer throws"
  | "cut off"
  | "no room"
  | "undisturbed"
  | "result"
  | "one-sided"
  | "detached";

export interface Args {
  readonly part: Part;
  readonly count?: number;
  readonly backend?: "ump" | "fastforward";
}

/** Of a channel, by default. */
const SLOTS = 64;

const NOWHERE = new Int32Array(new SharedArrayBuffer(4));
const sleep = (ms: number): unknown => Atomics.wait(NOWHERE, 0, 0, ms);

const POINT = struct({ at: u32, value: f64 });

const parts: Readonly<Record<Part, (pe: PE, args: Args) => unknown>> = {
  /** Numbers in order, both ways, and more of them than there is room for. */
  "in order"(pe: PE, { count = 0, backend }: Args) {
    const c = channel(pe, 1 - pe.rank, { item: u32, backend });
    let wrong = 0;
    if (pe.rank === 0) for (let i = 0; i < count; i++) c.send(i);
    else for (let i = 0; i < count; i++) if (c.receive() !== i) wrong++;
    if (pe.rank === 1) for (let i = 0; i < count; i++) c.send(i);
    else for (let i = 0; i < count; i++) if (c.receive() !== i) wrong++;
    c.free();
    return wrong;
  },
  /** PE 0 fills all slots of a channel to PE 2, which waits for PE 3 meanwhile, which waits for a word of PE 0. */
  async "all slots"(pe: PE) {
    const { rank } = pe;
    const pair = pe.split(rank < 2 ? null : 0);
    const c = rank % 2 === 0 ? channel(pe, 2 - rank) : null;
    const word = rank === 0 ? channel(pe, 3) : rank === 3 ? channel(pe, 0) : null;
    let wrong = 0;
    for (let turn = 0; turn < 4; turn++) {
      const awaits = turn % 2 === 1;
      if (rank === 0) {
        for (let i = 0; i < SLOTS; i++) {
          const message = Float64Array.of(i, turn);
          if (awaits) await c?.sendAsync(message);
          else c?.send(message);
        }
        word?.send(new Uint8Array(1));
      }
      if (rank === 3) word?.receive();
      if (awaits) await pair?.barrierAsync();
      else pair?.barrier();
      for (let i = 0; rank === 2 && i < SLOTS; i++) {
        const bytes = c?.receive().slice() as Uint8Array;
        if (new Float64Array(bytes.buffer)[0] !== i) wrong++;
      }
      // the last message is in use until the next look, and so its slot
      if (rank === 2 && c?.tryReceive() !== undefined) wrong++;
      pe.barrier();
    }
    for (const one of [c, word]) one?.free();
    pair?.leave();
    return wrong;
  },
  misuse(pe: PE) {
    const peer = 1 - pe.rank;
    const make = (options: unknown) => () => channel(pe, peer, options as never);
    const c = channel(pe, peer, { item: POINT, name: "points" });
    const d = channel(pe, peer, { partBytes: 100 });
    const detached = new Uint8Array(8);
    structuredClone(detached, { transfer: [detached.buffer] });
    const said = [
      thrown(() => channel(pe, pe.rank)),
      thrown(() => channel(pe, 2)),
      thrown(() => channel(pe, "1" as never)),
      thrown(make({ backend: "tcp" })),
      thrown(make({ slots: 3 })),
      thrown(make({ partBytes: 1 })),
      thrown(make({ item: "u32" })),
      thrown(make({ item: u32, partBytes: 100 })),
      thrown(make({ slot: 4 })),
      thrown(() => (c.send as (value: number) => void)(1)),
      thrown(() => c.trySend("1" as never, 2)),
      thrown(() => d.send([1] as never)),
      thrown(() => d.send(detached)),
      thrown(() => d.trySend(new Uint8Array(129))),
      thrown(() => d.receive({ timeout: -1 })),
      thrown(() => d.receive({ time: 1 } as never)),
      thrown(() => d.receive({ timeout: 5 })),
      thrown(() => c.receive({ timeout: 5 })),
    ];
    // nothing of it has come or gone
    pe.barrier();
    const none = [c.canReceive(), c.tryReceive(), d.canReceive(), d.tryReceive()];
    pe.barrier();
    c.send(7, 0.5);
    const { at, value } = c.receive();
    pe.barrier();
    c.free();
    d.free();
    return [
      ...said,
      none.join(),
      `${at} ${value}`,
      thrown(() => c.send(1, 2)),
      thrown(() => d.receive()),
      thrown(() => d.canSend()),
    ];
  },
  /** What was sent before an end was freed is received; then it is said. */
  freed(pe: PE) {
    const c = channel(pe, 1 - pe.rank);
    if (pe.rank === 0) {
      for (let i = 0; i < 3; i++) c.send(Uint8Array.of(i));
      c.free();
      c.free();
      pe.barrier();
      return [];
    }
    pe.barrier();
    const got = [0, 1, 2].map(() => c.receive()[0]);
    return [
      got.join(),
      thrown(() => c.receive()),
      thrown(() => c.send(Uint8Array.of(1))),
      thrown(() => c.tryReceive()),
      thrown(() => c.canReceive()),
    ];
  },
  /** A receiver that waits when the end is freed. */
  async "freed meanwhile"(pe: PE) {
    const c = channel(pe, 1 - pe.rank);
    const d = channel(pe, 1 - pe.rank);
    if (pe.rank === 0) {
      sleep(50);
      c.free();
      sleep(50);
      d.free();
      return [];
    }
    return [thrown(() => c.receive()), await rejected(() => d.receiveAsync())];
  },
  async async(pe: PE) {
    const c = channel(pe, 1 - pe.rank, { slots: 2 });
    const said: string[] = [];
    if (pe.rank === 0) {
      const first = c.receiveAsync();
      const again = rejected(() => c.receiveAsync());
      // before the message can be there, which is sent after this barrier
      const others = [thrown(() => c.receive()), thrown(() => c.tryReceive())];
      said.push(await again, ...others);
      await pe.barrierAsync();
      said.push(String((await first)[0]));
      said.push(await rejected(() => c.receiveAsync({ timeout: 10 })));
      const stop = new AbortController();
      setTimeout(() => stop.abort("enough"), 10);
      said.push(await rejected(() => c.receiveAsync({ signal: stop.signal })));
      c.send(Uint8Array.of(8));
      // the other PE fills the channel: one message is larger than that
      const all = await c.receiveAsync();
      said.push(`${all.length} ${all[3_999_999]}`);
      return said;
    }
    await pe.barrierAsync();
    await c.sendAsync(Uint8Array.of(5));
    said.push(String((await c.receiveAsync())[0]));
    const large = new Uint8Array(4_000_000).fill(9);
    const sending = c.sendAsync(large);
    const again = rejected(() => c.sendAsync(large));
    // before it may be sent
    const others = [thrown(() => c.send(large)), thrown(() => c.trySend(large))];
    said.push(await again, ...others);
    await sending;
    return said;
  },
  /** Groups have ranks of their own, and many channels can be made. */
  groups(pe: PE) {
    using group = pe.group([pe.size - 1, 0].filter((rank) => rank === 0 || rank === pe.size - 1));
    const made: ByteChannel[] = [];
    const before = pe.explain().length > 0;
    for (let round = 0; round < 300; round++) {
      const c = channel(group, 1 - group.rank, { item: bytes(200), slots: 64 });
      const data = new Uint8Array(200).fill(round);
      c.send(data);
      const got = c.receive();
      if (got.length !== 200 || got[199] !== (round & 255)) throw new Error(`round ${round}`);
      c.free();
      if (round < 50) made.push(channel(group, 1 - group.rank, { slots: 2, partBytes: 64 }));
    }
    for (const [i, c] of made.entries()) c.send(Uint8Array.of(i));
    const wrong = made.toReversed().filter((c, i) => c.receive()[0] !== 49 - i).length;
    for (const c of made) c.free();
    return before ? wrong : -1;
  },
  mismatch(pe: PE) {
    const c = pe.rank === 0 ? channel(pe, 1, { item: u32 }) : channel(pe, 0, { item: f64 });
    c.send(1);
    return c.receive();
  },
  "peer returns"(pe: PE) {
    const c = channel(pe, 1 - pe.rank);
    if (pe.rank === 1) return "left";
    return c.receive()[0];
  },
  "peer throws"(pe: PE) {
    const c = channel(pe, 1 - pe.rank);
    if (pe.rank === 1) throw new RangeError("out of messages");
    return c.receive()[0];
  },
  /** A channel for which the heap has no room; the world goes on. */
  "no room"(pe: PE) {
    const said = thrown(() => channel(pe, 1 - pe.rank, { slots: 1024, partBytes: 2 ** 20 }));
    // with one slot this is no long message; over nodes a PE has five parts
    const large = thrown(() => channel(pe, 1 - pe.rank, { slots: 2, partBytes: 2 ** 24 }));
    pe.barrier();
    const c = channel(pe, 1 - pe.rank);
    c.send(Uint8Array.of(pe.rank));
    const [got] = c.receive();
    pe.barrier();
    c.free();
    return [said, large, got];
  },
  /** A receive that ends by its limit leaves a message that is being sent alone. */
  async undisturbed(pe: PE) {
    const c = channel(pe, 1 - pe.rank, { slots: 2, partBytes: 64 });
    if (pe.rank === 1) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const { length } = await c.receiveAsync();
      // its end is open while the other PE waits for a message
      await c.sendAsync(Uint8Array.of(1));
      await c.receiveAsync();
      return length;
    }
    const sending = c.sendAsync(new Uint8Array(5000));
    const said = await rejected(() => c.receiveAsync({ timeout: 20 }));
    await sending;
    await c.receiveAsync();
    await c.sendAsync(Uint8Array.of(1));
    return said;
  },
  /** What main returns lies in the channel's memory, and more comes. */
  result(pe: PE) {
    const c = channel(pe, 1 - pe.rank);
    if (pe.rank === 0) for (let i = 0; i < 20; i++) c.send(Uint8Array.of(i));
    const result = pe.rank === 1 ? c.receive() : Uint8Array.of(0);
    // a send to a PE that has returned is an error
    pe.barrier();
    return result;
  },
  /** The other PE makes none. */
  "one-sided"(pe: PE) {
    if (pe.rank === 0) channel(pe, 1).send(Uint8Array.of(1));
    return 1;
  },
  async detached(pe: PE) {
    const c = channel(pe, 1 - pe.rank, { slots: 2, partBytes: 64 });
    if (pe.rank === 1) {
      await pe.barrierAsync();
      return (await c.receiveAsync()).length;
    }
    const data = new Uint8Array(5000);
    const sending = c.sendAsync(data);
    structuredClone(data, { transfer: [data.buffer] });
    await pe.barrierAsync();
    await sending;
    return 0;
  },
  /** The other PE does not receive: a message is cut off. */
  "cut off"(pe: PE) {
    const c = channel(pe, 1 - pe.rank, { slots: 2, partBytes: 64 });
    if (pe.rank === 0) c.send(new Uint8Array(10_000));
    else sleep(2000);
    return "sent";
  },
};

const program: Spmd = spmd((pe: PE, args: Args | readonly Args[]) =>
  playInTurn(args, (step: Args) => parts[step.part](pe, step)),
);
export default program;
